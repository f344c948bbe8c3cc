"""Makes room in a tree: what the root no longer leads to goes, then what was visited least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.engine.mcts.expand import link
from ggp.engine.mcts.layout import EDGES, NODES, OPTIONS, Tree
from ggp.native.numba_support import nopython

__all__ = ["collect"]


def collect(tree: Tree, *, share: float) -> None:
    """Drop nodes until the rest takes no more than a share of the memory.

    The children of the nodes that were visited least are dropped first; the bounds and means of
    these nodes remain. No visit may be under way, and no thread
    may have taken nodes that it has not made.
    """
    numbers, nodes = tree.numbers, int(tree.totals[NODES])
    marks = np.zeros(nodes, np.uint8)
    queue = np.zeros(nodes, np.int32)
    room = np.array([len(tree.visits), len(tree.child), len(tree.option_counts)]) * share
    threshold = 1
    while True:
        marks[:] = 0
        taken = np.zeros(3, np.int64)
        _mark(tree, threshold, marks, queue, taken)
        if (taken <= room).all() or threshold > tree.visits[numbers.root]:
            break
        threshold *= 2
    kept = np.flatnonzero(marks)
    renamed = np.full(nodes, -1, np.int32)
    renamed[kept] = np.arange(len(kept), dtype=np.int32)
    tree.first[kept[marks[kept] == 1]] = -1
    tree.option[kept[marks[kept] == 1]] = -1
    _move(tree, kept, renamed)
    by_node: tuple[NDArray[Any], ...] = (
        tree.states, tree.visits, tree.begun, tree.weight, tree.means, tree.best, tree.values,
        tree.lower, tree.upper, tree.changes, tree.proofs,
        tree.first, tree.degree, tree.mover, tree.option, tree.flags,
    )  # fmt: skip
    for array in by_node:
        array[: len(kept)] = array[kept]
    tree.totals[NODES], numbers.is_full = len(kept), 0
    numbers.root = int(renamed[numbers.root])
    tree.buckets[:] = -1
    link(tree)


def _move(tree: Tree, kept: NDArray[np.int64], renamed: NDArray[np.int32]) -> None:
    """Move the edges and the options of the kept nodes to the beginning."""
    edges = options = 0
    kept_proofs = (tree.edge_proofs,) if tree.numbers.ease else ()
    kept_regrets = (tree.option_regrets,) if tree.numbers.by_regret else ()
    expanded = kept[tree.first[kept] >= 0]
    for node in expanded[np.argsort(tree.first[expanded])].tolist():
        begin, count = int(tree.first[node]), int(tree.degree[node])
        tree.child[edges : edges + count] = renamed[tree.child[begin : begin + count]]
        for array in (tree.counts, tree.seen, tree.worth, *kept_proofs):
            array[edges : edges + count] = array[begin : begin + count]
        tree.first[node] = edges
        edges += count
    roles = tree.lower.shape[1]
    shared = kept[tree.option[kept] >= 0]
    for node in shared[np.argsort(tree.option[shared])].tolist():
        begin = int(tree.option[node])
        count = roles + int(tree.option_counts[begin : begin + roles].sum())
        for array in (tree.option_counts, tree.option_visits, tree.option_means, *kept_regrets):
            array[options : options + count] = array[begin : begin + count]
        tree.option[node] = options
        options += count
    tree.totals[EDGES], tree.totals[OPTIONS] = edges, options


@nopython
def _mark(
    tree: Tree,
    threshold: int,
    marks: NDArray[np.uint8],
    queue: NDArray[np.int32],
    taken: NDArray[np.int64],
) -> None:
    """Mark what the root leads to: 2 for nodes that stay expanded, 1 for others; count both.

    Only the root and nodes with enough visits stay expanded.
    """
    root, begin, end = tree.numbers.root, 0, 1
    queue[0], marks[root] = root, 1
    while begin < end:
        node = queue[begin]
        begin += 1
        taken[0] += 1
        if tree.first[node] >= 0 and (node == root or tree.visits[node] >= threshold):
            marks[node] = 2
            taken[1] += tree.degree[node]
            place = tree.option[node]
            if place >= 0:
                for role in range(tree.lower.shape[1]):
                    taken[2] += 1 + tree.option_counts[place + role]
            for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
                child = tree.child[edge]
                if marks[child] == 0:
                    marks[child] = 1
                    queue[end] = child
                    end += 1
