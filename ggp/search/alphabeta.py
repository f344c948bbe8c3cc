"""Alpha-beta: minimax without the branches that cannot matter.

alpha is what the role can already guarantee, beta the value to which the others can limit it. A max
node is done when the value of a move is beta or more, a min node when that of a reply is alpha or
less: a player above would choose another branch. (Knuth and Moore, "An Analysis of Alpha-Beta
Pruning", 1975.)

Fail-soft (Fishburn 1983): a value outside the window is a bound of the true one, and is kept as
such in the transposition table. The window ends at the highest goal, so that a move that wins as
much as can be won ends the search of its node, as does a reply that leaves no more than the lowest
goal.

**The table.** Below a state the role can get no more than in the rows of the leaf-value table that
are possible there. A max node is not searched if that is alpha or less, and it is done when the
value of a move is as much. Before the role has the value of any move, alpha is below all goals: so
a line to a leaf is found even where every leaf gives the lowest goal.
"""

from __future__ import annotations

from math import inf
from typing import ClassVar

from ggp.graph import NodeExpansion
from ggp.search.role_search import BEATEN, UNBEATEN, RoleSearch, mean
from ggp.search.transposition_table import Entry, Found
from ggp.search.turns import Turn, joint_move, split

__all__ = ["AlphaBeta"]


class AlphaBeta(RoleSearch):
    """The value of a state and the move of minimax, with fewer states searched."""

    algorithm = "alphabeta"

    #: The rules by which a max node and a min node are done, as results of searches name them.
    max_rule: ClassVar[str] = "beta"
    min_rule: ClassVar[str] = "alpha"

    def explore(self, root: int, remaining: float) -> Found[float]:
        """Search the root."""
        return self.max_score(root, remaining, -inf, self.high)

    def floor(self, alpha: float, best: float) -> float:
        """Return alpha for the next move of a max node, whose best move so far has this value."""
        return max(alpha, best)

    def ceiling(self, beta: float, worst: float) -> float:
        """Return beta for the next reply of a min node, whose worst one so far has this value."""
        return min(beta, worst)

    def max_score(self, node: int, remaining: float, alpha: float, beta: float) -> Found[float]:
        """Return what the role can get from the node: exactly if within (alpha, beta)."""
        found = self.leaf(node, remaining) or self.probe_within(node, remaining, alpha, beta)
        if found is not None:
            return found
        upper = self.upper(node)
        if upper <= alpha:
            return self.cut(node, upper, window=(alpha, beta))
        best, proven = BEATEN, True
        with self.expanding(node) as expansion:
            turn = split(expansion.legal, self.role, self.chance)
            for own in turn.own:
                floor = self.floor(alpha, best.value)
                found = self.min_score(expansion, turn, own, remaining - 1, floor, beta)
                proven = proven and found.proven
                if found.value > best.value:
                    best = found
                    self.improve(best)
                    if len(turn.own) > 1:
                        self.hold(self.role, best.value)
                if best.value >= min(beta, upper):
                    proven = best.proven
                    rule = self.max_rule if best.value < upper else "table"
                    window = (floor, min(beta, upper))
                    skipped = turn.after_own(own)
                    self.prune(rule, skipped=skipped, window=window, value=best.value)
                    break
        best = best._replace(proven=proven)
        return self.store(node, Entry(best, remaining, self.bound(best.value, alpha, beta, upper)))

    def min_score(
        self,
        expansion: NodeExpansion,
        turn: Turn,
        own: int,
        remaining: float,
        alpha: float,
        beta: float,
    ) -> Found[float]:
        """Return what the others leave to the role after its move, if within (alpha, beta)."""
        worst, proven, worst_reply = UNBEATEN, True, 0
        for reply in turn.replies:
            ceiling = self.ceiling(beta, worst.value)
            # A mean needs exact values: below chance the window is as wide as at the root.
            window = (alpha, ceiling) if len(turn.chance) == 1 else (self.low, self.high)
            outcomes = [expansion.children[own + reply + chance] for chance in turn.chance]
            found = mean([self.max_score(child, remaining, *window) for child in outcomes])
            proven = proven and found.proven
            if found.value < worst.value:
                worst, worst_reply = found, reply
                if len(turn.replies) > 1:
                    self.hold(self.role, worst.value, at_most=True)
            if worst.value <= max(alpha, self.low):
                proven = worst.proven
                skipped, window = turn.after_reply(reply), (alpha, beta)
                self.prune(self.min_rule, skipped=skipped, window=window, value=worst.value)
                break
        worst = worst._replace(proven=proven)
        return worst.after(joint_move(expansion.legal, own + worst_reply))
