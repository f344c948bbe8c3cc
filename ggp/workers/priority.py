"""How far a process stands back where processors are scarce."""

from __future__ import annotations

import os

__all__ = ["IDLE", "stand_back"]

#: The niceness of who takes only what nobody else wants, where the system can do that.
IDLE = 20


def stand_back(niceness: int) -> None:
    """Let others have the processors before this process, and before all that it starts.

    Args:
        niceness: from 0 to 19, which is no more than a share; or `IDLE`.
    """
    os.nice(niceness)  # the system takes the most that it knows
    if niceness >= IDLE and hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
