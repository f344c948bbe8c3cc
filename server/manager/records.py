"""The records in the manager's folder: of its own matches, and those that users upload."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.files import replace_file
from ggp.server.manager.processes.questions import RecordPlace

__all__ = ["MAX_RECORD", "Record", "Records", "RecordsFull", "without_folder"]

#: Bytes of a record.
MAX_RECORD = 8_000_000
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,150}")
_MAX_LISTED = 2000
#: The limit on uploaded records, and how their names begin.
_MAX_BROUGHT, _BROUGHT = 1000, "brought-"
#: Where a record names a file of this machine that has the rules.
_FILE = re.compile(rb'("gameMetaURL"\s*:\s*"file://)[^"]*(/[^"/]*")')
#: What the fields are called that hold thoughts.
THOUGHTS = ("search", "startSearch")
_SIGNATURE = b'"matchHostSignature"'


class RecordsFull(Exception):
    """The limit on uploaded records is reached."""


def without_folder(url: str) -> str:
    """Return the URL of a game as browsers may see it: a file by its name alone."""
    return f"file:///{url.rpartition('/')[2]}" if url.lower().startswith("file:") else url


@dataclass(frozen=True, slots=True)
class Record:
    """One record."""

    #: The name of its file without the suffix, which can stand in a URL.
    name: str
    path: Path
    #: The rules of the match; None if only their address is known.
    rules: str | None = None
    #: The id of the tournament that it belongs to; None if it is a file of its own.
    tournament: str | None = None
    #: Whether people play the match now: they are not to read what its players thought.
    is_sealed: bool = False

    @property
    def is_growing(self) -> bool:
        """Whether the match is being played elsewhere, and its record grows."""
        return False

    @property
    def version(self) -> str:
        """A text that changes with the file."""
        status = self.path.stat()
        return f"{status.st_mtime_ns}.{status.st_size}"

    @property
    def place(self) -> RecordPlace:
        """Where a guide finds the record."""
        return RecordPlace(str(self.path), self.version)

    def data(self) -> bytes:
        """Return the contents of the file. Raises `OSError`."""
        return self.path.read_bytes()

    def shown(self) -> bytes:
        """Return the record for browsers, which are not told in which folder the rules are.

        A signed record is unchanged: the signature is of all that it says.

        Raises:
            OSError: the file cannot be read.
        """
        data = self.data()
        if self.is_sealed:
            told = json.loads(data)
            data = json.dumps({name: told[name] for name in told if name not in THOUGHTS}).encode()
        return data if _SIGNATURE in data else _FILE.sub(rb"\1\2", data)


class Records:
    """Finds records by their name."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it need not exist yet."""
        self._folder = folder

    def __iter__(self) -> Iterator[Record]:
        """Yield the records, the latest first, up to a limit."""
        paths = self._folder.glob("*.json") if self._folder.is_dir() else ()
        dated = []
        for path in paths:
            with suppress(FileNotFoundError):  # it was removed just now
                dated.append((path.stat().st_mtime, path))
        for _, path in sorted(dated, reverse=True)[:_MAX_LISTED]:
            if _NAME.fullmatch(path.stem):
                yield Record(path.stem, path)

    def find(self, name: str) -> Record | None:
        """Return the record with a name; None if there is none."""
        path = self._folder / f"{name}.json"
        return Record(name, path) if _NAME.fullmatch(name) and path.is_file() else None

    def add(self, data: bytes) -> Record:
        """Store a record that a user uploads, without parsing it.

        Raises:
            RecordsFull: the limit on uploaded records is reached.
            OSError: the file cannot be written.
        """
        path = self._folder / f"{_BROUGHT}{hashlib.sha256(data).hexdigest()[:12]}.json"
        self._folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() and len(list(self._folder.glob(f"{_BROUGHT}*"))) >= _MAX_BROUGHT:
            raise RecordsFull(f"there are {_MAX_BROUGHT} uploaded records; remove some")
        replace_file(path, data)
        return Record(path.stem, path)

    def remove(self, record: Record) -> None:
        """Remove a record and its review. Raises `OSError`."""
        record.path.unlink(missing_ok=True)
        self._review(record.name).unlink(missing_ok=True)

    def review(self, name: str) -> dict[str, Any] | None:
        """Return the review of a match that is kept with its record; None if there is none."""
        try:
            found: dict[str, Any] = json.loads(self._review(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def keep_review(self, name: str, review: Mapping[str, Any]) -> None:
        """Keep a review with the record. Raises `OSError`."""
        self._review(name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._review(name), json.dumps(review))

    def _review(self, name: str) -> Path:
        return self._folder / "reviews" / f"{name}.json"
