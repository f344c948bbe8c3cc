"""The transposition table in compiled code: its entries, and which one a new one replaces.

An entry has two words of the key, one with all else that is known (the *packed* word), and more for
the value. A key has a bucket of a few entries; a new entry replaces the one whose loss costs the
least. Where values take one word a bucket has two entries: it is one line of the CPU's caches, and
it holds the most expensive and the latest (Breuker, Uiterwijk and van den Herik 1994, "Replacement
schemes for transposition tables": their TwoBig). Else it has four. Buckets are fetched when a
node's children are made, before they are probed.

Threads share a table of one-word values without locks: the second word of the key is kept mixed
with a hash of the packed word and the value, so that an entry that two threads have written at once
is found by no key (Hyatt and Mann 2002, "A lock-less transposition-table implementation for
parallel search"; without a hash two states that differ in few facts could be confused).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import ENDLESS, Counters, Frame, Records, record_type
from ggp.native.numba_support import (
    Words,
    aligned_words,
    bit_length,
    inlined,
    nopython,
    prefetch,
    signed,
)

__all__ = [
    "Entry",
    "ResizableTable",
    "Table",
    "bits_of",
    "bucket_bits",
    "fetch",
    "hash_of",
    "is_as_deep",
    "is_proven",
    "kind_of",
    "move_of",
    "new_table",
    "pack_entry",
    "probe",
    "store",
    "value_of",
    "work_of",
]

# Words of a line of the CPU's caches.
_LINE = 8

# Where the parts of the packed word begin: 2 bits for the kind of value, 1 for whether it is
# proven, 6 for the work, 8 for the age, 16 for the joint moves that remained, 31 for the move.
_IS_PROVEN, _WORK, _AGE, _REMAINING, _MOVE = 2, 3, 9, 17, 33


class Entry:
    """An entry but for its value: the key, and the packed word, 0 if the entry is empty.

    `mixed` is the exclusive or of the second word of the key and the hash of the packed word and of
    the first word of the value.
    """

    first: np.uint64
    mixed: np.uint64
    packed: np.uint64


_ENTRY = record_type(Entry, padded=False)
_ENTRY_WORDS = _ENTRY.itemsize // 8


class Table(NamedTuple):
    """The transposition table."""

    entries: Records[Entry]
    #: The value of each entry, as floating-point numbers and as words.
    values: NDArray[np.float64]
    value_words: Words
    #: All of an entry as words; the other arrays are views of this one.
    words: Words
    #: A bucket has 2 to the power of this many entries.
    bits: int


def new_table(buckets: int, value_words: int) -> Table:
    """Return an empty table with a number of buckets, for values of a number of words."""
    bits, per_entry = bucket_bits(value_words), _ENTRY_WORDS + value_words
    words = aligned_words((buckets << bits) * per_entry).reshape(-1, per_entry)
    strides = words.strides[:1]
    entries = np.ndarray(len(words), _ENTRY, buffer=words, strides=strides)
    values = words[:, _ENTRY_WORDS:]
    return Table(entries, values.view(np.float64), values, words, bits)


def bucket_bits(value_words: int) -> int:
    """Return the entries of a bucket, as a power of 2, where a value takes `value_words` words."""
    return 1 if value_words == 1 else 2


@inlined
def hash_of(first: np.uint64, second: np.uint64) -> np.uint64:
    """Mix a key."""
    mixed: np.uint64 = first * np.uint64(0x9E3779B97F4A7C15) ^ second
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@inlined
def bits_of(value: float) -> np.uint64:
    """Return a value as a word."""
    bits: np.uint64 = np.float64(value).view(np.uint64)
    return bits


@inlined
def value_of(bits: np.uint64) -> float:
    """Return the value that a word is."""
    value: float = np.uint64(bits).view(np.float64)
    return value


@inlined
def pack_entry(kind: int, proven: int, work: int, age: int, remaining: int, move: int) -> np.uint64:
    """Return the packed word of an entry; the kind is not 0."""
    return (
        np.uint64(kind)
        | np.uint64(proven) << np.uint64(_IS_PROVEN)
        | np.uint64(work) << np.uint64(_WORK)
        | np.uint64(age & 255) << np.uint64(_AGE)
        | np.uint64(remaining) << np.uint64(_REMAINING)
        | np.uint64(move) << np.uint64(_MOVE)
    )


@inlined
def kind_of(packed: np.uint64) -> int:
    """Return the kind of an entry's value: 1 to 3, as the search defines them."""
    return signed(packed & np.uint64(3))


