"""Bounded minimax: minimax that stops at a satisfactory result.

A max node is done as soon as the value of one of its moves is `win` or more, a min node as soon as
the value of one of its replies is `lose` or less. With the highest and the lowest goal as
thresholds, the value and the move are those of minimax. With others the search tells whether the
role can get `win`: a satisficing search, or in a game whose goals have a fixed sum of 100 the
question "more than half?" (51), which is the default where the leaf-value table shows the sum.

So it is alpha-beta with a fixed window: alpha is `lose` and beta is `win` in every node, whatever
was found elsewhere. It uses the table as alpha-beta does, and a `lose` that is the lowest goal
counts only once the role has the value of a move.

(Genesereth and Thielscher, *General Game Playing*, 2014, chapter 6.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar

from ggp.gdl import HIGHEST_GOAL
from ggp.graph import GameGraph
from ggp.search.alphabeta import AlphaBeta
from ggp.search.role_search import RoleOptions
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Bound, Found

__all__ = ["Bounded", "BoundedOptions"]


@dataclass(frozen=True, kw_only=True)
class BoundedOptions(RoleOptions):
    """The options of bounded minimax.

    Raises:
        ValueError: `lose` is not less than `win`, or than the highest goal.
    """

    #: A value that is good enough; None for more than half where the leaf-value table says that the
    #: goals of two roles have a fixed sum, and else for the highest goal.
    win: float | None = None
    #: A value that is bad enough.
    lose: float = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        win = HIGHEST_GOAL if self.win is None else self.win
        if not self.lose < win:  # nan is not, either
            raise ValueError(f"lose must be less than win, not {self.lose:g} and {win:g}")

    def resolve(self, graph: GameGraph, algorithm: str) -> SearchSettings:
        """Return the settings of a search of a graph, see `SearchOptions.resolve`."""
        settings = super().resolve(graph, algorithm)
        win = max(_enough(settings), self.lose + 1) if self.win is None else self.win
        lose, win = max(self.lose, settings.low), min(win, settings.high)
        # If no goal lies between them the thresholds ask nothing: then the value is searched.
        return replace(settings, lose=lose, win=win) if lose < win else settings


class Bounded(AlphaBeta):
    """Whether the value of a state is at least `win` or at most `lose`; between them, the value.

    It is alpha-beta with a window that stays as it is.
    """

    algorithm = "bounded"
    options = BoundedOptions

    max_rule: ClassVar[str] = "win"
    min_rule: ClassVar[str] = "lose"

    def explore(self, root: int, remaining: float) -> Found[float]:
        """Search the root."""
        lose, win = self.settings.lose, self.settings.win
        return self.max_score(root, remaining, lose if lose > self.low else -inf, win)

    def is_exact(self, found: Found[float]) -> bool:
        """Return whether the value is more than a yes or no to the thresholds' question."""
        bound = self.bound(found.value, self.settings.lose, self.settings.win)
        return found.proven and bound is Bound.EXACT

    def floor(self, alpha: float, best: float) -> float:
        """Return `lose`; the lowest goal counts only once the role has the value of a move."""
        return alpha if best == -inf else max(alpha, self.low)

    def ceiling(self, beta: float, worst: float) -> float:  # noqa: ARG002 - the window is fixed
        """Return `win`."""
        return beta


def _enough(settings: SearchSettings) -> float:
    """Return the lowest goal that is more than half of a fixed sum for two; else the highest."""
    table, role = settings.leaf_values, settings.role
    if table.found is None or not table.constant_sum or len(settings.choosers) != 2:
        return HIGHEST_GOAL
    goals = {row.goals[role] for row in table.found if 2 * row.goals[role] > sum(row.goals)}
    return min(goals, default=HIGHEST_GOAL)
