"""A folder of compiled code that many processes share: bounded, and proof against damage."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ggp.deadline import Deadline

__all__ = ["DEFAULT_LIMIT", "Cache", "default_folder"]

#: Bytes that a cache may hold before it drops what has not been used for longest.
DEFAULT_LIMIT = 512 * 2**20

_CHECKSUM = 32
_ABANDONED_AFTER_SECONDS = 3600.0

# To look a folder through takes the longer the more there is: it is done about as often as this
# share of the limit is written, which is how much there may be too much.
_SLACK = 0.01
# Whatever seed a program has set for numbers of its own.
_random = random.SystemRandom()

# Seconds between two tries to get a lock.
_TICK = 0.02


def default_folder() -> Path:
    """Return $GGP_CACHE_DIR, else $XDG_CACHE_HOME/ggp, else ~/.cache/ggp."""
    if own := os.environ.get("GGP_CACHE_DIR"):
        return Path(own)
    if common := os.environ.get("XDG_CACHE_HOME"):
        return Path(common) / "ggp"
    return Path.home() / ".cache" / "ggp"


class Cache:
    """Values by key, each a file that begins with the SHA-256 of the rest.

    A file appears whole or not at all, so that processes need no lock to read and write; one that
    was damaged counts as missing. What cannot be written is not kept: a cache never raises.
    """

    def __init__(self, folder: Path | None = None, *, limit: int = DEFAULT_LIMIT) -> None:
        """Use the folder, made when something is first put into it; `limit` is in bytes."""
        self.folder = default_folder() if folder is None else folder
        self.limit = limit

    def __contains__(self, key: str) -> bool:
        """Return whether there is a value of this key, damaged or not."""
        return self._path(key).is_file()

    def get(self, key: str) -> bytes | None:
        """Return the value of a key (a file name), or None if there is none or it is damaged."""
        path = self._path(key)
        with suppress(OSError):
            data = path.read_bytes()
            value = data[_CHECKSUM:]
            if hashlib.sha256(value).digest() == data[:_CHECKSUM]:
                os.utime(path)
                return value
            path.unlink()
        return None

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, and now and then drop those unused for longest if there are too many."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(value).digest())
                    file.write(value)
                Path(name).replace(self._path(key))
            finally:
                Path(name).unlink(missing_ok=True)
            if _random.random() * _SLACK * self.limit < len(value):
                self._trim()

    @contextmanager
    def lock(self, key: str, *, deadline: Deadline) -> Iterator[None]:
        """Keep other processes from entering with the same key, to make a value only once.

        It is no more than a courtesy: when the clock is over, or where the folder cannot be
        written, we enter all the same.
        """
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            handle = os.open(self.folder / f"{key}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            yield
            return
        try:
            while not _locked(handle) and not deadline.is_over:
                time.sleep(_TICK)
            yield
        finally:
            os.close(handle)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.code"

    def _trim(self) -> None:
        found = []
        abandoned = time.time() - _ABANDONED_AFTER_SECONDS
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):
                about = path.stat()
                if path.suffix == ".code":
                    found.append((about.st_mtime, about.st_size, path))
                elif path.suffix in (".tmp", ".lock") and about.st_mtime < abandoned:
                    path.unlink(missing_ok=True)
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit:
                break
            path.unlink(missing_ok=True)
            total -= size


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
