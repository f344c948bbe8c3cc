"""The compiled part of `Derivation`: a depth-first walk that makes the gates of each atom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.gates import Gates, conjunction, free
from ggp.compiler.circuit.sums import Products, sum_of_products
from ggp.native.numba_support import nopython, signed

__all__ = ["Walk", "derive"]

_Literals = NDArray[np.int32]


class Walk(NamedTuple):
    """A ground program, and how far the walk has come."""

    #: The rules of each atom, the literals of each rule, as in `GroundProgram`.
    first_rule: _Literals
    first_literal: _Literals
    literals: _Literals
    #: int32[atoms + 1]: the literal of the graph for each atom; -1 if it is not known.
    found: _Literals
    #: int32[atoms + 1]: for each atom on the path its latch, 0 as long as it has none; -1 for all
    #: others.
    begun: _Literals
    #: int32[atoms + 1, 2]: latches, each a node and the literal that drives it.
    latches: _Literals
    #: How many atoms are on the stack, and the number of latches.
    counts: NDArray[np.int64]


@nopython
def derive(
    gates: Gates, walk: Walk, stack: _Literals, given: Products, times: _Literals, budget: int
) -> int:
    """Walk on, until about `budget` literals of rules were read, or the stack is empty.

    Returns the number of nodes for which there must be room before the walk can go on; else 0.

    Args:
        gates: where the gates go.
        walk: how far the walk has come.
        stack: the path, with the atoms that come next at each step.
        given: memory for the products of any atom.
        times: zero for each literal of the graph for which there is room.
        budget: literals to read.
    """
    found, begun, counts = walk.found, walk.begun, walk.counts
    height = counts[0]
    room = 0
    while height > 0 and budget > 0:
        atom = signed(stack[height - 1])
        if found[atom] >= 0 and begun[atom] < 0:
            height -= 1
            continue
        first, last = walk.first_rule[atom], walk.first_rule[atom + 1]
        low, high = signed(walk.first_literal[first]), signed(walk.first_literal[last])
        needed = high - low + last - first + 2
        if gates.size[0] + needed > len(gates.left):
            room = needed
            break
        budget -= high - low + 1
        if begun[atom] < 0:
            begun[atom] = 0
            for place in range(low, high):
                below = abs(signed(walk.literals[place]))
                if found[below] >= 0:
                    continue
                if begun[below] < 0:
                    stack[height] = below
                    height += 1
                else:  # it depends on itself
                    found[below] = begun[below] = free(gates)
            continue
        height -= 1
        latch = begun[atom]
        begun[atom] = -1
        literal = _sum(gates, walk, first, last, given, times)
        if latch > 0:
            walk.latches[counts[1], 0] = latch >> 1
            walk.latches[counts[1], 1] = literal
            counts[1] += 1
        else:
            found[atom] = literal
    counts[0] = height
    return room


@nopython
def _sum(gates: Gates, walk: Walk, first: int, last: int, given: Products, times: _Literals) -> int:
    """Return the literal of the OR of rules."""
    size = 0
    for rule in range(first, last):
        given.start[rule - first] = size
        for place in range(walk.first_literal[rule], walk.first_literal[rule + 1]):
            atom = signed(walk.literals[place])
            given.factors[size] = walk.found[abs(atom)] ^ (atom < 0)
            size += 1
        given.end[rule - first] = size
    if last - first == 1:
        return conjunction(gates, given.factors, 0, size)
    return sum_of_products(gates, given, last - first, times)
