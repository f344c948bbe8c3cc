"""The order in which the legal moves are computed, so that few values are in use at a time.

A value that many moves need, such as whether a square is attacked, is computed for the first of
them and kept until the last. Moves that share an argument often share such values: the target of a
move, for example. Of the orders by one argument or by two neighbours, the best is found by trying
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Literals
from ggp.compiler.circuit.gates import Graph
from ggp.kif import Compound, Term
from ggp.native.numba_support import nopython, signed

__all__ = ["order_moves"]

#: The role of a move, as a number, and the move.
_Move: TypeAlias = tuple[int, Term]

#: The values of a smaller graph are all in the caches.
_FEW_NODES = 50_000
#: Arguments after these are not looked at.
_MOST_ARGUMENTS = 6


def order_moves(graph: Graph, legal: Sequence[int], moves: Sequence[_Move]) -> list[int]:
    """Return the numbers of all moves, in the order in which to compute whether they are legal.

    Args:
        graph: the gates.
        legal: the literal of each move.
        moves: the moves, each with the number of its role; one role comes after the other.
    """
    if len(graph) < _FEW_NODES:
        return [*range(len(moves))]
    left, right = graph.operands
    nodes = np.array(legal, np.int64) >> 1
    place, last = np.empty(len(graph), np.int32), np.empty(len(graph), np.int32)
    stack = np.empty(2 * len(graph), np.int32)

    def cost(order: NDArray[np.int64]) -> int:
        return _total_time(left, right, nodes[order], place, last, stack)

    best: NDArray[np.int64] = min(_orders(moves), key=cost)
    return [*map(int, best)]


def _orders(moves: Sequence[_Move]) -> Iterator[NDArray[np.int64]]:
    """Yield the order as it is, and those by arguments."""
    yield np.arange(len(moves))
    roles = np.array([role for role, _ in moves])
    rows = [move.arguments if isinstance(move, Compound) else () for _, move in moves]
    columns = []
    for k in range(min(_MOST_ARGUMENTS, max(map(len, rows), default=0))):
        texts = [str(row[k]) if k < len(row) else "" for row in rows]
        columns.append(np.unique(texts, return_inverse=True)[1])
    for k, column in enumerate(columns):
        yield np.lexsort((column, roles))
        if k:
            yield np.lexsort((column, columns[k - 1], roles))


@nopython
def _total_time(
    left: Literals,
    right: Literals,
    roots: NDArray[np.int64],
    place: Literals,
    last: Literals,
    stack: Literals,
) -> int:
    """Return for how many steps values are kept, in all, if the roots are computed in their order.

    Args:
        left: the first input of each node; 0 for nodes without inputs.
        right: the second one.
        roots: the nodes that are computed.
        place: room for a number of each node.
        last: room for a number of each node.
        stack: room for two nodes of each.
    """
    place[:] = -1
    made = 0
    for root in roots:
        height = 1
        stack[0] = root
        while height > 0:
            node = signed(stack[height - 1])
            if place[node] >= 0 or right[node] == 0:
                height -= 1
                continue
            before = height
            for below in (right[node] >> 1, left[node] >> 1):
                if place[below] < 0 and right[below] != 0:
                    stack[height] = below
                    height += 1
            if height == before:
                height -= 1
                place[node] = last[node] = made
                made += 1
                for below in (right[node] >> 1, left[node] >> 1):
                    if place[below] >= 0:
                        last[below] = place[node]
    for root in roots:
        last[root] = place[root]  # it is kept in any case
    total = 0
    for node in range(len(place)):
        if place[node] >= 0:
            total += last[node] - place[node]
    return total
