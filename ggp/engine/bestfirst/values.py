"""What a node is worth by its children, and which of them the search looks at next.

The role gets what its best move gets, and a move gets what the worst reply to it leaves: by the
worth of the children, and by their bounds. The search goes on with the best move whose value is not
proven, and the worst reply to it of those that are not proven (completion: Cohen-Solal 2020,
"Learning to play two-player perfect-information games without knowledge", Section 5).
"""

from __future__ import annotations

import numpy as np

from ggp.engine.bestfirst.layout import ROUND, Tree
from ggp.native.numba_support import inlined, nopython, signed

__all__ = ["renew", "take"]

_ABOVE = np.float32(1e9)


@inlined
def take(tree: Tree, edge: int, node: int) -> bool:
    """Let an edge have what its child is worth; return whether that is new."""
    is_new = (
        tree.edge_worth[edge] != tree.worth[node]
        or tree.edge_lower[edge] != tree.lower[node]
        or tree.edge_upper[edge] != tree.upper[node]
    )
    tree.edge_worth[edge] = tree.worth[node]
    tree.edge_lower[edge], tree.edge_upper[edge] = tree.lower[node], tree.upper[node]
    return bool(is_new)


@nopython
def renew(tree: Tree, node: int) -> bool:
    """Make the value of an expanded node, and where to go on; return whether the value is new."""
    first, degree = signed(tree.first[node]), signed(tree.degree[node])
    own, stride = signed(tree.own[node]), signed(tree.stride[node])
    worth, lower, upper = -_ABOVE, -_ABOVE, -_ABOVE
    best, best_worth, best_upper = signed(-1), -_ABOVE, -_ABOVE
    for at in range(own):
        begin, end = first + at * stride, first + degree
        value, low, high = _move(tree, begin, end, own * stride, stride)
        lower, upper = max(lower, low), max(upper, high)
        worth = max(worth, value)
        is_better = value > best_worth or best_upper <= lower
        if is_better and lower < high and low < high:
            edge = _worst_open(tree, begin, end, own * stride, stride, high)
            if edge >= 0:
                best, best_worth, best_upper = edge, value, high
    if best >= 0 and best_upper <= lower:
        best = _best_open(tree, node, lower)
    is_new = worth != tree.worth[node] or lower != tree.lower[node] or upper != tree.upper[node]
    tree.worth[node], tree.lower[node], tree.upper[node] = worth, lower, upper
    tree.best[node] = best
    return bool(is_new)


@inlined
def _move(
    tree: Tree, first: int, last: int, step: int, stride: int
) -> tuple[np.float32, np.float32, np.float32]:
    """Return what a move gets by the worst of the replies to it, and the bounds of that."""
    low, high, least = _ABOVE, _ABOVE, _ABOVE
    for begin in range(first, last, step):
        for edge in range(begin, begin + stride):
            low = min(low, tree.edge_lower[edge])
            high = min(high, tree.edge_upper[edge])
            least = min(least, tree.edge_worth[edge])
    return min(max(least, low), high), low, high


@inlined
def _worst_open(tree: Tree, first: int, last: int, step: int, stride: int, high: np.float32) -> int:
    """Return the edge of the worst reply to a move that is not proven, and may matter; or -1."""
    worst, least = signed(-1), _ABOVE
    for begin in range(first, last, step):
        for edge in range(begin, begin + stride):
            low = tree.edge_lower[edge]
            is_open = low < tree.edge_upper[edge] and low < high and tree.child[edge] != ROUND
            if is_open and tree.edge_worth[edge] < least:
                worst, least = signed(edge), tree.edge_worth[edge]
    return worst


@nopython
def _best_open(tree: Tree, node: int, lower: np.float32) -> int:
    """Return the edge of the best move that may get more than another one surely gets; or -1."""
    first, degree = signed(tree.first[node]), signed(tree.degree[node])
    own, stride = signed(tree.own[node]), signed(tree.stride[node])
    best, best_worth = signed(-1), -_ABOVE
    for at in range(own):
        begin, end = first + at * stride, first + degree
        value, low, high = _move(tree, begin, end, own * stride, stride)
        if low < high and high > lower and value > best_worth:
            edge = _worst_open(tree, begin, end, own * stride, stride, high)
            if edge >= 0:
                best, best_worth = edge, value
    return best
