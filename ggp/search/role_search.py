"""The base of minimax, bounded minimax and alpha-beta: the game from the view of one role.

The role maximises its own goal, and all others minimise it. Moves are simultaneous, and the view is
pessimistic: the others choose their reply together and knowing the role's move, so that there is a
min node below each move of the role. Where only one role has a choice this assumption changes
nothing; with more than two roles the others form a coalition. Chance moves last: the value of its
moves is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf

from ggp.reasoner import GoalVector
from ggp.search.result import ValueVector
from ggp.search.search import Search
from ggp.search.transposition_table import Bound, Found

__all__ = ["BEATEN", "UNBEATEN", "RoleSearch", "mean"]

#: Less than any value: the best of no moves.
BEATEN = Found(-inf, proven=True)
#: More than any value: the worst of no replies.
UNBEATEN = Found(inf, proven=True)


class RoleSearch(Search[float]):
    """A search for the goal of one role."""

    @cached_property
    def low(self) -> float:
        """The lowest value."""
        return self.settings.low

    @cached_property
    def high(self) -> float:
        """The highest value, as the classifier knows it."""
        return self.settings.high

    def utility(self, goals: GoalVector) -> float:
        """Return the role's goal."""
        return goals[self.role] or 0

    def estimate(self, node: int) -> float:
        """Return what the evaluation says for the role."""
        return self.evaluate(node, self.role)

    def goals_of(self, value: float) -> ValueVector:
        """Return the role's goal; the others' are not known."""
        return tuple(value if i == self.role else None for i in range(len(self.graph.roles)))

    def bound(self, value: float, alpha: float, beta: float) -> Bound:
        """Return what a search with the window (alpha, beta) says by a value."""
        return self.settings.bound(value, alpha, beta)

    def probe_within(
        self, node: int, remaining: float, alpha: float = -inf, beta: float = inf
    ) -> Found[float] | None:
        """Return what the table holds of the node if that settles a search with this window."""
        entry = self.probe(node, remaining)
        if entry is None:
            return None
        value = entry.found.value
        match entry.bound:
            case Bound.LOWER if value < beta:
                return None
            case Bound.UPPER if value > alpha:
                return None
        return self.answered(entry)


def mean(outcomes: Sequence[Found[float]]) -> Found[float]:
    """Return the expectation over equally likely outcomes; a variation ends where chance begins."""
    if len(outcomes) == 1:
        return outcomes[0]
    value = sum(found.value for found in outcomes) / len(outcomes)
    return Found(value, all(found.proven for found in outcomes))
