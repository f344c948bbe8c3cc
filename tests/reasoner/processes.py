"""Looking at processes that may be gone."""

from __future__ import annotations

import os
import time
from pathlib import Path

#: Rules with which deriving the moves takes forever: terms grow without end.
ENDLESS_QUESTION = """
(role x) (init i)
(<= (grow ?n) (true i) (grow (s ?n)))
(<= (legal x go) (grow z))
"""

#: Rules with which every query is quick, but play never ends.
ENDLESS_PLAY = "(role x) (init i) (legal x go) (<= (next i) (true i)) (goal x 0)"


def is_running(pid: int) -> bool:
    """Whether there is such a process that is more than an entry for its parent to collect.

    A process runs, and keeps its files open, until the last of its threads has ended.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self").exists():  # a system without /proc
        return True
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):  # it has just gone
        return False
    return any(map(_is_running_thread, threads))


def _is_running_thread(folder: Path) -> bool:
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it has just gone
        return False
    return state not in ("Z", "X")


def ends_soon(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(pid)
