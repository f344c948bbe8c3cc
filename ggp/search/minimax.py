"""Minimax: the whole tree, nothing skipped. The tests compare every other search with it.

    maxscore(state) = max over the role's moves of minscore(state, move)
    minscore(state, move) = min over the others' replies of maxscore(next state)

(von Neumann 1928; in general game playing: Genesereth and Thielscher, *General Game Playing*, 2014,
chapter 6. Where two players of a zero-sum game take turns, this is the negamax `NodeValue`.)
"""

from __future__ import annotations

from ggp.graph import NodeExpansion
from ggp.search.role_search import BEATEN, UNBEATEN, RoleSearch, mean
from ggp.search.transposition_table import Entry, Found
from ggp.search.turns import Turn, joint_move, split

__all__ = ["Minimax"]


class Minimax(RoleSearch):
    """The value of a state, by searching everything that can follow."""

    algorithm = "minimax"

    def explore(self, root: int, remaining: float) -> Found[float]:
        """Search the root."""
        return self.max_score(root, remaining)

    def max_score(self, node: int, remaining: float) -> Found[float]:
        """Return the most that the role can get from the node; the first of equal moves."""
        found = self.leaf(node, remaining) or self.probe_within(node, remaining)
        if found is not None:
            return found
        best, all_proven = BEATEN, True
        with self.expanding(node) as expansion:
            turn = split(expansion.legal, self.role, self.chance)
            for own in turn.own:
                found = self.min_score(expansion, turn, own, remaining - 1)
                all_proven = all_proven and found.proven
                if found.value > best.value:
                    best = found
                    self.improve(best)
                    if len(turn.own) > 1:
                        self.hold(self.role, best.value)
        is_highest = best.proven and best.value >= self.high
        best = best._replace(proven=all_proven or is_highest)
        return self.store(node, Entry(best, remaining))

    def min_score(
        self, expansion: NodeExpansion, turn: Turn, own: int, remaining: float
    ) -> Found[float]:
        """Return the least that the role gets for a move, over all replies."""
        worst, all_proven, worst_reply = UNBEATEN, True, 0
        for reply in turn.replies:
            outcomes = [expansion.children[own + reply + chance] for chance in turn.chance]
            found = mean([self.max_score(child, remaining) for child in outcomes])
            all_proven = all_proven and found.proven
            if found.value < worst.value:
                worst, worst_reply = found, reply
                if len(turn.replies) > 1:
                    self.hold(self.role, worst.value, at_most=True)
        is_lowest = worst.proven and worst.value <= self.low
        worst = worst._replace(proven=all_proven or is_lowest)
        return worst.after(joint_move(expansion.legal, own + worst_reply))
