"""Memory that threads share, so that what one has freed serves the next."""

from __future__ import annotations

import ctypes
from contextlib import suppress

__all__ = ["share_arenas"]

#: The parameter of glibc's `mallopt` for the most arenas (malloc.h).
_M_ARENA_MAX = -8


def share_arenas(most: int) -> None:
    """Let all threads take memory from a few arenas (glibc; elsewhere nothing changes).

    By default there are eight for each core, and a message of megabytes, read by another thread
    each time, leaves its room behind in all of them. Call it before there are threads.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, most)
