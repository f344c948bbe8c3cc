"""Disks that are full, for tests."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["full_disk", "names"]


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Let no file of this process grow beyond some bytes, nor one of its new child processes.

    The kernel refuses what goes beyond with "File too large", after it has written what fits, as a
    full disk does.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder and below, hidden ones included."""
    found = folder.rglob("*") if folder.is_dir() else ()
    return sorted(str(path.relative_to(folder)) for path in found if path.is_file())
