"""How matches are set up, and the files from which an unfinished match goes on."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from ggp.files import replace_file

__all__ = ["Seat", "Setup", "Unfinished", "new_key"]


def new_key() -> str:
    """Return a secret that can stand in a URL."""
    return secrets.token_urlsafe(12)


@dataclass(frozen=True, slots=True)
class Seat:
    """The player of a role: `kind` is ``human``, ``url`` or ``player``."""

    kind: str
    #: The player's name with its options, its URL, or a person's name.
    spec: str = ""
    #: The secret of the person who takes the seat.
    key: str = field(default_factory=new_key, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """All that is needed to begin a match, or to go on with it."""

    id: str
    #: The id of the game.
    game: str
    #: One for each role but ``random``, in the order of the roles.
    seats: tuple[Seat, ...]
    #: Seconds.
    start_clock: float
    play_clock: float
    humans_take_time: bool
    #: Where the match begins: ``{"record": path, "step": number}`` or ``{"moves": joint moves}``;
    #: None for the initial state of the game.
    start: Mapping[str, Any] | None = None
    #: The secret of the browser that began the match.
    host: str = field(default_factory=new_key, repr=False)

    def to_json(self) -> str:
        """Return the setup as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Setup:
        """Read what `to_json` writes. Raises `ValueError`, `TypeError`, `KeyError`."""
        setup = cls(**json.loads(text))
        return replace(setup, seats=tuple(Seat(**seat) for seat in setup.seats))  # type: ignore[arg-type]


class Unfinished:
    """The setups of the matches that have not ended, each in a file of its own."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it need not exist yet."""
        self._folder = folder
        self._lock = Lock()

    def __iter__(self) -> Iterator[Setup]:
        """Yield the setups, the oldest first; a file that cannot be read is left out."""
        paths = self._folder.glob("*.json") if self._folder.is_dir() else ()
        for path in sorted(paths, key=lambda path: path.stat().st_mtime):
            with suppress(OSError, ValueError, TypeError, KeyError):
                yield Setup.from_json(path.read_text(encoding="utf-8"))

    def keep(self, setup: Setup) -> None:
        """Write a setup to its file. Raises `OSError`."""
        path = self._path(setup.id)
        with self._lock:
            self._folder.mkdir(parents=True, exist_ok=True)
            # It holds the secrets of the seats.
            replace_file(path, setup.to_json(), mode=0o600)

    def forget(self, match_id: str) -> None:
        """Remove the file of a match that has ended."""
        with self._lock, suppress(OSError):
            self._path(match_id).unlink(missing_ok=True)
            self._folder.rmdir()  # it stays if it holds other files

    def _path(self, match_id: str) -> Path:
        return self._folder / f"{match_id}.json"
