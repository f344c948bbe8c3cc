"""The memory of best-first minimax: nodes, edges, and the path to where the search is.

The tree is a graph: each state is one node, whichever moves lead to it. A node is made when the
search goes there, so that a child which is not worth to look at is an edge and no more. The edges
of a node stand together, one for each joint move, in the order of the engine's joint moves. All is
in arrays of fixed size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import new_record
from ggp.native.numba_support import Words, aligned_zeros

__all__ = ["LONGEST", "NEW", "ROUND", "Tree", "TreeNumbers", "new_tree"]

#: The longest path from the root, in joint moves.
LONGEST = 512

#: In the place of a child: its node has not been made; its state is on the path already.
NEW, ROUND = -1, -2

# Edges of a node that are reckoned with when the memory is shared out.
_EDGES = 24
# Which part of the memory the states of children take that were made last.
_RECENT = 8


class TreeNumbers:
    """How far a search is."""

    #: Nodes and edges in use, and the root.
    nodes: int
    edges: int
    root: int
    #: Where on the path the search is.
    length: int
    #: The node whose children are in the stack; -1 for none.
    held: int
    #: How many states of children have been kept so far, see `Tree.recent`.
    kept: int
    #: Nodes expanded, those of them that were expanded again, children estimated, and nodes that
    #: were known when another move led there.
    expanded: int
    researched: int
    generated: int
    transpositions: int
    #: The longest path so far.
    deepest: int
    #: The expansions that may be made.
    limit: int


class Tree(NamedTuple):
    """The graph. Values are goals of the role that the search is for."""

    numbers: TreeNumbers
    #: int32[any power of 2]: the node in each place of the hash table, -1 for none.
    buckets: NDArray[np.int32]
    #: uint64[nodes, state_words]: the state of each node.
    states: Words
    #: int32[nodes]: the first edge, -1 if the node is not expanded; how many there are; how many
    #: moves the role has, and by how much the numbers of its joint moves differ.
    first: NDArray[np.int32]
    degree: NDArray[np.int32]
    own: NDArray[np.int32]
    stride: NDArray[np.int32]
    #: int64[nodes]: the number of the first child's state among those that were kept; -1 for none.
    kept: NDArray[np.int64]
    #: int32[nodes]: the edge on which the search goes on from here; -1 for none.
    best: NDArray[np.int32]
    #: float32[nodes]: what a node is worth, and the bounds of what is proven of that.
    worth: NDArray[np.float32]
    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    #: uint8[nodes]: whether a node is on the path.
    on_path: NDArray[np.uint8]
    #: int32[edges]: the node that an edge leads to, NEW or ROUND; and the expansions below it.
    child: NDArray[np.int32]
    counts: NDArray[np.int32]
    #: float32[edges]: the same of the child as of a node.
    edge_worth: NDArray[np.float32]
    edge_lower: NDArray[np.float32]
    edge_upper: NDArray[np.float32]
    #: uint64[any power of 2, state_words]: the states of children that were made last, so that few
    #: of them have to be made once more.
    recent: Words
    #: int32[LONGEST + 1] and int32[LONGEST]: the path from the root.
    nodes: NDArray[np.int32]
    edges: NDArray[np.int32]


def new_tree(*, size: int, state_words: int) -> Tree:
    """Return an empty tree that takes `size` bytes at most."""
    of_node = aligned_zeros(_NODE, 1).itemsize + 8 * state_words + 8 + _EDGES * _EDGE.itemsize
    recent = 1 << max(6, (size // _RECENT // (8 * state_words)).bit_length() - 1)
    nodes = max(256, min((size - 8 * recent * state_words) // of_node, 2**26))
    by_node, by_edge = aligned_zeros(_NODE, nodes), aligned_zeros(_EDGE, nodes * _EDGES)
    return Tree(
        numbers=new_record(TreeNumbers),
        buckets=np.full(1 << nodes.bit_length(), -1, np.int32),
        states=np.zeros((nodes, state_words), np.uint64),
        **{name: by_node[name] for name in _NODE.names or ()},
        **{name: by_edge[name] for name in _EDGE.names or ()},
        recent=np.zeros((recent, state_words), np.uint64),
        nodes=np.zeros(LONGEST + 1, np.int32),
        edges=np.zeros(LONGEST, np.int32),
    )


# What belongs to a node, or an edge, is side by side, in one line of the CPU's caches or two.
_NODE = np.dtype(
    [
        ("kept", np.int64),
        *((name, np.int32) for name in ("first", "degree", "own", "stride", "best")),
        *((name, np.float32) for name in ("worth", "lower", "upper")),
        ("on_path", np.uint8),
    ],
    align=True,
)
_EDGE = np.dtype(
    [
        *((name, np.int32) for name in ("child", "counts")),
        *((name, np.float32) for name in ("edge_worth", "edge_lower", "edge_upper")),
    ],
    align=True,
)
