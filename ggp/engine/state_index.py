"""The hash table of a tree: finds the node of a state."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ggp.engine.mcts.atomic import read
from ggp.engine.transposition_table import hash_of
from ggp.native.numba_support import Words, inlined, signed

__all__ = ["StateIndex", "find_node", "hash_of_node"]


class StateIndex(Protocol):
    """What a tree has for it."""

    @property
    def buckets(self) -> NDArray[np.int32]:
        """int32[any power of 2]: the node in each place of the hash table, -1 for none."""

    @property
    def states(self) -> Words:
        """uint64[nodes, state_words]: the state of each node."""


@inlined
def hash_of_node(index: StateIndex, node: int) -> np.uint64:
    """Mix the packed state of a node."""
    mixed = np.uint64(0)
    for column in range(index.states.shape[1]):
        mixed = hash_of(index.states[node, column], mixed)
    return mixed


@inlined
def _is_same(index: StateIndex, one: int, other: int) -> bool:
    """Return whether two nodes have the same state."""
    for column in range(index.states.shape[1]):
        if index.states[one, column] != index.states[other, column]:
            return False
    return True


@inlined
def find_node(index: StateIndex, node: int, start: np.uint64) -> tuple[int, int]:
    """Search the hash table from a place for the state of a node.

    Returns the place where it is, and its node; or the place where it would be, and -1.
    """
    mask = len(index.buckets) - 1
    slot = signed(start) & mask
    while True:
        known = signed(read(index.buckets, slot))
        if known < 0 or _is_same(index, known, node):
            return slot, known
        slot = (slot + 1) & mask
