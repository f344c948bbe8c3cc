"""Limits on the memory of a process."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

__all__ = ["first_to_go", "limit_memory"]


def limit_memory(more: int, *, is_final: bool = True) -> None:
    """Let this process take no more than so many bytes beyond what it has now.

    What it has now is counted as Linux tells it: a forked process begins with the address space of
    its parent. What exceeds the limit fails as where there is no memory left.

    Args:
        more: bytes of address space.
        is_final: whether the limit also binds all processes that this one starts.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _mapped() + more
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit if is_final else hard))


def first_to_go() -> None:
    """Let the system end this process and its children first, where it runs out of memory."""
    with suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text("900", encoding="ascii")


def _mapped() -> int:
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()
