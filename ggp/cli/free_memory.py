"""How much memory a command may take by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["share_of_memory"]

# The files in which Linux tells the limit of a control group, and what it uses: version 2, 1.
_GROUPS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


def share_of_memory(*, least: int, most: int, root: Path = Path("/")) -> int:
    """Return half of the bytes that are free, but from `least` to `most`.

    Args:
        least: the answer where the system does not say how much is free, too.
        most: the answer where more is free.
        root: where the file systems of the kernel are.
    """
    return min(most, max(least, min(_free(root), default=0) // 2))


def _free(root: Path) -> Iterator[int]:
    """Yield the bytes that the machine has left, and those of the control group."""
    with suppress(OSError, ValueError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            name, value, *_ = line.split()
            if name == "MemAvailable:":
                yield int(value) << 10
    for names in _GROUPS:
        with suppress(OSError, ValueError):
            limit, used = (int((root / "sys/fs/cgroup" / name).read_text()) for name in names)
            yield limit - used
