"""Plays by flat Monte Carlo: the move that does best on average in random playouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player, PossibleStates, flat_monte_carlo
from ggp.reasoner import State

__all__ = ["Flat"]


class Flat(Player):
    """Plays the move after which its mean goal in random playouts is highest.

    It looks one move ahead and gives all moves equally many playouts: a baseline for every player
    that spends playouts in a better way.

    Args:
        seed: the same seed makes the same playouts, as many as there is time for.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the best move so far, whenever it changes."""
        legal = self.context.reasoner.legal_moves(state, self.context.role)
        return self._best(legal, lambda: state, deadline)

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield the move that does best on average over the possible states."""
        return self._best(possible.legal, lambda: possible.sample(1)[0], deadline)

    def _best(
        self, legal: Sequence[Term], draw: Callable[[], State], deadline: Deadline
    ) -> Iterator[Term]:
        context = self.context
        return flat_monte_carlo(
            context.reasoner,
            context.index,
            legal,
            draw,
            deadline,
            report=context.report,
            seed=self._seed,
        )
