"""Proof numbers: how many leaves, at least, must be proven so that a role is sure of the best goal.

Kowalski, Soemers, Kosakowski and Winands (2025, "Generalized proof-number Monte-Carlo tree search")
keep one number for each role: a role that moves needs one of its moves, and the others need all.
`ggp.search.mcts.proofs` says it in Python.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.mcts.layout import UNKNOWN, Tree
from ggp.native.numba_support import inlined, nopython

__all__ = ["NEVER", "begin_proofs", "count_proofs", "hardest", "note_proofs", "set_aims"]

#: The proof number of what cannot be proven; sums are no larger.
NEVER = np.float32(1e9)
# That of a leaf that is proven, and of one that may be.
_SURE, _OPEN = np.float32(0.0), np.float32(1.0)


@nopython
def set_aims(tree: Tree) -> None:
    """Let each role aim at the best goal that it may still get at the root."""
    for role in range(tree.lower.shape[1]):
        tree.aims[role] = tree.upper[tree.numbers.root, role]


@inlined
def begin_proofs(tree: Tree, node: int) -> None:
    """Set the numbers of a node without children."""
    for role in range(tree.lower.shape[1]):
        if tree.lower[node, role] >= tree.aims[role]:
            tree.proofs[node, role] = _SURE
        elif tree.upper[node, role] < tree.aims[role]:
            tree.proofs[node, role] = NEVER
        else:
            tree.proofs[node, role] = _OPEN


@inlined
def note_proofs(tree: Tree, edge: int, child: int) -> None:
    """Note at an edge the numbers of its child, which may have changed."""
    for role in range(tree.lower.shape[1]):
        tree.edge_proofs[edge, role] = tree.proofs[child, role]


@inlined
def count_proofs(tree: Tree, node: int) -> None:
    """Set the numbers of a node by those at its edges, if one role chooses there."""
    begin_proofs(tree, node)
    first, mover = tree.first[node], tree.mover[node]
    if first < 0 or tree.option[node] >= 0:
        return
    for role in range(tree.lower.shape[1]):
        if tree.proofs[node, role] != _OPEN:
            continue
        least, total = NEVER, np.float32(0.0)
        for edge in range(first, first + tree.degree[node]):
            least = min(least, tree.edge_proofs[edge, role])
            total += tree.edge_proofs[edge, role]
        tree.proofs[node, role] = least if role == mover else min(total, NEVER)


@inlined
def hardest(tree: Tree, first: int, last: int, mover: int) -> np.float32:
    """Return the highest number that the role has at some edges that are open, 0 for none."""
    highest = np.float32(0.0)
    for edge in range(first, last):
        number = tree.edge_proofs[edge, mover]
        if tree.worth[edge] >= UNKNOWN and number < NEVER:
            highest = max(highest, number)
    return highest
