"""Estimates of the value of a state, for searches that end before the game does."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import TypeAlias

from ggp.errors import GameError
from ggp.gdl import GoalVector
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.search.evaluation.value_net import ValueNet
from ggp.search.leaf_values import LeafValueTable

__all__ = ["MARGIN", "Estimator", "Evaluation"]

#: Estimates what a role will get from a node that is not terminal: called with the graph, the node
#: and the role's number, it returns a value within the range of goals (searches cut it to what the
#: role can get). It should depend on the state alone: the transposition table keeps what it says.
Estimator: TypeAlias = Callable[[GameGraph, int, int], float]

#: The share of the range of goals that is left free at both of its ends.
MARGIN = 0.001

# The share of the way from the lowest goal to the highest, for a role of which nothing is known.
_MIDDLE = 0.5


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """An estimate for any game: the weighted mean of what can be computed for any state.

    Each part is a number from 0 to 1, which stand for the role's lowest and highest goal:

    - *goals*: the role's goal as it stands, where the rules define one before the end of the game;
    - *mobility*: the role's share of all legal moves (with one more for each role, and one that
      no role has);
    - *playouts*: the mean goal of random playouts from the state. Its random numbers are made from
      the state's facts, so that the estimate of a state is always the same.

    Where the rules give no goal it counts as the middle, 1/2. If there is a network, it says what
    the estimate is, and the parts do not count.

    The estimate stays strictly between the lowest goal and the highest, so that a search never
    takes it for a lost or won game.
    """

    leaf_values: LeafValueTable
    #: The weights of the parts: none less than 0, and not all 0.
    goals: float = 1.0
    mobility: float = 0.0
    playouts: float = 0.0
    #: How many playouts. The engine makes it a multiple of 64, and 512 at most.
    count: int = 256
    #: The joint moves after which a playout ends at the latest, with the goals as they stand.
    steps: int = 100
    #: What takes the place of the parts.
    net: ValueNet | None = None
    #: The result of the last state's playouts: a search asks again for each role.
    _last: dict[State, tuple[float, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not self.are_weights(self.goals, self.mobility, self.playouts):
            raise ValueError("the weights of an evaluation are not negative, and not all 0")
        if min(self.count, self.steps) < 1:
            raise ValueError("an evaluation plays at least one playout of at least one joint move")

    @staticmethod
    def are_weights(*weights: float) -> bool:
        """Return whether no weight is less than 0, and not all are 0."""
        return all(weight >= 0 for weight in weights) and 0 < sum(weights) < inf

    @property
    def shares(self) -> tuple[float, float, float]:
        """The weights of goals, mobility and playouts, scaled to add up to 1."""
        total = self.goals + self.mobility + self.playouts
        return self.goals / total, self.mobility / total, self.playouts / total

    @property
    def without_playouts(self) -> Evaluation:
        """The same evaluation without playouts: goals alone, if nothing else would be left."""
        goals = self.goals if self.goals + self.mobility else 1.0
        return replace(self, goals=goals, playouts=0.0)

    def range_of(self, role: int) -> tuple[int, int]:
        """Return the lowest and the highest goal of a role; one that may be missing counts as 0."""
        lowest = 0 if role in self.leaf_values.may_miss else self.leaf_values.goals[role][0]
        return lowest, self.leaf_values.highest(role)

    def limits_of(self, role: int) -> tuple[float, float]:
        """Return the lowest estimate of a role, and the span from it to the highest."""
        lowest, highest = self.range_of(role)
        span = highest - lowest
        return lowest + MARGIN * span, (1 - 2 * MARGIN) * span

    def __call__(self, graph: GameGraph, node: int, role: int) -> float:
        """Estimate what the role will get from the node."""
        lowest, span = self.limits_of(role)
        if self.net is not None:
            facts = graph.reasoner.facts(graph.state(node))
            return min(max(self.net.goal(facts, role), lowest), lowest + span)
        of_goals, of_mobility, of_playouts = self.shares
        expansion = graph.expansion(node)
        counts = [len(moves) for moves in expansion.legal]
        mobility = (counts[role] + 1) / (sum(counts) + len(counts) + 1)
        progress = self._progress(expansion.goals, role)
        estimate = of_goals * progress + of_mobility * mobility
        if of_playouts:
            estimate += of_playouts * self._means(graph, node)[role]
        return lowest + span * estimate

    def _progress(self, goals: GoalVector, role: int) -> float:
        """Return how far a role's goal is from its lowest, as a share of the way to the highest."""
        goal, (lowest, highest) = goals[role], self.range_of(role)
        return (
            _MIDDLE if goal is None or highest == lowest else (goal - lowest) / (highest - lowest)
        )

    def _means(self, graph: GameGraph, node: int) -> tuple[float, ...]:
        """Return the mean of each role's progress at the end of random playouts."""
        state, roles = graph.state(node), range(len(graph.roles))
        if state not in self._last:
            seed = zlib.crc32(graph.reasoner.text(state).encode())
            try:
                played = graph.reasoner.playouts(
                    state, count=self.count, seed=seed, max_steps=self.steps
                )
            except GameError:  # a role has no legal move; the search raises it where it matters
                return (_MIDDLE,) * len(roles)
            ends = [[self._progress(playout.goals, role) for role in roles] for playout in played]
            self._last.clear()
            self._last[state] = tuple(sum(end) / len(ends) for end in zip(*ends, strict=True))
        return self._last[state]
