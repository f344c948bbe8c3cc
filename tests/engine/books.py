"""Checks of the tree that an engine searches."""

from __future__ import annotations

import numpy as np

from ggp.engine.mcts.layout import EDGES, NODES, VISITS
from ggp.engine.mcts.search import TreeEngine

__all__ = ["check_tree"]


def check_tree(search: TreeEngine, *, is_whole: bool = False) -> None:
    """Check that the books of a tree agree, when no visit is under way.

    A tree is whole if one search has made it all, and nothing was dropped.
    """
    search._make_room()
    tree, nodes = search._tree, int(search._tree.totals[NODES])
    assert 0 < nodes <= len(tree.visits)
    assert (tree.begun[:nodes] == tree.visits[:nodes]).all()
    assert not tree.locks[:nodes].any()
    assert (tree.flags[:nodes] <= 1).all()
    assert (tree.lower[:nodes] <= tree.upper[:nodes]).all()
    visited = np.flatnonzero(tree.visits[:nodes])
    for values in (tree.best[visited], tree.values[visited]):
        assert (values >= tree.lower[visited] - 1e-3).all()
        assert (values <= tree.upper[visited] + 1e-3).all()
    known = tree.buckets[tree.buckets >= 0]
    assert sorted(known.tolist()) == list(range(nodes))
    assert len(np.unique(tree.states[:nodes], axis=0)) == nodes
    arrived = np.zeros(nodes, np.int64)
    for node in np.flatnonzero(tree.first[:nodes] >= 0).tolist():
        edges = slice(int(tree.first[node]), int(tree.first[node] + tree.degree[node]))
        assert edges.stop <= tree.totals[EDGES]
        assert ((tree.child[edges] >= 0) & (tree.child[edges] < nodes)).all()
        assert (tree.counts[edges] >= 0).all()
        np.add.at(arrived, tree.child[edges], tree.counts[edges])
        _check_options(search, node, int(tree.counts[edges].sum()))
    if is_whole:
        arrived[tree.numbers.root] += search._tree.totals[VISITS]
        assert (arrived == tree.visits[:nodes]).all()


def _check_options(search: TreeEngine, node: int, chosen: int) -> None:
    """Check that each role has chosen one of its moves in each visit that went on from a node."""
    tree, place = search._tree, int(search._tree.option[node])
    if place < 0:
        return
    sizes = tree.option_counts[place : place + tree.lower.shape[1]]
    begin = place + len(sizes)
    for size in sizes.tolist():
        options = slice(begin, begin + size)
        assert (tree.option_counts[options] == tree.option_visits[options]).all()
        assert tree.option_counts[options].sum() == chosen
        begin += size
