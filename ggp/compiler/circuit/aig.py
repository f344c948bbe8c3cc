"""And-inverter graphs: gates with two inputs, built so that no two are the same.

Structural hashing and constant folding as in Kuehlmann, Paruthi, Krohm and Ganai (2002) "Robust
Boolean reasoning for equivalence checking and functional property verification". A literal is
``2 * node``, or ``2 * node + 1`` for its negation; node 0 is the constant false.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from ggp.compiler.circuit.circuit import FALSE, TRUE

__all__ = ["Aig"]

# Two literals are packed into one key.
_SHIFT = 32


class Aig:
    """A graph that grows: nodes are numbered in the order in which they are made."""

    def __init__(self, inputs: int) -> None:
        """Start with the constant and the inputs 1 to `inputs`."""
        #: The two input literals of each node; 0 for nodes without inputs.
        self.left = [0] * (inputs + 1)
        self.right = [0] * (inputs + 1)
        self._gates: dict[int, int] = {}

    def free(self) -> int:
        """Return the literal of a new node without inputs."""
        self.left.append(0)
        self.right.append(0)
        return 2 * len(self.left) - 2

    def both(self, one: int, other: int) -> int:
        """Return the literal of `one and other`."""
        if one > other:
            one, other = other, one
        if one <= TRUE:
            return other if one else FALSE
        if one ^ other <= 1:
            return one if one == other else FALSE
        key = one << _SHIFT | other
        found = self._gates.get(key)
        if found is None:
            found = self._gates[key] = 2 * len(self.left)
            self.left.append(one)
            self.right.append(other)
        return found

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of the AND of all.

        The operands are split at fixed borders of their numbers, as by a segment tree: what two
        wide conjunctions have in common is mostly the same gates.
        """
        operands = sorted(set(literals))
        if operands and operands[0] <= TRUE:
            if operands[0] == FALSE:
                return FALSE
            del operands[0]
        for one, other in pairwise(operands):
            if one ^ other == 1 and not one & 1:
                return FALSE
        if len(operands) > 1:
            return self._segment(operands, 0, len(operands))
        return operands[0] if operands else TRUE

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of the OR of all."""
        return self.conjunction([literal ^ 1 for literal in literals]) ^ 1

    def _segment(self, operands: list[int], low: int, high: int) -> int:
        """Return the AND of the operands from `low` up to `high`: at least two."""
        first, last = operands[low], operands[high - 1]
        if high - low == 2:
            return self.both(first, last)
        # The highest bit in which the operands differ.
        size = (first ^ last).bit_length() - 1
        border = bisect_left(operands, last >> size << size, low, high)
        return self.both(
            first if border == low + 1 else self._segment(operands, low, border),
            last if border == high - 1 else self._segment(operands, border, high),
        )
