"""Bounded minimax: minimax that stops at a satisfactory result.

A max node is done as soon as the value of one of its moves is `win` or more, a min node as soon as
the value of one of its replies is `lose` or less. With the highest and the lowest goal as
thresholds, the value and the move are those of minimax. With others the search tells whether the
role can get `win`: a satisficing search, or in a game whose goals have a fixed sum of 100 the
question "more than half?" (51), which is the default where the leaf-value table shows the sum.

A state is not searched if the role can get no more than `lose` in the rows of the leaf-value table
that are possible below it, and a max node is done at the most that it can get there. A `lose` that
is the lowest goal counts only once the role has the value of a move, as alpha does in alpha-beta.

(Genesereth and Thielscher, *General Game Playing*, 2014, chapter 6.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from ggp.gdl import HIGHEST_GOAL
from ggp.graph import GameGraph, NodeExpansion
from ggp.search.role_search import BEATEN, UNBEATEN, RoleOptions, RoleSearch, mean
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Bound, Entry, Found
from ggp.search.turns import Turn, joint_move, split

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


class Bounded(RoleSearch):
    """Whether the value of a state is at least `win` or at most `lose`; between them, the value."""

    algorithm = "bounded"
    options = BoundedOptions

    def explore(self, root: int, remaining: float) -> Found[float]:
        """Search the root."""
        lose, win = self.settings.lose, self.settings.win
        return self.max_score(root, remaining, lose if lose > self.low else -inf, win)

    def is_exact(self, found: Found[float]) -> bool:
        """Return whether the value is more than a yes or no to the thresholds' question."""
        bound = self.bound(found.value, self.settings.lose, self.settings.win)
        return found.proven and bound is Bound.EXACT

    def max_score(self, node: int, remaining: float, lose: float, win: float) -> Found[float]:
        """Return what the role can get from the node: enough, too little, or exactly."""
        found = self.leaf(node, remaining) or self.probe_within(node, remaining, lose, win)
        if found is not None:
            return found
        upper = self.upper(node)
        if upper <= lose:
            return self.cut(node, upper, window=(lose, win))
        best, proven = BEATEN, True
        with self.expanding(node) as expansion:
            turn = split(expansion.legal, self.role, self.chance)
            for own in turn.own:
                floor = lose if best is BEATEN else max(lose, self.low)
                found = self.min_score(expansion, turn, own, remaining - 1, floor, win)
                proven = proven and found.proven
                if found.value > best.value:
                    best = found
                    self.improve(best)
                    if len(turn.own) > 1:
                        self.hold(self.role, best.value)
                if best.value >= min(win, upper):
                    proven = best.proven
                    rule = "win" if best.value < upper else "table"
                    window = (lose, min(win, upper))
                    skipped = turn.after_own(own)
                    self.prune(rule, skipped=skipped, window=window, value=best.value)
                    break
        best = best._replace(proven=proven)
        return self.store(node, Entry(best, remaining, self.bound(best.value, lose, win, upper)))

    def min_score(
        self,
        expansion: NodeExpansion,
        turn: Turn,
        own: int,
        remaining: float,
        lose: float,
        win: float,
    ) -> Found[float]:
        """Return what the others leave to the role after its move."""
        worst, proven, worst_reply = UNBEATEN, True, 0
        # A mean needs exact values: below chance only the extremes are thresholds.
        window = (lose, win) if len(turn.chance) == 1 else (self.low, self.high)
        for reply in turn.replies:
            outcomes = [expansion.children[own + reply + chance] for chance in turn.chance]
            found = mean([self.max_score(child, remaining, *window) for child in outcomes])
            proven = proven and found.proven
            if found.value < worst.value:
                worst, worst_reply = found, reply
                if len(turn.replies) > 1:
                    self.hold(self.role, worst.value, at_most=True)
            if worst.value <= max(lose, self.low):
                proven = worst.proven
                skipped = turn.after_reply(reply)
                self.prune("lose", skipped=skipped, window=(lose, win), value=worst.value)
                break
        worst = worst._replace(proven=proven)
        return worst.after(joint_move(expansion.legal, own + worst_reply))


def _enough(settings: SearchSettings) -> float:
    """Return the lowest goal that is more than half of a fixed sum for two; else the highest."""
    table, role = settings.leaf_values, settings.role
    if table.found is None or not table.constant_sum or len(settings.choosers) != 2:
        return HIGHEST_GOAL
    goals = {row.goals[role] for row in table.found if 2 * row.goals[role] > sum(row.goals)}
    return min(goals, default=HIGHEST_GOAL)
