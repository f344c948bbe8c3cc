"""Score bounds: what is proven of a node's max-n value, by what is proven of its children.

Cazenave and Saffidine (2010, "Score bounded Monte-Carlo tree search", section 3) keep bounds of the
score of two players. Here each role has bounds, which are combined as max-n combines values: the
role that moves gets the highest value, and the others get what they have after a move that it may
prefer. Of equal moves max-n prefers the first.

Where several roles choose at once, a role gets at least what one of its moves guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from statistics import fmean

from ggp.search.leaf_values import LeafValueTable
from ggp.search.mcts.node import Node

__all__ = ["Limits", "chosen_equal", "open_moves"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Tightens bounds: by those of the children, and by the leaf-value table."""

    #: The least and the most that all roles get together at a leaf.
    minsum: float
    maxsum: float
    #: The number of the role that plays chance; None without one.
    chance: int | None

    @classmethod
    def of(cls, table: LeafValueTable, *, chance: int | None) -> Limits:
        """Return the limits that a table gives."""
        return cls(*table.goal_sums, chance)

    def settle(self, node: Node) -> None:
        """Tighten the bounds of an expanded node by those of its children, and note a change."""
        before = [*node.lower], [*node.upper]
        node.seen = [child.changes for child in node.children]
        if node.mover is None:
            self._combine(node)
        else:
            _take_preferred(node, node.mover)
        if before == (node.lower, node.upper):
            return
        node.changes += 1
        for role in range(len(node.lower)):
            others_low = sum(node.lower) - node.lower[role]
            others_high = sum(node.upper) - node.upper[role]
            _limit(node, role, self.minsum - others_high, self.maxsum - others_low)

    def _combine(self, node: Node) -> None:
        """Tighten the bounds of a node at which several roles choose, or chance does."""
        numbers = list(product(*map(range, node.sizes)))
        for role in range(len(node.sizes)):
            lower = {n: c.lower[role] for n, c in zip(numbers, node.children, strict=True)}
            upper = {n: c.upper[role] for n, c in zip(numbers, node.children, strict=True)}
            if self.chance is not None:
                lower, upper = (_expected(each, self.chance) for each in (lower, upper))
            guaranteed = (
                min(low for number, low in lower.items() if number[role] == move)
                for move in {number[role] for number in lower}
            )
            _limit(node, role, max(guaranteed), max(upper.values()))


def open_moves(node: Node) -> list[int]:
    """Return the numbers of the joint moves that may give more than is proven.

    Others need not be looked at by the role that chooses.
    """
    mover = node.mover
    return [
        number
        for number, child in enumerate(node.children)
        if mover is None or child.upper[mover] > node.lower[mover]
    ]


def chosen_equal(node: Node, mover: int) -> int:
    """Return the number of a joint move in a node whose role has a proven best move.

    What the others get may rest on other moves that are as good: of these, the one with the fewest
    visits is next.
    """
    unproven = [
        number
        for number, child in enumerate(node.children)
        if child.upper[mover] == node.lower[mover] and not child.is_proven
    ]
    return min(unproven or [0], key=node.counts.__getitem__)


def _take_preferred(node: Node, mover: int) -> None:
    """Tighten the bounds of a node at which one role chooses."""
    lows = [child.lower[mover] for child in node.children]
    low, attained = max(lows), lows.index(max(lows))
    # what the role may choose: a move as good as the first of the best, but not after it
    candidates = [
        child
        for number, child in enumerate(node.children)
        if child.upper[mover] > low or (child.upper[mover] == low and number <= attained)
    ]
    for role in range(len(node.lower)):
        if role == mover:
            _limit(node, role, low, max(child.upper[role] for child in node.children))
        else:
            lowest = min(child.lower[role] for child in candidates)
            _limit(node, role, lowest, max(child.upper[role] for child in candidates))


def _expected(values: dict[tuple[int, ...], float], chance: int) -> dict[tuple[int, ...], float]:
    """Return the mean over the moves of chance for all moves of the others."""
    gathered: dict[tuple[int, ...], list[float]] = {}
    for number, value in values.items():
        gathered.setdefault((*number[:chance], 0, *number[chance + 1 :]), []).append(value)
    return {number: fmean(each) for number, each in gathered.items()}


def _limit(node: Node, role: int, low: float, high: float) -> None:
    node.lower[role] = min(max(node.lower[role], low), node.upper[role])
    node.upper[role] = max(min(node.upper[role], high), node.lower[role])
