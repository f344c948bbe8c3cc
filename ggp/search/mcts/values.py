"""What nodes are worth, by what visits have found and by what is proven; and which move is best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt

from ggp.search.mcts.node import Node, Values

__all__ = ["best_of", "counted", "preferred", "recount", "recount_choices"]


def counted(node: Node, values: Values, *, child: Node | None = None) -> Values:
    """Count a visit with the values that it found; return those with which it goes on to the root.

    Where the mean of a node is out of its bounds, what is proven counts from there on, and not what
    the visit found. Single values may be out of bounds: chance and playouts scatter them.

    Args:
        node: the node.
        values: what was found.
        child: where the visit went from there; None if it ended there.
    """
    node.visits += 1
    if child is not None and node.is_aside(child):
        values = [*node.means]
    else:
        node.weight += 1
        for role, value in enumerate(values):
            node.means[role] += (value - node.means[role]) / node.weight
    proven = [node.within(role, mean) for role, mean in enumerate(node.means)]
    return [
        found if mean == bounded else bounded
        for found, mean, bounded in zip(values, node.means, proven, strict=True)
    ]


def best_of(node: Node, mover: int, *, blend: float) -> Values:
    """Return where the child that the role which moves prefers leads."""
    known = [child for child in node.children if child.visits or child.is_proven]
    best = max(known, key=lambda child: child.value(mover, blend=blend))
    return [best.value(role, blend=1) for role in range(len(best.lower))]


def recount(node: Node) -> None:
    """Make the means of a node by those of its children.

    Where one role has a choice, the moves count that may give it more than is proven; without any,
    those that surely give as much; without any, those that may.
    """
    every = list(zip(node.children, node.counts, strict=True))
    visited = [(child, n) for child, n in every if child.visits]
    if (mover := node.mover) is not None:
        low = node.lower[mover]
        more = [(child, n) for child, n in visited if child.upper[mover] > low]
        # a move that ends the game may have been known without a visit
        sure = [
            (child, max(1, n))
            for child, n in every
            if child.lower[mover] >= low and (child.visits or child.is_proven)
        ]
        visited = more or sure or [(c, n) for c, n in visited if c.upper[mover] == low]
    if total := sum(n for _, n in visited):
        node.means = [_mean_of(visited, role) for role in range(len(node.means))]
        node.weight = total


def recount_choices(node: Node) -> None:
    """Make the means of the choices in a node by those of its children."""
    left = list(zip(node.children, node.counts, product(*map(range, node.sizes)), strict=True))
    for role, choices in enumerate(node.choices):
        for move, choice in enumerate(choices):
            made = [(child, n) for child, n, moves in left if moves[role] == move and child.visits]
            if choice.visits and any(n for _, n in made):
                choice.mean = _mean_of(made, role)


def _mean_of(visited: Sequence[tuple[Node, int]], role: int) -> float:
    """Return the mean of what a role gets in nodes, weighted by their visits."""
    total = sum(visits for _, visits in visited)
    return sum(child.value(role, blend=0) * visits for child, visits in visited) / total


def preferred(
    visits: Sequence[int],
    means: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    proven: tuple[float, float],
    lowest: float,
    doubt: float,
) -> int:
    """Return the number of the move to make: one that is proven to be best, or that of most visits.

    Visits tell what a search has preferred so far, and bounds what it has learned since. A move is
    left out that cannot give more than what is proven; and the move of most visits where another
    one surely gives more than it seems to give, or seems to give more than it can.

    Args:
        visits: how often each move was made.
        means: what the role gets by each, within its bounds.
        lower: the lower bounds of that.
        upper: the upper bounds.
        proven: the bounds of the role's value in the node.
        lowest: the lowest goal of the role.
        doubt: by how much the mean of a move is trusted less that has its even share of the visits;
            it falls with the square root of its visits.
    """
    low, high = proven
    every = range(len(visits))
    if lowest < low == high:
        for number in every:
            if lower[number] >= low:
                return number
    likely = [n for n in every if upper[n] > low or lower[n] >= low] or [*every]
    tried = [number for number in likely if visits[number] > 0]
    if not tried:
        return max(likely, key=lambda number: (lower[number], means[number]))
    best = max(tried, key=visits.__getitem__)
    safe = max(likely, key=lower.__getitem__)
    if lower[safe] > means[best]:
        return safe
    even = sum(visits) / len(visits)

    def surely(number: int) -> float:
        return means[number] - doubt * sqrt(even / visits[number])

    other = max(tried, key=surely)
    return other if surely(other) > upper[best] else best
