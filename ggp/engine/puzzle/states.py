"""A set of packed states in compiled code: which states of a batch are new?

A state is known by two hashes of 64 bits. That any two of a hundred million states have the same
128 bits has a probability of about 10 ** -23.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import Words, nopython

__all__ = ["StateSet"]

# The entries of the smallest table, and the share of the entries that may be used.
_SMALLEST, _LOAD = 1 << 12, 0.6

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class StateSet:
    """The states that were met before, as far as a mask tells them apart."""

    def __init__(self, mask: Words) -> None:
        """Begin with an empty set.

        Args:
            mask: the bits that tell states apart: uint64[words].
        """
        self._mask = mask
        self.clear()

    def clear(self) -> None:
        """Forget all states, and free the memory."""
        self._entries: Words = np.zeros((_SMALLEST, 2), np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def bytes_with(self, more: int) -> int:
        """Return the bytes that the set takes at most while `more` states are added."""
        size = self._size_for(more)
        return 16 * (size if size == len(self._entries) else size + len(self._entries))

    def add(self, states: Words) -> NDArray[np.bool_]:
        """Return which states, uint64[n, words], are new, and add them; of equal ones the first."""
        size = self._size_for(len(states))
        if size != len(self._entries):
            larger: Words = np.zeros((size, 2), np.uint64)
            _move(self._entries, larger)
            self._entries = larger
        is_new = np.zeros(len(states), np.bool_)
        self._count += _add(states, self._mask, self._entries, is_new)
        return is_new

    def _size_for(self, more: int) -> int:
        size = len(self._entries)
        while self._count + more > _LOAD * size:
            size *= 2
        return size


@nopython
def _add(states: Words, mask: Words, entries: Words, is_new: NDArray[np.bool_]) -> int:
    """Add states to a table with room for them; note which ones are new, and return how many."""
    added, last = 0, np.uint64(len(entries) - 1)
    for number in range(len(states)):
        first, second = np.uint64(0), np.uint64(0)
        for word in range(len(mask)):
            bits = states[number, word] & mask[word]
            first = (first ^ bits) * _FIRST
            first ^= first >> np.uint64(32)
            second = (second + bits) * _SECOND
            second ^= second >> np.uint64(29)
        first = (first ^ second >> np.uint64(17)) * _SECOND
        first ^= first >> np.uint64(31)
        second |= np.uint64(1)  # that of an empty entry is 0
        place = first & last
        while entries[place, 1] and (entries[place, 0] != first or entries[place, 1] != second):
            place = (place + np.uint64(1)) & last
        if entries[place, 1] == 0:
            entries[place, 0], entries[place, 1] = first, second
            is_new[number] = True
            added += 1
    return added


@nopython
def _move(entries: Words, larger: Words) -> None:
    """Put the entries of a table into an empty, larger one."""
    last = np.uint64(len(larger) - 1)
    for number in range(len(entries)):
        if entries[number, 1]:
            place = entries[number, 0] & last
            while larger[place, 1]:
                place = (place + np.uint64(1)) & last
            larger[place, 0], larger[place, 1] = entries[number, 0], entries[number, 1]
