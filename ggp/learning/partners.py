"""Pairs of facts as inputs of a network, beside the facts themselves.

A pair has a row of weights, which counts where both of its facts are true. When a fact changes, so
do the pairs in which the other fact is true: so the sums of a state still follow from those of the
state before.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ggp.learning.vectors import UNITS, add, subtract
from ggp.native.numba_support import Words, inlined, signed

__all__ = ["Partners", "flip", "holds"]


class Partners(NamedTuple):
    """The pairs of each fact."""

    #: int32[facts + 1]: where those of each fact begin.
    first: NDArray[np.int32]
    #: int32[2 * pairs]: the other fact of each, and the number of the pair's row of weights.
    others: NDArray[np.int32]
    rows: NDArray[np.int32]

    @classmethod
    def of(cls, pairs: NDArray[np.int32], *, facts: int, begin: int) -> Self:
        """Return the partners of facts.

        Args:
            pairs: int32[pairs, 2]: numbers of facts.
            facts: how many there are.
            begin: the row of the first pair; the others follow.
        """
        own, others = np.concatenate((pairs, pairs[:, ::-1])).T
        order = np.argsort(own, kind="stable")
        first = np.searchsorted(own[order], np.arange(facts + 1)).astype(np.int32)
        rows = (begin + np.tile(np.arange(len(pairs)), 2)).astype(np.int32)
        return cls(first, np.ascontiguousarray(others[order]), rows[order])


@inlined
def holds(state: Words, fact: int) -> bool:
    """Return whether a fact is true in a packed state."""
    is_true: bool = (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1) != 0
    return is_true


@inlined
def flip(
    state: Words,
    fact: int,
    is_true: bool,
    partners: Partners,
    sums: NDArray[np.int16] | NDArray[np.int32],
    begin: int,
    weights: NDArray[np.int16],
    hidden: int,
) -> None:
    """Change a fact of a packed state, and with it the sums of the hidden units from `begin` on.

    Without pairs nothing reads the state, and it stays as it is.
    """
    _shift(sums, begin, weights, fact * hidden, hidden, is_true)
    if len(partners.rows) > 0:
        state[fact >> 6] ^= np.uint64(1) << np.uint64(fact & 63)
        for place in range(partners.first[fact], partners.first[fact + 1]):
            if holds(state, signed(partners.others[place])):
                row = signed(partners.rows[place]) * hidden
                _shift(sums, begin, weights, row, hidden, is_true)


@inlined
def _shift(
    sums: NDArray[np.int16] | NDArray[np.int32],
    begin: int,
    weights: NDArray[np.int16],
    row: int,
    hidden: int,
    is_true: bool,
) -> None:
    """Add the weights from `row` on to sums, or subtract them."""
    if is_true:
        for unit in range(0, hidden, UNITS):
            add(sums, begin + unit, weights, row + unit)
    else:
        for unit in range(0, hidden, UNITS):
            subtract(sums, begin + unit, weights, row + unit)
