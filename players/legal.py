"""Plays the first legal move: the simplest player, and the fastest."""

from __future__ import annotations

from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player
from ggp.reasoner import State

__all__ = ["Legal"]


class Legal(Player):
    """Plays the first of its legal moves, which are sorted by their printed text."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:  # noqa: ARG002 - needs no time
        """Yield the first legal move."""
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]