@inlined
def is_proven(packed: np.uint64) -> int:
    """Return whether the value rests on terminal states only."""
    return signed((packed >> np.uint64(_IS_PROVEN)) & np.uint64(1))


@inlined
def move_of(packed: np.uint64) -> int:
    """Return the number of the best joint move that was found."""
    return signed(packed >> np.uint64(_MOVE))


@inlined
def is_as_deep(packed: np.uint64, remaining: int) -> bool:
    """Return whether an entry is proven, or of a search to the same depth."""
    depth = signed((packed >> np.uint64(_REMAINING)) & np.uint64(ENDLESS))
    return bool(is_proven(packed) or depth == remaining)


@inlined
def work_of(frames: Records[Frame], counters: Counters, frame: int) -> int:
    """Return the bits of the number of nodes that were expanded below a frame."""
    return bit_length(counters.expanded + counters.researched - frames[frame].began)


@inlined
def fetch(table: Table, mixed: np.uint64) -> None:
    """Request the memory of the bucket of a hash, which takes time to arrive."""
    per_entry = table.words.shape[1]
    begin = _bucket(table, mixed) * per_entry
    for word in range(begin, begin + (per_entry << table.bits), _LINE):
        prefetch(table.words, word)


@inlined
def probe(
    table: Table, first: np.uint64, second: np.uint64, mixed: np.uint64
) -> tuple[int, np.uint64, np.uint64]:
    """Return the entry of a key with this hash, its packed word, and the first word of its value.

    Without an entry they are -1, 0 and 0. Another thread may replace the entry at any time.
    """
    begin = _bucket(table, mixed)
    for slot in range(begin, begin + (1 << table.bits)):
        entry = table.entries[slot]
        packed, word = entry.packed, table.value_words[slot, 0]
        if packed and entry.first == first and entry.mixed ^ hash_of(packed, word) == second:
            return slot, packed, word
    return signed(-1), np.uint64(0), np.uint64(0)


@inlined
def store(
    table: Table,
    counters: Counters,
    first: np.uint64,
    second: np.uint64,
    mixed: np.uint64,
    packed: np.uint64,
    word: np.uint64,
) -> int:
    """Make an entry with this first word of its value; return which one it is."""
    slot = _place(table, first, second, mixed, packed)
    entry = table.entries[slot]
    counters.entries += entry.packed == 0
    entry.first, entry.mixed, entry.packed = first, second ^ hash_of(packed, word), packed
    table.value_words[slot, 0] = word
    return slot


@nopython
def _fill(table: Table, old: Table, counters: Counters, begin: int, end: int) -> None:
    """Put the entries begin <= n < end of another table into one that may know better."""
    for place in range(begin, min(end, len(old.words))):
        packed, word = old.entries[place].packed, old.value_words[place, 0]
        first, second = old.entries[place].first, old.entries[place].mixed ^ hash_of(packed, word)
        mixed = hash_of(first, second)
        if packed and probe(table, first, second, mixed)[0] < 0:
            slot = store(table, counters, first, second, mixed, packed, word)
            for column in range(1, table.value_words.shape[1]):
                table.value_words[slot, column] = old.value_words[place, column]


@inlined
def _place(
    table: Table, first: np.uint64, second: np.uint64, mixed: np.uint64, packed: np.uint64
) -> int:
    """Return the entry of its bucket that a new one replaces.

    That is the state's own entry; or an empty one; or the one that took the least work, among the
    entries of earlier searches if there are any.
    """
    begin = _bucket(table, mixed)
    chosen, lowest = begin, np.uint64(1 << 62)
    for slot in range(begin, begin + (1 << table.bits)):
        entry, known = table.entries[slot], table.entries[slot].packed
        word = table.value_words[slot, 0]
        is_own = entry.first == first and entry.mixed ^ hash_of(known, word) == second
        if known == 0 or is_own:
            return slot
        is_current = ((known ^ packed) >> np.uint64(_AGE)) & np.uint64(255) == np.uint64(0)
        cost = (known >> np.uint64(_WORK)) & np.uint64(63)
        if is_current:
            cost += np.uint64(64)
        if cost < lowest:
            chosen, lowest = slot, cost
    return chosen


