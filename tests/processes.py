"""The child processes of a process, and what the system says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from tests.reasoner.processes import is_running

__all__ = ["all_gone", "command_line", "descendants", "happens", "is_running", "resident_bytes"]


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, directly or indirectly, and that still run."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if is_running(int(folder.name)):
                parents[int(folder.name)] = int(parent)
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def all_gone(pids: Collection[int], *, within: float) -> bool:
    """Wait for processes to end; return whether they all did `within` a number of seconds."""
    return happens(lambda: not any(map(is_running, pids)), within=within)


def happens(condition: Callable[[], bool], *, within: float) -> bool:
    """Wait for a condition; return whether it came true `within` a number of seconds."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def command_line(pid: int) -> str:
    """The command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def resident_bytes(pid: int) -> int:
    """The anonymous memory of a process, in bytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    sizes = dict(line.split(":", 1) for line in text.splitlines())
    return int(sizes["RssAnon"].split()[0]) << 10
