"""Makes room in a tree: what the root does not lead to goes, then what was searched least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.bestfirst.layout import NEW, Tree
from ggp.engine.bestfirst.loop import link
from ggp.native.numba_support import nopython, signed

__all__ = ["collect"]


def collect(tree: Tree, *, share: float) -> None:
    """Drop nodes until the rest takes no more than a share of the memory.

    Of the nodes to which an edge leads with the fewest expansions below it, the edges are dropped
    first; their values remain. The path ends at the root.
    """
    numbers = tree.numbers
    marks, queue = np.zeros(numbers.nodes, np.uint8), np.zeros(numbers.nodes, np.int32)
    taken, threshold = np.zeros(2, np.int64), 1
    room = np.array([len(tree.first), len(tree.child)]) * share
    while True:
        marks[:], taken[:] = 0, 0
        _mark(tree, threshold, marks, queue, taken)
        if (taken <= room).all() or taken[0] == 1 + tree.degree[numbers.root]:
            break
        threshold *= 2
    renamed = np.full(len(marks), NEW, np.int32)
    kept = np.flatnonzero(marks)
    renamed[kept] = np.arange(len(kept), dtype=np.int32)
    # edges stand in the order in which nodes were expanded, and not in that of the nodes
    expanded = np.flatnonzero((marks == 2) & (tree.first[: len(marks)] >= 0))
    _move_edges(tree, expanded[np.argsort(tree.first[expanded])], renamed)
    _move_nodes(tree, kept, marks)
    numbers.root, numbers.nodes = int(renamed[numbers.root]), len(kept)
    numbers.length, numbers.held = 0, -1
    tree.on_path[: len(kept)] = 0
    tree.nodes[0] = numbers.root
    tree.on_path[numbers.root] = 1
    tree.buckets[:] = -1
    link(tree)


@nopython
def _mark(
    tree: Tree,
    threshold: int,
    marks: NDArray[np.uint8],
    queue: NDArray[np.int32],
    taken: NDArray[np.int64],
) -> None:
    """Mark what the root leads to: 2 for nodes that stay expanded, 1 for others; count both."""
    root = tree.numbers.root
    begin, end = signed(0), signed(1)
    queue[0], marks[root] = root, 2
    while begin < end:
        node = queue[begin]
        begin += 1
        taken[0] += 1
        if tree.first[node] < 0 or marks[node] < 2:
            continue
        taken[1] += tree.degree[node]
        for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
            child = tree.child[edge]
            if child >= 0 and marks[child] == 0:
                marks[child] = 2 if tree.counts[edge] >= threshold else 1
                queue[end] = child
                end += 1


@nopython
def _move_edges(tree: Tree, expanded: NDArray[np.int64], renamed: NDArray[np.int32]) -> None:
    """Move the edges of some nodes to the beginning, in the order in which they stand."""
    edges = signed(0)
    for node in expanded:
        begin = signed(tree.first[node])
        if tree.best[node] >= 0:
            tree.best[node] += edges - begin
        tree.first[node] = edges
        for edge in range(begin, begin + tree.degree[node]):
            child = tree.child[edge]
            tree.child[edges] = renamed[child] if child >= 0 else child
            tree.counts[edges] = tree.counts[edge]
            tree.edge_worth[edges] = tree.edge_worth[edge]
            tree.edge_lower[edges] = tree.edge_lower[edge]
            tree.edge_upper[edges] = tree.edge_upper[edge]
            edges += 1
    tree.numbers.edges = edges


@nopython
def _move_nodes(tree: Tree, kept: NDArray[np.int64], marks: NDArray[np.uint8]) -> None:
    """Move nodes to the beginning."""
    for new in range(len(kept)):
        node = kept[new]
        for column in range(tree.states.shape[1]):
            tree.states[new, column] = tree.states[node, column]
        is_leaf = marks[node] == 1
        tree.first[new] = -1 if is_leaf else tree.first[node]
        tree.best[new] = -1 if is_leaf else tree.best[node]
        tree.degree[new], tree.own[new] = tree.degree[node], tree.own[node]
        tree.kept[new] = tree.kept[node]
        tree.stride[new], tree.worth[new] = tree.stride[node], tree.worth[node]
        tree.lower[new], tree.upper[new] = tree.lower[node], tree.upper[node]
