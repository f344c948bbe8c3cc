"""Reasoners: they compute legal moves, next states and goals from the rules, on the fly."""

from __future__ import annotations

from ggp.gdl import Description
from ggp.reasoner.contract import (
    MAX_JOINT_MOVES,
    Expansion,
    GoalVector,
    JointMove,
    Playout,
    Reasoner,
    State,
    View,
)

__all__ = [
    "KINDS",
    "MAX_JOINT_MOVES",
    "Expansion",
    "GoalVector",
    "JointMove",
    "Playout",
    "Reasoner",
    "State",
    "View",
    "open_reasoner",
]

#: What `open_reasoner` takes.
KINDS = ("auto", "prolog")


def open_reasoner(
    description: Description,
    *,
    kind: str = "auto",
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> Reasoner:
    """Open a reasoner for a game.

    Args:
        description: the rules.
        kind: "prolog", or "auto" for the best that is installed.
        time_limit: seconds that one call may take; None for the reasoner's default.
        memory_limit: bytes that the reasoner may use; None for the reasoner's default.

    Raises:
        ReasonerError: the reasoner is not installed, or cannot take this game.
        ValueError: there is no such kind.
    """
    from ggp.reasoner.prolog import PrologReasoner

    if kind not in KINDS:
        raise ValueError(f"no reasoner {kind!r}; there are {', '.join(KINDS)}")
    return PrologReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
