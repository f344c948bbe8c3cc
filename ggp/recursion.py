"""Room for deep recursion: the one place where Python's recursion limit is raised."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["MAX_PLIES", "deep_recursion"]

#: A search goes no deeper than this many joint moves below its root.
MAX_PLIES = 3000

_lock = Lock()
_raised: list[int] = []
_limit_before = sys.getrecursionlimit()


@contextmanager
def deep_recursion(frames: int) -> Iterator[None]:
    """Let functions call each other `frames` levels deep inside the block.

    Searches are recursive because the algorithms of the literature are. The limit belongs to the
    whole process: it is raised only while some search runs, and the last one to end restores it.
    Calls from Python to Python take no room on the machine's stack (since Python 3.11).
    """
    global _limit_before  # noqa: PLW0603 - there is one limit per process
    limit = frames + 1000
    with _lock:
        if not _raised:
            _limit_before = sys.getrecursionlimit()
        _raised.append(limit)
        sys.setrecursionlimit(max(_limit_before, *_raised))
    try:
        yield
    finally:
        with _lock:
            _raised.remove(limit)
            if not _raised:
                sys.setrecursionlimit(_limit_before)
