"""Reasoners: they compute legal moves, next states and goals from the rules, on the fly."""

from ggp.reasoner.base import (
    MAX_JOINT_MOVES,
    Expansion,
    JointMove,
    JointMoves,
    Playout,
    PlayoutTotals,
    Reasoner,
    SomeMoves,
    State,
    View,
)
from ggp.reasoner.factory import KINDS, bounded, open_reasoner

__all__ = [
    "KINDS",
    "MAX_JOINT_MOVES",
    "Expansion",
    "JointMove",
    "JointMoves",
    "Playout",
    "PlayoutTotals",
    "Reasoner",
    "SomeMoves",
    "State",
    "View",
    "bounded",
    "open_reasoner",
]