@inlined
def _bucket(table: Table, mixed: np.uint64) -> int:
    """Return where the bucket of a hash begins."""
    buckets = np.uint64(len(table.words) >> table.bits)
    return signed((mixed >> np.uint64(32)) * buckets >> np.uint64(32)) << table.bits


# Bytes that a table begins with: small searches need no more, and are faster with less.
_FIRST_BYTES = 2 << 20

# By which factor a table grows: until the larger one is ready, the old one is too small.
_FACTOR = 4

# The entries that a step of growing clears (half a megabyte or more) or moves. A step takes up to a
# millisecond, as the system hands out the memory that is cleared.
_CLEARED, _MOVED = 1 << 14, 1 << 13

# The least and the most expansions between two steps, and the entries of the larger table for each
# of them. A small table is ready before the smaller one overflows; while a large one grows, the
# search still has most of the time.
_SHORTEST, _LONGEST, _PER_EXPANSION = 512, 2048, 1024

# More expansions than any search makes.
_NEVER = np.iinfo(np.int64).max


class ResizableTable:
    """A table that begins with a small part of its memory and grows as it fills.

    Growing at once would stop the search for a noticeable time, and the system may take seconds to
    hand out new memory. The table therefore grows a step at a time, while the search pauses: a
    larger table is cleared, takes the place of the smaller one, and then gets its entries. Until an
    entry is moved, the search does not find it. The expansions say when a step is due, and not a
    clock: so a search by one thread expands the same nodes each time.
    """

    def __init__(self, size: int, *, value_words: int, whole: bool = False) -> None:
        """Make an empty table.

        Args:
            size: the bytes that it takes in the end; one bucket is the minimum.
            value_words: how many words a value has.
            whole: whether it takes all memory from the beginning, so that no entry is missed while
                others are moved.
        """
        self._value_words = value_words
        per_bucket = 8 * (_ENTRY_WORDS + value_words) << bucket_bits(value_words)
        self._most = self._buckets = max(1, size // per_bucket)
        if not whole:
            # the last step is a whole one, too: two tables of nearly that size would take twice it
            while self._buckets * per_bucket > _FIRST_BYTES:
                self._buckets //= _FACTOR
        self.table = self._new(self._buckets)
        #: The table that will replace this one, and the one that it has replaced.
        self._larger: Table | None = None
        self._smaller: Table | None = None
        self._done = 0
        #: The expansions of the search after which `grow` is to be called.
        self.due = 0

    def load(self, counters: Counters) -> None:
        """Load the code that moves entries, which takes longer than moving them."""
        _fill(self._new(1), self._new(1), counters, 0, 0)

    def restart(self, counters: Counters) -> None:
        """Let a search begin, whose expansions count from 0."""
        self.due = 0
        self.grow(counters, 0)

    def grow(self, counters: Counters, expanded: int) -> None:
        """Grow a step if one is due.

        Args:
            counters: of the search; they count the entries, and those that are moved.
            expanded: the expansions of the search so far.
        """
        if expanded < self.due:
            return
        if self._larger is not None:
            self._clear(self._larger, counters)
        elif self._smaller is not None:
            self._move(self._smaller, counters)
        elif self._buckets < self._most and self._room(counters) < 0:
            grown = _FACTOR * self._buckets
            self._buckets, self._done = grown if grown * _FACTOR <= self._most else self._most, 0
            self._larger = self._new(self._buckets)
        if self._larger is not None or self._smaller is not None:
            target = self.table if self._larger is None else self._larger
            pause = len(target.words) // _PER_EXPANSION
            self.due = expanded + min(_LONGEST, max(_SHORTEST, pause))
        elif self._buckets < self._most:
            self.due = expanded + max(_SHORTEST, self._room(counters))
        else:
            self.due = _NEVER

    def _room(self, counters: Counters) -> int:
        """Return how many entries fit in before they are about to replace each other."""
        return len(self.table.words) // 4 - int(counters.entries)

    def _clear(self, larger: Table, counters: Counters) -> None:
        larger.words[self._done : self._done + _CLEARED] = 0
        self._done += _CLEARED
        if self._done >= len(larger.words):
            self.table, self._larger, self._smaller = larger, None, self.table
            self._done = counters.entries = 0

    def _move(self, smaller: Table, counters: Counters) -> None:
        _fill(self.table, smaller, counters, self._done, self._done + _MOVED)
        self._done += _MOVED
        if self._done >= len(smaller.words):
            self._smaller = None

    def _new(self, buckets: int) -> Table:
        return new_table(buckets, self._value_words)
