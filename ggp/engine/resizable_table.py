"""The transposition table of a search, which gets more memory as it fills."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import HELD
from ggp.engine.transposition_table import VALUE, Table, bucket_bits, fill
from ggp.reasoner.compiled import aligned_words

__all__ = ["GrowingTable"]

# Bytes that a table begins with: small searches need no more, and are quicker with less.
_FIRST_BYTES = 2 << 20

# By how much it grows at a time: while a larger one is made ready, the old one is too small.
_FACTOR = 8

# Entries that are cleared between two turns of a search, half a megabyte or more, or moved.
_CLEARED, _MOVED = 1 << 14, 1 << 13


class GrowingTable:
    """A table of a fixed size at most, a small part of it in the beginning.

    To grow takes as long as the search that fills it would not wait, and memory that is new may
    take seconds to be had from the system. So it is done a little at a time, between the turns of
    the search: a larger table is cleared, then it takes the place of the smaller one, and then gets
    its entries. Those that are still to come are missed for a while.
    """

    def __init__(self, size: int, *, value_words: int, whole: bool = False) -> None:
        """Make an empty table.

        Args:
            size: the bytes that it takes in the end, but for one bucket at least.
            value_words: how many words a value has.
            whole: whether it takes all of them from the beginning. Then it does not depend on time
                which entries are lost, and so how many nodes a search expands.
        """
        self._value_words, self._bits = value_words, bucket_bits(value_words)
        per_bucket = 8 * (VALUE + value_words) << self._bits
        self._most, first = (max(1, n // per_bucket) for n in (size, min(size, _FIRST_BYTES)))
        self._buckets = self._most if whole else first
        self.table = self._new(self._buckets)
        #: What will take the place of the table, and what it has taken the place of.
        self._larger: Table | None = None
        self._smaller: Table | None = None
        self._done = 0

    def load(self, counters: NDArray[np.int64]) -> None:
        """Load the code that moves entries, which takes longer than to move them."""
        fill(self._new(1), self._new(1), counters, 0, 0)

    def grow(self, counters: NDArray[np.int64]) -> None:
        """Grow a little if the entries, of which HELD says how many there are, need room."""
        if self._larger is not None:
            self._clear(self._larger, counters)
        elif self._smaller is not None:
            self._move(self._smaller, counters)
        elif self._buckets < self._most and self._is_filling(int(counters[HELD])):
            self._buckets, self._done = min(self._most, _FACTOR * self._buckets), 0
            self._larger = self._new(self._buckets)

    def _is_filling(self, held: int) -> bool:
        """Return whether entries are about to replace each other."""
        return held > len(self.table.words) // 8

    def _clear(self, larger: Table, counters: NDArray[np.int64]) -> None:
        larger.words[self._done : self._done + _CLEARED] = 0
        self._done += _CLEARED
        if self._done >= len(larger.words):
            self.table, self._larger, self._smaller = larger, None, self.table
            self._done = counters[HELD] = 0

    def _move(self, smaller: Table, counters: NDArray[np.int64]) -> None:
        fill(self.table, smaller, counters, self._done, self._done + _MOVED)
        self._done += _MOVED
        if self._done >= len(smaller.words):
            self._smaller = None

    def _new(self, buckets: int) -> Table:
        per_entry = VALUE + self._value_words
        words = aligned_words((buckets << self._bits) * per_entry).reshape(-1, per_entry)
        return Table(words, words.view(np.float64), self._bits)
