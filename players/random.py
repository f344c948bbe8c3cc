"""Plays at random: the baseline for every other player."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player
from ggp.reasoner import State

__all__ = ["Random"]


class Random(Player):
    """Plays each of its legal moves with the same probability.

    Args:
        seed: the same seed makes the same choices; None makes different ones each time.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._generator = random.Random(seed)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:  # noqa: ARG002 - needs no time
        """Yield a uniformly random legal move."""
        yield self._generator.choice(self.context.reasoner.legal_moves(state, self.context.role))
