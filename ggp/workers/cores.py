"""The cores of the machine, which all searches of this user on it share.

Each core has a lock file in the folder of temporary files; a thread that searches holds the lock of
the core that it takes. The kernel releases the locks of a process that ends. Tasks that must not
disturb each other reserve cores: a second file for each core says whose it is.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

__all__ = ["available", "borrowed", "free", "limited", "reserved"]

_limits = threading.local()


def available() -> int:
    """Return how many cores this process may run on."""
    return len(os.sched_getaffinity(0))


@contextmanager
def borrowed(most: int) -> Iterator[int]:
    """Take up to `most` cores that are free, and yield how many threads may run.

    It is at least one, where no core is free: a search that must answer does not wait for one.
    """
    with ExitStack() as stack:
        limit = _limit()
        most = most if limit is None else min(most, limit)
        yield max(1, _lock(stack, most))


def free() -> int:
    """Return how many cores are free at present."""
    with ExitStack() as stack:
        return _lock(stack, available())


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Let what this thread does borrow no more than `most` cores."""
    before = _limit()
    _limits.most = most if before is None else min(most, before)
    try:
        yield
    finally:
        _limits.most = before


@contextmanager
def reserved(count: int) -> Iterator[bool]:
    """Keep cores for this thread and for the processes and threads that it starts.

    No other reservation gets them. What runs without a reservation may still use them. Where fewer
    cores are free, none is kept, and the thread may run on all of them as before.

    Yields:
        Whether they are kept.
    """
    before = os.sched_getaffinity(0)
    with ExitStack() as stack:
        found = _locked(stack, "reserved-", count)
        is_kept = 0 < count == len(found)
        if is_kept:
            os.sched_setaffinity(0, found)
            stack.callback(os.sched_setaffinity, 0, before)
        else:
            stack.close()
        yield is_kept


def _limit() -> int | None:
    limit: int | None = getattr(_limits, "most", None)
    return limit


def _lock(stack: ExitStack, most: int) -> int:
    """Lock cores until the stack is closed, and return how many."""
    return len(_locked(stack, "", most))


def _locked(stack: ExitStack, prefix: str, most: int) -> list[int]:
    """Lock cores by the files with a prefix until the stack is closed, and return them."""
    folder, found = Path(tempfile.gettempdir(), f"ggp-cores-{os.getuid()}"), list[int]()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        for core in sorted(os.sched_getaffinity(0)):
            if len(found) == most:
                break
            file = stack.enter_context((folder / f"{prefix}{core}").open("wb"))
            try:
                flock(file, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                file.close()
            else:
                found.append(core)
    except OSError:
        pass  # without a place for locks, or files that may be opened: what is locked is locked
    return found
