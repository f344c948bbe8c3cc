"""What a role knows of one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ggp.kif import Symbol, Term
from ggp.reasoner import JointMove

__all__ = ["Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a role knows of one turn: its own move and its percepts, or the joint move."""

    #: None where the joint move is known.
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()
    joint_move: JointMove | None = None
    #: For roles with too many legal moves to consider all of them, some.
    some: Mapping[Symbol, tuple[Term, ...]] = field(default_factory=dict)
