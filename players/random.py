"""Plays at random: the baseline for every other player."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import ClassVar

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player, PossibleStates
from ggp.reasoner import State

__all__ = ["Random"]


class Random(Player):
    """Plays each of its legal moves with the same probability.

    Args:
        seed: the same seed makes the same choices; None makes different ones each time.
    """

    #: Enough to know its legal moves.
    max_states: ClassVar[int] = 8

    def __init__(self, seed: int | None = None) -> None:
        self._generator = random.Random(seed)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:  # noqa: ARG002 - needs no time
        """Yield a uniformly random legal move."""
        yield self._generator.choice(self.context.reasoner.legal_moves(state, self.context.role))

    def moves_among(
        self,
        possible: PossibleStates,
        deadline: Deadline,  # noqa: ARG002 - needs no time
    ) -> Iterator[Term]:
        """Yield a uniformly random legal move: which states are possible does not matter."""
        yield self._generator.choice(possible.legal)
