"""What compiled code says of packed sets is compared with sets of Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ggp.native.bits import below, count_bits, find_bit, list_bits, random_bits
from ggp.native.numba_support import Words, lowest_bit, nopython

SIZE = 200
members = st.sets(st.integers(0, SIZE - 1))
bounds = st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(sorted)


def packed(numbers: set[int]) -> Words:
    whole = sum(1 << number for number in numbers)
    return np.frombuffer(whole.to_bytes(32, "little"), np.uint64).copy()


@nopython
def lowest(word: np.uint64) -> int:
    return lowest_bit(word)


@nopython
def drawn(seed: np.uint64, number: int, count: int) -> int:
    return below(random_bits(seed, number), count)


@given(members, bounds)
def test_what_is_in_a_range(numbers: set[int], within: list[int]) -> None:
    first, last = within
    expected = [number - first for number in sorted(numbers) if first <= number < last]
    places = np.empty(SIZE, np.int32)
    words = packed(numbers)
    assert count_bits(words, first, last) == len(expected)
    assert places[: list_bits(words, first, last, places)].tolist() == expected
    assert [find_bit(words, first, last, rank) for rank in range(len(expected))] == expected


@given(st.integers(0, 2**64 - 1))
def test_the_lowest_bit(word: int) -> None:
    expected = (word & -word).bit_length() - 1 if word else 64
    assert lowest(np.uint64(word)) == expected


def test_numbers_below_a_count_are_drawn_evenly() -> None:
    seed, count = np.uint64(7), 5
    found = [drawn(seed, number, count) for number in range(10_000)]
    times = np.bincount(found, minlength=count)
    assert len(times) == count
    assert np.all(np.abs(times - 2_000) < 200)
    assert found == [drawn(seed, number, count) for number in range(10_000)]
