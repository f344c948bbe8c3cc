"""The transposition table in compiled code: entries, where they stand, and which one has to go.

An entry has two words of the key, one of what is known (*meta*), and more for the value. A key has
a bucket of a few entries; a new one replaces the one whose loss costs the least. Where values take
one word a bucket has two entries: it is one line of the CPU's caches, and what stands there is the
dearest and the latest (Breuker, Uiterwijk and van den Herik 1994, "Replacement schemes for
transposition tables": their TwoBig). Else it has four. Buckets are fetched when a node's children
are made, before anybody looks into them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import BEGAN, ENDLESS, EXPANDED, HELD, RESEARCHED
from ggp.reasoner.compiled import Words, bit_length, inlined, nopython, prefetch, signed

__all__ = [
    "VALUE",
    "Table",
    "bucket_bits",
    "fetch",
    "fill",
    "hash_of",
    "is_as_deep",
    "keep",
    "kind_of",
    "look_up",
    "meta_of",
    "move_of",
    "sure_of",
    "work_of",
]

#: Where an entry's value begins.
VALUE = 3

# Words of a line of the CPU's caches.
_LINE = 8

# Where the parts of what is known begin: 2 bits for what kind it is of, 1 for sure, 6 for the work,
# 8 for the age, 16 for the joint moves that remained, 31 for the move.
_IS_SURE, _WORK, _AGE, _REMAINING, _MOVE = 2, 3, 9, 17, 33


class Table(NamedTuple):
    """The transposition table: the same memory as words and as floating-point numbers."""

    words: Words
    values: NDArray[np.float64]
    #: A bucket has 2 to the power of this many entries.
    bits: int


def bucket_bits(value_words: int) -> int:
    """Return how many entries a bucket has, as a power of 2, where values take so many words."""
    return 1 if value_words == 1 else 2


@inlined
def hash_of(first: np.uint64, second: np.uint64) -> np.uint64:
    """Mix a key."""
    mixed: np.uint64 = first * np.uint64(0x9E3779B97F4A7C15) ^ second
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@inlined
def meta_of(kind: int, sure: int, work: int, age: int, remaining: int, move: int) -> np.uint64:
    """Return what is known of a state, but for its value. The kind is not 0."""
    return (
        np.uint64(kind)
        | np.uint64(sure) << np.uint64(_IS_SURE)
        | np.uint64(work) << np.uint64(_WORK)
        | np.uint64(age & 255) << np.uint64(_AGE)
        | np.uint64(remaining) << np.uint64(_REMAINING)
        | np.uint64(move) << np.uint64(_MOVE)
    )


@inlined
def kind_of(meta: np.uint64) -> int:
    """Return what an entry knows: a search's own number, 1 to 3."""
    return signed(meta & np.uint64(3))


@inlined
def sure_of(meta: np.uint64) -> int:
    """Return whether what an entry says rests on terminal states only."""
    return signed((meta >> np.uint64(_IS_SURE)) & np.uint64(1))


@inlined
def move_of(meta: np.uint64) -> int:
    """Return the number of the best joint move that was found."""
    return signed(meta >> np.uint64(_MOVE))


@inlined
def is_as_deep(meta: np.uint64, remaining: int) -> bool:
    """Return whether an entry is sure, or of a search to the same depth."""
    depth = signed((meta >> np.uint64(_REMAINING)) & np.uint64(ENDLESS))
    return bool(sure_of(meta) or depth == remaining)


@inlined
def work_of(frames: NDArray[np.int64], counters: NDArray[np.int64], frame: int) -> int:
    """Return the bits of the number of nodes that were expanded below a frame."""
    return bit_length(counters[EXPANDED] + counters[RESEARCHED] - frames[frame, BEGAN])


@inlined
def fetch(table: Table, mixed: np.uint64) -> None:
    """Ask for the memory of the bucket of a hash: it takes its time to come."""
    per_entry = table.words.shape[1]
    begin = _bucket(table, mixed) * per_entry
    for word in range(begin, begin + (per_entry << table.bits), _LINE):
        prefetch(table.words, word)


@inlined
def look_up(table: Table, first: np.uint64, second: np.uint64, mixed: np.uint64) -> int:
    """Return the entry of a key with this hash, or -1."""
    begin = _bucket(table, mixed)
    for slot in range(begin, begin + (1 << table.bits)):
        if (
            table.words[slot, 0] == first
            and table.words[slot, 1] == second
            and table.words[slot, 2] != 0
        ):
            return slot
    return -1


@inlined
def keep(
    table: Table,
    counters: NDArray[np.int64],
    first: np.uint64,
    second: np.uint64,
    mixed: np.uint64,
    meta: np.uint64,
) -> int:
    """Make an entry, without its value; return which one it is."""
    slot = _place(table, first, second, mixed, meta)
    counters[HELD] += table.words[slot, 2] == 0
    table.words[slot, 0], table.words[slot, 1], table.words[slot, 2] = first, second, meta
    return slot


@nopython
def fill(table: Table, old: Table, counters: NDArray[np.int64], begin: int, end: int) -> None:
    """Put the entries begin <= n < end of another table into one that may know better."""
    for entry in range(begin, min(end, len(old.words))):
        first, second, meta = old.words[entry, 0], old.words[entry, 1], old.words[entry, 2]
        mixed = hash_of(first, second)
        if meta and look_up(table, first, second, mixed) < 0:
            slot = keep(table, counters, first, second, mixed, meta)
            for word in range(VALUE, table.words.shape[1]):
                table.words[slot, word] = old.words[entry, word]


@inlined
def _place(
    table: Table, first: np.uint64, second: np.uint64, mixed: np.uint64, meta: np.uint64
) -> int:
    """Return the entry of its bucket that a new one replaces.

    That is the state's own; or one that is empty; or among those of earlier searches, if there
    are any, the one that took the least work.
    """
    begin = _bucket(table, mixed)
    chosen, lowest = begin, np.uint64(1 << 62)
    for slot in range(begin, begin + (1 << table.bits)):
        known = table.words[slot, 2]
        if known == 0 or (table.words[slot, 0] == first and table.words[slot, 1] == second):
            return slot
        is_of_today = ((known ^ meta) >> np.uint64(_AGE)) & np.uint64(255) == np.uint64(0)
        worth = (known >> np.uint64(_WORK)) & np.uint64(63)
        if is_of_today:
            worth += np.uint64(64)
        if worth < lowest:
            chosen, lowest = slot, worth
    return chosen


@inlined
def _bucket(table: Table, mixed: np.uint64) -> int:
    """Return where the bucket of a hash begins."""
    buckets = np.uint64(len(table.words) >> table.bits)
    return signed((mixed >> np.uint64(32)) * buckets >> np.uint64(32)) << table.bits
