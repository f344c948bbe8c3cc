"""Plays the first legal move: the simplest player, and the fastest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player, PossibleStates
from ggp.reasoner import State

__all__ = ["Legal"]


class Legal(Player):
    """Plays the first of its legal moves, which are sorted by their printed text."""

    #: Enough to know its legal moves.
    max_states: ClassVar[int] = 8

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:  # noqa: ARG002 - needs no time
        """Yield the first legal move."""
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]

    def moves_among(
        self,
        possible: PossibleStates,
        deadline: Deadline,  # noqa: ARG002 - needs no time
    ) -> Iterator[Term]:
        """Yield the first legal move: which states are possible does not matter."""
        yield possible.legal[0]
