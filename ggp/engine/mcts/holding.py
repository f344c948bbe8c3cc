"""What threads that share a tree change at once, and what one at a time changes."""

from __future__ import annotations

import numpy as np

from ggp.engine.mcts.atomic import acquire, add, release
from ggp.engine.mcts.layout import Tree
from ggp.native.numba_support import inlined

__all__ = ["change", "hold", "let_go"]


@inlined
def hold(tree: Tree, node: int) -> None:
    """Wait for the lock of a node, and hold it."""
    if tree.numbers.threads > 1:
        acquire(tree.locks, node)


@inlined
def let_go(tree: Tree, node: int) -> None:
    """Let other threads have the lock of a node."""
    if tree.numbers.threads > 1:
        release(tree.locks, node)


@inlined
def change(tree: Tree, counts: np.ndarray, place: int, step: int) -> None:
    """Change a count that all threads change, without a lock."""
    if tree.numbers.threads > 1:
        add(counts, place, step)
    else:
        counts[place] += step
