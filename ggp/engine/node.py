"""Nodes in compiled code: what stands in a lane of a block, and which states are on the path."""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import (
    BLOCK,
    FACTS,
    KEY_WORDS,
    KEYS,
    MOVES,
    ROLES,
    SHIFT,
    WORDS,
    Frames,
    Game,
)
from ggp.engine.transposition_table import hash_of
from ggp.reasoner.compiled import Words, gather, inlined, signed

__all__ = [
    "child_key",
    "enter_path",
    "gathered",
    "goal_of",
    "is_on_path",
    "is_terminal",
    "key_of",
    "key_of_state",
    "lane_of",
    "leave_path",
    "legal_count",
    "spread",
]

# What stands in a lane


@inlined
def lane_of(game: Game, base: int, child: int) -> tuple[int, np.uint64]:
    """Return where a child of the frame with this base stands: its block and its lane.

    To the block is added the word in which its lane is.
    """
    numbers = game.numbers
    group, word = child >> numbers[SHIFT], (child >> 6) & (numbers[WORDS] - 1)
    return base + group * numbers[BLOCK] + word, np.uint64(child & 63)


@inlined
def is_terminal(game: Game, arena: Words, block: int, lane: np.uint64) -> bool:
    """Return whether the game is over in a lane."""
    numbers = game.numbers
    row = block + (1 + numbers[FACTS] + numbers[MOVES]) * numbers[WORDS]
    return bool((arena[row] >> lane) & np.uint64(1))


@inlined
def goal_of(game: Game, arena: Words, block: int, lane: np.uint64, role: int) -> float:
    """Return the goal of a role in a lane; -1 if it has none, or several."""
    numbers, words = game.numbers, game.numbers[WORDS]
    over = block + (2 + numbers[FACTS] + numbers[MOVES]) * words
    held, value = 0, -1.0
    for goal in range(game.first_goal[role], game.first_goal[role + 1]):
        if (arena[over + goal * words] >> lane) & np.uint64(1):
            held += 1
            value = float(game.goals[goal])
    bad = over + (game.first_goal[numbers[ROLES]] + role) * words
    if held != 1 or (arena[bad] >> lane) & np.uint64(1):
        return -1.0
    return value


@inlined
def spread(
    game: Game,
    arena: Words,
    block: int,
    lane: np.uint64,
    target: Words,
    place: int,
    step: int,
    count: int,
) -> None:
    """Put the state in a lane into all lanes of `count` words; facts are `step` words apart."""
    words = game.numbers[WORDS]
    for fact in range(game.numbers[FACTS]):
        held = np.uint64(0) - ((arena[block + (1 + fact) * words] >> lane) & np.uint64(1))
        for word in range(count):
            target[place + word] = held
        place += step


@inlined
def legal_count(
    game: Game, arena: Words, block: int, lane: np.uint64, first: int, last: int
) -> int:
    """Return how many of the moves first <= m < last are legal in a lane."""
    words, count = game.numbers[WORDS], 0
    legal = block + (1 + game.numbers[FACTS]) * words
    for move in range(first, last):
        count += signed((arena[legal + move * words] >> lane) & np.uint64(1))
    return count


# Keys, and the path from the root


@inlined
def key_of_state(game: Game, state: Words) -> tuple[np.uint64, np.uint64]:
    """Return the key of a packed state, as `key_of` does of a lane."""
    if game.numbers[FACTS] <= 128:
        return state[0], state[1] if len(state) > 1 else np.uint64(0)
    first, second = np.uint64(0), np.uint64(0)
    for fact in range(game.numbers[FACTS]):
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
    facts, words = game.numbers[FACTS], game.numbers[WORDS]
    if facts <= 128:
        low = gathered(arena, block + words, min(64, facts), words, lane)
        if facts <= 64:
            return low, np.uint64(0)
        return low, gathered(arena, block + 65 * words, facts - 64, words, lane)
    first, second = np.uint64(0), np.uint64(0)
    if words == 1:
        rows = arena[block + 1 : block + 1 + facts]
        one, other = game.random[0], game.random[1]
        for fact in range(facts):
            held = np.uint64(0) - ((rows[fact] >> lane) & np.uint64(1))
            first ^= one[fact] & held
            second ^= other[fact] & held
    else:
        for fact in range(facts):
            held = np.uint64(0) - ((arena[block + (1 + fact) * words] >> lane) & np.uint64(1))
            first ^= game.random[0, fact] & held
            second ^= game.random[1, fact] & held
    return first, second


@inlined
def gathered(arena: Words, begin: int, count: int, words: int, lane: np.uint64) -> np.uint64:
    """Return the bits of a lane in up to 64 rows, and at least 1."""
    if words == 1:
        return gather(arena, begin, lane) & ~np.uint64(0) >> np.uint64(64 - count)
    bits = np.uint64(0)
    for i in range(count):
        bits |= ((arena[begin + i * words] >> lane) & np.uint64(1)) << np.uint64(i)
    return bits


@inlined
def child_key(
    game: Game, stack: Frames, frame: int, child: int, block: int, lane: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the key of a child of a frame, which stands in a lane, and its hash."""
    arena, at = stack.arena, stack.frames[frame, KEYS]
    if at:
        at += child * KEY_WORDS
        return arena[at], arena[at + 1], arena[at + 2]
    first, second = key_of(game, arena, block, lane)
    return first, second, hash_of(first, second)


@inlined
def is_on_path(
    stack: Frames, frame: int, first: np.uint64, second: np.uint64, mixed: np.uint64
) -> bool:
    """Return whether the state of this key is being searched, in this frame or above."""
    if stack.on_path[mixed & np.uint64(len(stack.on_path) - 1)]:
        for above in range(frame, 0, -1):
            if stack.keys[above, 0] == first and stack.keys[above, 1] == second:
                return True
    return False


@inlined
def enter_path(
    stack: Frames, frame: int, first: np.uint64, second: np.uint64, mixed: np.uint64
) -> None:
    """Note that the state of this key is searched in a frame."""
    stack.keys[frame, 0], stack.keys[frame, 1], stack.keys[frame, 2] = first, second, mixed
    stack.on_path[mixed & np.uint64(len(stack.on_path) - 1)] += np.uint16(1)


@inlined
def leave_path(stack: Frames, frame: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Note that the state of a frame is searched no more, and return its key and its hash."""
    first, second, mixed = stack.keys[frame]
    stack.on_path[mixed & np.uint64(len(stack.on_path) - 1)] -= np.uint16(1)
    return first, second, mixed
