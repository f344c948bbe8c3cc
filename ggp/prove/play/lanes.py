"""The loop of random plays over the gates of a machine, compiled by numba.

A value is some words, and each bit of them belongs to a play. Where a play is over, its bit begins
a new one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.bits import mixed, random_bits
from ggp.native.numba_support import Words, lowest_bit, nopython

__all__ = ["LANES", "LOOP", "drawn", "play_lanes"]

_WORDS = 8
#: Plays at once, and the steps of the longest.
LANES, _MAX_STEPS = 64 * _WORDS, 2_000
#: A state that comes back after more steps than this is not noticed.
LOOP = 8
_KEPT = LOOP + 1

_Literals = NDArray[np.uint32]


@nopython
def drawn(seed: np.uint64, step: int, number: int, word: int) -> np.uint64:
    """Return the random word of an input, by its number, in a step."""
    return random_bits(mixed(seed + np.uint64(step)), number * _WORDS + word)


@nopython
def play_lanes(
    values: Words,
    left: _Literals,
    right: _Literals,
    gates: _Literals,
    inputs: _Literals,
    latches: _Literals,
    following: _Literals,
    live: np.uint32,
    looked_at: _Literals,
    shortest: NDArray[np.int64],
    places: NDArray[np.int64],
    history: Words,
    began: NDArray[np.int64],
    restarts: Words,
    seed: np.uint64,
    first: int,
    count: int,
) -> int:
    """Make steps until one shows something new, or that many are made; return the next one.

    Args:
        values: uint64[words, nodes], changed in place: those of the latches are the states.
        left: uint32[nodes], the first literal of each gate.
        right: uint32[nodes], the second one.
        gates: the nodes to compute, in their order.
        inputs: the nodes of the inputs.
        latches: the nodes of the latches.
        following: the literal of the next value of each.
        live: the literal that a step is made.
        looked_at: literals to look for.
        shortest: int64[literals + 1], the states of the shortest play that shows each, and of that
            which comes back to a state; 0 where there is none.
        places: int64[literals + 1, 2], the step and the lane of the last state of each such play.
        history: uint64[LOOP + 1, words, latches], the states of this and the last steps, each at
            the step's number modulo LOOP + 1.
        began: int64[LANES], the step of the first state of each play.
        restarts: uint64[LOOP + 1, words], the plays that began with each of these steps.
        seed: of what is drawn.
        first: the number of the first step.
        count: how many steps to make.
    """
    step, is_new, loop = first, False, len(looked_at)
    while step < first + count and not is_new:
        for word in range(_WORDS):
            for number in range(len(inputs)):
                values[word, inputs[number]] = drawn(seed, step, number, word)
            _compute(values, left, right, gates, word)
            for number in range(loop):
                seen = _value(values, word, looked_at[number])
                if _is_shorter(seen, word, step, began, number, shortest, places):
                    is_new = True
            goes_on = _value(values, word, live)
            if shortest[loop] == 0:
                again = _same_as_before(values, word, goes_on, latches, history, restarts, step)
                if _is_shorter(again, word, step, began, loop, shortest, places):
                    is_new = True
            over = ~goes_on
            for bit in range(64):
                if step + 1 - began[64 * word + bit] >= _MAX_STEPS:
                    over |= np.uint64(1) << np.uint64(bit)
            restarts[(step + 1) % _KEPT, word] = over
            # the next value of a latch may be the value of another one
            for latch in range(len(latches)):
                after = _value(values, word, following[latch]) & ~over
                history[(step + 1) % _KEPT, word, latch] = after
            for latch in range(len(latches)):
                values[word, latches[latch]] = history[(step + 1) % _KEPT, word, latch]
            while over:
                began[64 * word + lowest_bit(over)] = step + 1
                over &= over - np.uint64(1)
        step += 1
    return step


@nopython
def _value(values: Words, word: int, literal: np.uint32) -> np.uint64:
    """Return the value of a literal."""
    flip = np.uint64(0) - (np.uint64(literal) & np.uint64(1))
    return np.uint64(values[word, literal >> np.uint32(1)] ^ flip)


@nopython
def _compute(values: Words, left: _Literals, right: _Literals, gates: _Literals, word: int) -> None:
    """Compute one word of all gates."""
    for place in range(len(gates)):
        node = gates[place]
        values[word, node] = _value(values, word, left[node]) & _value(values, word, right[node])


@nopython
def _is_shorter(
    seen: np.uint64,
    word: int,
    step: int,
    began: NDArray[np.int64],
    number: int,
    shortest: NDArray[np.int64],
    places: NDArray[np.int64],
) -> bool:
    """Note the shortest of the plays that show something; return whether it is a new one."""
    is_new = False
    while seen:
        lane = 64 * word + lowest_bit(seen)
        seen &= seen - np.uint64(1)
        length = step - began[lane] + 1
        if shortest[number] == 0 or length < shortest[number]:
            shortest[number] = length
            places[number, 0], places[number, 1] = step, lane
            is_new = True
    return is_new


@nopython
def _same_as_before(
    values: Words,
    word: int,
    live: np.uint64,
    latches: _Literals,
    history: Words,
    restarts: Words,
    step: int,
) -> np.uint64:
    """Return the plays that go on and whose state is one of those before."""
    found = np.uint64(0)
    for back in range(1, min(LOOP, step) + 1):
        # a play that began after that state did not have it
        live &= ~restarts[(step - back + 1) % _KEPT, word]
        same = live
        for latch in range(len(latches)):
            if same == 0:
                break
            then = history[(step - back) % _KEPT, word, latch]
            same &= ~(values[word, latches[latch]] ^ then)
        found |= same
    return found
