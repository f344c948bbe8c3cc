"""And-inverter graphs in arrays, for compiled code that makes millions of gates.

The same graph as `Aig` builds, gate by gate: `both` and `conjunction` are the functions of these
names. Room is made beforehand, because compiled code cannot enlarge an array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import bit_length, nopython, signed

__all__ = ["Gates", "Graph", "both", "conjunction", "free", "sort"]

_Numbers = NDArray[np.int64]
_Literals = NDArray[np.int32]

#: A stretch of numbers no longer than this is sorted by insertion.
_SHORT = 24
#: What a key is multiplied by to spread it: 2^64 divided by the golden ratio.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class Gates(NamedTuple):
    """A graph: nodes are numbered in the order in which they are made."""

    #: int32[room]: the two input literals of each node; 0 for nodes without inputs.
    left: _Literals
    right: _Literals
    #: int32[a power of two]: the gates by their inputs, with open addressing; 0 where none is.
    table: _Literals
    #: int64[1]: how many nodes there are.
    size: _Numbers


class Graph:
    """A graph that compiled code extends."""

    def __init__(self, inputs: int) -> None:
        """Start with the constant and the inputs 1 to `inputs`."""
        room = inputs + 1
        left, right = np.zeros(room, np.int32), np.zeros(room, np.int32)
        #: Its arrays; `make_room` makes new ones.
        self.gates = Gates(left, right, np.zeros(1, np.int32), np.array([room], np.int64))

    def __len__(self) -> int:
        """Return how many nodes there are."""
        return int(self.gates.size[0])

    @property
    def operands(self) -> tuple[_Literals, _Literals]:
        """The two input literals of each node; 0 for nodes without inputs."""
        count = len(self)
        return self.gates.left[:count], self.gates.right[:count]

    def make_room(self, more: int) -> None:
        """Make room for that many more nodes."""
        count, gates = len(self), self.gates
        if count + more <= len(gates.left):
            return
        room = max(count + more, 2 * len(gates.left))
        left, right = np.zeros(room, np.int32), np.zeros(room, np.int32)
        left[:count], right[:count] = gates.left[:count], gates.right[:count]
        # it is never more than half full
        table = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
        _fill(left, right, table, count)
        self.gates = Gates(left, right, table, gates.size)

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of the OR of all."""
        values = np.array([literal ^ 1 for literal in literals], np.int64)
        self.make_room(len(values))
        return conjunction(self.gates, values, 0, len(values)) ^ 1


@nopython
def _place(table: _Literals, one: int, other: int) -> int:
    """Return where the table has a gate of two literals, or may have it."""
    key = (np.uint64(one) << _HALF | np.uint64(other)) * _SPREAD
    return signed(key >> _HALF) & (len(table) - 1)


@nopython
def _fill(left: _Literals, right: _Literals, table: _Literals, count: int) -> None:
    mask = len(table) - 1
    for node in range(count):
        if right[node]:
            place = _place(table, signed(left[node]), signed(right[node]))
            while table[place]:
                place = (place + 1) & mask
            table[place] = node


@nopython
def free(gates: Gates) -> int:
    """Return the literal of a new node without inputs."""
    node = signed(gates.size[0])
    gates.left[node] = 0
    gates.right[node] = 0
    gates.size[0] = node + 1
    return 2 * node


@nopython
def both(gates: Gates, x: int, y: int) -> int:
    """Return the literal of `x and y`."""
    one, other = min(x, y), max(x, y)
    if one <= 1:
        return other if one else 0
    if one ^ other <= 1:
        return one if one == other else 0
    left, right, table = gates.left, gates.right, gates.table
    place = _place(table, one, other)
    while table[place]:
        node = table[place]
        if left[node] == one and right[node] == other:
            return 2 * signed(node)
        place = (place + 1) & (len(table) - 1)
    new = signed(gates.size[0])
    left[new] = one
    right[new] = other
    table[place] = new
    gates.size[0] = new + 1
    return 2 * new


@nopython
def conjunction(gates: Gates, values: _Numbers, first: int, last: int) -> int:
    """Return the literal of the AND of the values from `first` up to `last`, which are spent.

    The operands are split at fixed borders of their numbers, as by a segment tree: where two
    neighbours differ in a higher bit than others, there the others are combined first.
    """
    sort(values, first, last)
    held = first
    for i in range(first, last):
        value = values[i]
        if value == 0 or (held > first and value & 1 and values[held - 1] == value - 1):
            return 0
        if value > 1 and (held == first or values[held - 1] != value):
            values[held] = value
            held += 1
    if held == first:
        return 1
    # What waits for its right neighbours is kept in front, each with the size of its segment.
    top = first
    for i in range(first, held):
        value = values[i]
        size = bit_length(value ^ values[i + 1]) if i + 1 < held else 64
        while top > first and (values[top - 1] & 127) < size:
            top -= 1
            value = both(gates, values[top] >> 7, value)
        values[top] = value << 7 | size
        top += 1
    return signed(values[first]) >> 7


@nopython
def sort(values: _Numbers, first: int, last: int) -> None:
    """Sort the values from `first` up to `last`: by insertion, or as a heap."""
    if last - first <= _SHORT:
        for i in range(first + 1, last):
            value, at = values[i], i
            while at > first and values[at - 1] > value:
                values[at] = values[at - 1]
                at -= 1
            values[at] = value
        return
    size = last - first
    for step in range(size // 2 + size - 1):
        # the first half of the steps makes the heap, the rest takes the largest off
        if step < size // 2:
            at, end = size // 2 - 1 - step, size
            value = values[first + at]
        else:
            at, end = 0, size - 1 - (step - size // 2)
            value = values[first + end]
            values[first + end] = values[first]
        below = 2 * at + 1
        while below < end:
            if below + 1 < end and values[first + below + 1] > values[first + below]:
                below += 1
            if values[first + below] <= value:
                break
            values[first + at] = values[first + below]
            at, below = below, 2 * below + 1
        values[first + at] = value
