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
    """Whether there is such a process that is more than an entry for its parent to collect."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return not Path("/proc/self").exists()  # a system without /proc; else it has just gone


def ends_soon(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(pid)
