"""Keys of states in compiled code: for the path from the root, and for the transposition table."""

from __future__ import annotations

import numpy as np

from ggp.engine.block import bit, fact_row
from ggp.engine.layout import Game
from ggp.native.numba_support import Words, gather, inlined, nopython

__all__ = [
    "gathered",
    "key_of",
    "key_of_state",
    "set_counting",
    "table_key",
    "table_key_of_state",
]


@inlined
def key_of_state(game: Game, state: Words) -> tuple[np.uint64, np.uint64]:
    """Return the key of a packed state, as `key_of` does of a lane."""
    if game.numbers.facts <= 128:
        return state[0], state[1] if len(state) > 1 else np.uint64(0)
    first, second = np.uint64(0), np.uint64(0)
    for fact in range(game.numbers.facts):
        if (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
            first ^= game.random[0, fact]
            second ^= game.random[1, fact]
    return first, second


@inlined
def key_of(game: Game, arena: Words, block: int, lane: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the key of the state in a lane.

    A state of up to 128 facts is its own key. Of a larger one the key is the exclusive or of 128
    random bits for each fact: two states have the same with probability 2^-128, whatever they are,
    since the bits do not depend on the game. Among 10^10 states in the table and 10^12 that are
    looked up, that any is mistaken for another has a probability below 10^-16.
    """
    facts, words = game.numbers.facts, game.numbers.words
    if facts <= 128:
        low = gathered(arena, fact_row(game, block, 0), min(64, facts), words, lane)
        if facts <= 64:
            return low, np.uint64(0)
        return low, gathered(arena, fact_row(game, block, 64), facts - 64, words, lane)
    first, second = np.uint64(0), np.uint64(0)
    if words == 1:
        begin = fact_row(game, block, 0)
        rows = arena[begin : begin + facts]
        one, other = game.random[0], game.random[1]
        for fact in range(facts):
            held = np.uint64(0) - bit(rows, fact, lane)
            first ^= one[fact] & held
            second ^= other[fact] & held
    else:
        for fact in range(facts):
            held = np.uint64(0) - bit(arena, fact_row(game, block, fact), lane)
            first ^= game.random[0, fact] & held
            second ^= game.random[1, fact] & held
    return first, second


@inlined
def table_key(
    game: Game, arena: Words, block: int, lane: np.uint64, first: np.uint64, second: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return the key in the transposition table of the state in a lane, given that of the state."""
    if game.numbers.facts <= 128:
        return first & game.numbers.low_mask, second & game.numbers.high_mask
    if game.numbers.is_counting:
        for fact in game.ignored:
            held = np.uint64(0) - bit(arena, fact_row(game, block, fact), lane)
            first ^= game.random[0, fact] & held
            second ^= game.random[1, fact] & held
    return first, second


@inlined
def table_key_of_state(game: Game, state: Words) -> tuple[np.uint64, np.uint64]:
    """Return the key in the transposition table of a packed state."""
    first, second = key_of_state(game, state)
    if game.numbers.facts <= 128:
        return first & game.numbers.low_mask, second & game.numbers.high_mask
    if game.numbers.is_counting:
        for fact in game.ignored:
            if (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
                first ^= game.random[0, fact]
                second ^= game.random[1, fact]
    return first, second


@nopython
def set_counting(game: Game, is_counting: int) -> None:
    """Leave the facts that only count out of the keys in the transposition table, or do not."""
    numbers = game.numbers
    numbers.is_counting = is_counting
    numbers.low_mask = numbers.high_mask = ~np.uint64(0)
    if is_counting:
        for fact in game.ignored:
            if fact < 64:
                numbers.low_mask &= ~(np.uint64(1) << np.uint64(fact))
            elif fact < 128:
                numbers.high_mask &= ~(np.uint64(1) << np.uint64(fact - 64))


@inlined
def gathered(arena: Words, begin: int, count: int, words: int, lane: np.uint64) -> np.uint64:
    """Return the bits of a lane in up to 64 rows, and at least 1."""
    if words == 1:
        return gather(arena, begin, lane) & ~np.uint64(0) >> np.uint64(64 - count)
    bits = np.uint64(0)
    for i in range(count):
        bits |= bit(arena, begin + i * words, lane) << np.uint64(i)
    return bits
