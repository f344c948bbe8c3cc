"""Evaluates circuits with numpy, level by level: 64 states in a word, many words at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit

__all__ = ["States", "WideCircuit"]

#: A state in each row: whether each fact is true.
States: TypeAlias = NDArray[np.bool_]
#: A node in each row, a state in each bit.
_Words: TypeAlias = NDArray[np.uint64]

_WORD = 64


class WideCircuit:
    """A circuit without loops, for evaluation of many states at once.

    It needs no machine code, and so no time to compile or to load it.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Sort the gates by their level."""
        self.circuit = circuit
        depth = circuit.levels
        order = np.argsort(depth, kind="stable")
        #: Where the value of each node stands: those of a level are neighbours.
        self._place = np.empty(len(depth), np.int64)
        self._place[order] = np.arange(len(depth))
        ends = np.searchsorted(np.sort(depth), np.arange(max(depth) + 2))
        gates = circuit.gates[order].astype(np.int64)
        sources, flips = self._place[gates >> 1], _flips(gates)
        #: For each level above the inputs where it stands, what it is made of, and what is negated.
        self._levels = [
            (slice(first, last), sources[first:last].T, flips[first:last].T[:, :, None])
            for first, last in pairwise(ends[1:].tolist())
        ]
        self._of_role = [slice(own.start, own.stop) for own in circuit.own_moves]

    def walk(
        self, starts: States, *, lanes: int, steps: int, seed: int
    ) -> Iterator[tuple[States, States]]:
        """Yield the steps of random plays: the states before, and those after.

        A play that is over, or in which a role has no move, begins again.

        Args:
            starts: where plays may begin.
            lanes: how many plays there are; a multiple of 64.
            steps: how many joint moves are made in each.
            seed: makes the plays repeatable.
        """
        chance = np.random.default_rng(seed)
        again = starts[np.arange(lanes) % len(starts)]
        states = again
        for _ in range(steps):
            after, goes_on = self._stepped(states, chance)
            yield states[goes_on], after[goes_on]
            states = np.where(goes_on[:, None], after, again)

    def _stepped(
        self, states: States, chance: np.random.Generator
    ) -> tuple[States, NDArray[np.bool_]]:
        """Return the states after a step, and whether there is one from each state."""
        circuit, lanes = self.circuit, len(states)
        moves = np.zeros((lanes, len(circuit.legal)), bool)
        look = self._values(np.hstack([states, moves]))
        legal = self._bits(look, circuit.legal.tolist(), lanes)
        goes_on = ~self._bits(look, [circuit.terminal], lanes)[:, 0]
        rows = np.arange(lanes)
        for of_role in self._of_role:
            own = legal[:, of_role]
            if own.shape[1]:
                drawn = np.where(own, chance.random(own.shape, np.float32), -1).argmax(axis=1)
                moves[rows, of_role.start + drawn] = True
            goes_on &= own.any(axis=1)
        after = self._values(np.hstack([states, moves]))
        return self._bits(after, circuit.next.tolist(), lanes), goes_on

    def _values(self, inputs: NDArray[np.bool_]) -> _Words:
        """Return the values of all nodes, in their places, for inputs with a state in each row."""
        columns = np.ascontiguousarray(inputs.T)
        words = np.packbits(columns, axis=1, bitorder="little").view(np.uint64)
        values = np.zeros((len(self._place), words.shape[1]), np.uint64)
        values[self._place[1 : len(words) + 1]] = words
        for where, (left, right), (left_flip, right_flip) in self._levels:
            values[where] = (values[left] ^ left_flip) & (values[right] ^ right_flip)
        return values

    def _bits(self, values: _Words, literals: Sequence[int], lanes: int) -> NDArray[np.bool_]:
        """Return the values of literals, a state in each row."""
        wanted = np.array(literals, np.int64)
        rows = values[self._place[wanted >> 1]] ^ _flips(wanted)[:, None]
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little", count=lanes)
        return bits.T.astype(bool)


def _flips(literals: NDArray[np.int64]) -> _Words:
    """Return what negates the values of those literals that are negative."""
    return -(literals & 1).astype(np.uint64)
