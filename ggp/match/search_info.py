"""What a player thinks while it thinks, for those who watch."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.reasoner import JointMove

__all__ = ["SearchInfo"]


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """What a player thinks of the state that it is to move in."""

    #: The goal that it expects to get; None where it does not say.
    value: float | None
    #: How it expects the game to go on.
    variation: tuple[JointMove, ...] = ()
    #: Whether the value is proven.
    is_proven: bool = False
    #: How many joint moves it looks ahead.
    depth: int = 0
    #: States that it has looked at in this turn, and seconds since it began.
    nodes: int = 0
    seconds: float = 0.0
