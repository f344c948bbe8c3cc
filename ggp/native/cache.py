"""A folder of compiled code that many processes share: bounded, and proof against damage."""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from ggp.deadline import Deadline

__all__ = ["DEFAULT_LIMIT", "Cache", "default_folder"]

#: Bytes that a cache may hold before it drops what was used least recently.
DEFAULT_LIMIT = 512 * 2**20

_CHECKSUM = 32
_ABANDONED_AFTER_SECONDS = 3600.0

# Searching a folder takes time in proportion to its files. It is done about once for each time that
# this share of the limit has been written, so the folder exceeds its limit by no more than that.
_SLACK = 0.01
# Random numbers that do not depend on a seed which the program sets.
_random = random.SystemRandom()

# Seconds between two attempts to get a lock.
_TICK = 0.02


def default_folder() -> Path:
    """Return $GGP_CACHE_DIR, else the usual place, such as $XDG_CACHE_HOME/ggp or ~/.cache/ggp."""
    own = os.environ.get("GGP_CACHE_DIR")
    return Path(own) if own else user_cache_path("ggp", appauthor=False)


class Cache:
    """Values by key, each a file that begins with the SHA-256 of the rest.

    A file appears whole or not at all, so processes need no lock to read and write. A damaged file
    counts as missing. A value that cannot be written is not kept; a cache never raises.
    """

    def __init__(self, folder: Path | None = None, *, limit: int = DEFAULT_LIMIT) -> None:
        """Use a folder, which is made with the first value; `limit` is in bytes."""
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
        """Keep a value, and now and then drop the least recently used if there are too many."""
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

        Not more than a courtesy: when the deadline passes, and where the folder cannot be written,
        the caller enters all the same.
        """
        lock = FileLock(self.folder / f"{key}.lock", mode=0o600, poll_interval=_TICK)
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            while not lock.is_locked and not deadline.is_over:
                with suppress(Timeout):
                    lock.acquire(timeout=_TICK)
        try:
            yield
        finally:
            lock.release()

    def is_locked(self, key: str) -> bool:
        """Return whether another caller of `lock` has entered with this key at present."""
        lock = FileLock(self.folder / f"{key}.lock", mode=0o600)
        try:
            with lock.acquire(timeout=0):
                return False
        except Timeout:
            return True
        except OSError:  # there is no such folder
            return False

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
