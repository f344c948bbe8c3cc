"""Estimates of a state's worth, for searches that end before the game does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ggp.graph import GameGraph
from ggp.search.leaf_values import LeafValueTable

__all__ = ["Evaluation", "GoalsAndMobility", "goals_or_middle"]

#: Estimates what a role will get from a node that is not terminal: called with the graph, the node
#: and the role's number, it returns a value within the range of goals (searches cut it to what the
#: role can get). It should depend on the state alone: the transposition table keeps what it says.
Evaluation: TypeAlias = Callable[[GameGraph, int, int], float]

_MIDDLE = 50.0


def goals_or_middle(graph: GameGraph, node: int, role: int) -> float:
    """Return the role's goal where the game defines one before the end, else the middle, 50."""
    goal = graph.expansion(node).goals[role]
    return _MIDDLE if goal is None else float(goal)


class GoalsAndMobility:
    """An estimate for any game: mostly the goal as it stands, a little the freedom to move.

    It stays strictly between nothing and the role's highest goal, so that a search never takes an
    estimate for a game that is lost or won.
    """

    #: How much of the range the role's share of all moves decides; the goal decides the rest.
    MOBILITY = 0.1

    def __init__(self, leaf_values: LeafValueTable) -> None:
        """Take the highest goals from a game's leaf-value table."""
        self.leaf_values = leaf_values

    def __call__(self, graph: GameGraph, node: int, role: int) -> float:
        """Estimate what the role will get from the node."""
        expansion = graph.expansion(node)
        highest = self.leaf_values.highest(role)
        goal = expansion.goals[role]
        progress = 0.5 if goal is None or not highest else goal / highest
        counts = [len(moves) for moves in expansion.legal]
        mobility = (counts[role] + 1) / (sum(counts) + len(counts) + 1)
        return highest * ((1 - self.MOBILITY) * progress + self.MOBILITY * mobility)
