"""Packed sets, and random bits, inside code that numba compiles.

A packed set is an array of words: bit i % 64, lowest first, of word i // 64 says whether i is in
it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import Words, inlined, lowest_bit, nopython, popcount, signed

__all__ = ["below", "count_bits", "find_bit", "list_bits", "mixed", "part_of", "random_bits"]

_GOLDEN = 0x9E3779B97F4A7C15


@nopython
def part_of(packed: Words, word: int, first: int, last: int) -> np.uint64:
    """Return one word of a packed set, without what is not in first <= bit < last."""
    part: np.uint64 = packed[word]
    if word == first >> 6:
        part &= ~np.uint64(0) << np.uint64(first & 63)
    if word == last >> 6:
        part &= (np.uint64(1) << np.uint64(last & 63)) - np.uint64(1)
    return part


@inlined
def count_bits(packed: Words, first: int, last: int) -> int:
    """Count the bits first <= bit < last of a packed set."""
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        count += popcount(part_of(packed, word, first, last))
    return count


@nopython
def find_bit(packed: Words, first: int, last: int, rank: int) -> int:
    """Return the place after `first` of the bit that has `rank` bits of the range before it."""
    for word in range(first >> 6, (last + 63) >> 6):
        left = part_of(packed, word, first, last)
        here = popcount(left)
        if rank < here:
            for _ in range(rank):
                left &= left - np.uint64(1)
            return 64 * word + lowest_bit(left) - first
        rank -= here
    return 0


@nopython
def list_bits(packed: Words, first: int, last: int, places: NDArray[np.int32]) -> int:
    """List the bits first <= bit < last of a packed set, counted from `first`; return how many."""
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        left = part_of(packed, word, first, last)
        while left:
            places[count] = 64 * word + lowest_bit(left) - first
            left &= left - np.uint64(1)
            count += 1
    return count


@inlined
def mixed(seed: np.uint64) -> np.uint64:
    """Return random bits that depend on a word (the finaliser of splitmix64, Vigna 2015)."""
    bits = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(bits ^ (bits >> np.uint64(31)))


@inlined
def random_bits(seed: np.uint64, number: int) -> np.uint64:
    """Return the random bits of this number that follow from a seed (splitmix64, Vigna 2015)."""
    return mixed(seed + np.uint64(_GOLDEN) * np.uint64(number))


@inlined
def below(bits: np.uint64, count: int) -> int:
    """Return a number below a count, from the upper half of random bits."""
    return signed((bits >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))
