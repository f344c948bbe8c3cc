"""Strongly connected components of large graphs, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import nopython, signed

__all__ = ["components"]

_Nodes = NDArray[np.int32]


def components(first: NDArray[np.int64], below: _Nodes) -> _Nodes:
    """Return the number of the strongly connected component of each node.

    Tarjan's algorithm (1972), with a stack of its own instead of recursion.

    Args:
        first: int64[nodes + 1]: where the edges of each node begin.
        below: the node to which each edge points, or the negative of it.
    """
    nodes = len(first) - 1
    component = np.full(nodes, -1, np.int32)
    index, low, path, waiting = (np.zeros(nodes + 1, np.int32) for _ in range(4))
    _tarjan(first, below, component, first[:-1].copy(), index, low, path, waiting)
    return component


@nopython
def _tarjan(
    first: NDArray[np.int64],
    below: _Nodes,
    component: _Nodes,
    edge: NDArray[np.int64],
    index: _Nodes,
    low: _Nodes,
    path: _Nodes,
    waiting: _Nodes,
) -> None:
    """Fill in the components, -1 at first. The other arrays are zero, `edge` the next edges."""
    count = seen = waits = 0
    for root in range(len(component)):
        height = 0
        if not index[root]:
            path[0] = root
            height = 1
        while height > 0:
            node = signed(path[height - 1])
            if not index[node]:
                seen += 1
                index[node] = low[node] = seen
                waiting[waits] = node
                waits += 1
            if edge[node] < first[node + 1]:
                other = abs(signed(below[edge[node]]))
                edge[node] += 1
                if not index[other]:
                    path[height] = other
                    height += 1
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            height -= 1
            if height > 0:
                parent = signed(path[height - 1])
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                while component[node] < 0:
                    waits -= 1
                    component[waiting[waits]] = count
                count += 1
