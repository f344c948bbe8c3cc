"""How nodes are made in compiled code: the root, and all children of a node at once."""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import (
    BASE,
    BLOCK,
    ENDLESS,
    EXPANDED,
    FACTS,
    FULL,
    HAS_TABLE,
    INPUTS,
    KEY_WORDS,
    KEYS,
    LIMIT,
    LISTS,
    MAX_CHILDREN,
    MOVES,
    NEEDED,
    NEXT,
    ORDERED,
    POINTER,
    PUSHED,
    REMAINING,
    RESEARCHED,
    ROLES,
    SCRATCH,
    SHIFT,
    SPENT,
    STUCK,
    TOO_MANY,
    TOP,
    VIEW,
    WORDS,
    Frames,
    Game,
)
from ggp.engine.node import gathered, spread
from ggp.engine.transposition_table import Table, fetch, hash_of
from ggp.reasoner.compiled import Words, inlined, popcount, run, signed, transpose_lanes

__all__ = ["expand", "place_state"]


@inlined
def place_state(game: Game, stack: Frames, state: Words, remaining: int) -> None:
    """Make a packed state the only child of frame 0, from where to look so many joint moves."""
    numbers, arena, frames = game.numbers, stack.arena, stack.frames
    words = numbers[WORDS]
    for fact in range(numbers[FACTS]):
        arena[(1 + fact) * words] = (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
    arena[0] = np.uint64(numbers[POINTER])
    run(numbers[VIEW], arena)
    frames[0, :] = 0
    frames[0, TOP] = numbers[BLOCK]
    frames[0, REMAINING] = remaining if remaining == ENDLESS else remaining + 1


@inlined
def expand(
    game: Game, stack: Frames, table: Table, frame: int, block: int, lane: np.uint64, again: bool
) -> int:
    """Make the state in a lane a frame, with all its children; ask for their entries.

    Returns PUSHED, or why it cannot be done; then nothing has changed, but for NEEDED.
    """
    numbers, frames, counters, arena = game.numbers, stack.frames, stack.counters, stack.arena
    words, roles, size = numbers[WORDS], numbers[ROLES], numbers[BLOCK]
    lists = frames[frame, TOP]
    needed = lists + numbers[MOVES] + 8
    if frame + 2 >= len(frames) or needed > len(arena):
        counters[NEEDED] = needed
        return FULL
    listed = _list_legal(game, stack, frame + 1, block, lane, lists)
    total = 1
    for role in range(roles - 1, -1, -1):
        stack.turns[frame + 1, 1, role] = total
        total *= stack.turns[frame + 1, 0, role]
        if total > numbers[MAX_CHILDREN]:
            return TOO_MANY
    groups = ((total - 1) >> numbers[SHIFT]) + 1
    # keys are made for all at once where that is quick
    has_keys = total <= 64 and words == 1 and numbers[FACTS] <= 128
    keys = lists + listed
    # the order of the moves takes two words for each
    base = keys + has_keys * KEY_WORDS * ((total + 7) & ~7) + 2 * numbers[ORDERED] * listed
    base = (base + 7) & ~7
    if base + groups * size + numbers[SCRATCH] > len(arena):
        counters[NEEDED] = base + groups * size + numbers[SCRATCH]
        return FULL
    if counters[EXPANDED] + counters[RESEARCHED] >= counters[LIMIT]:
        return SPENT
    if again:
        counters[RESEARCHED] += 1
    else:
        counters[EXPANDED] += 1
    if total == 0:
        return STUCK
    row = frames[frame + 1]
    row[LISTS], row[BASE], row[TOP] = lists, base, base + groups * size
    row[KEYS] = keys if has_keys else 0
    _spread(game, arena, block, lane)
    facts, first = numbers[FACTS], words * (1 + numbers[FACTS])
    after = first + words * numbers[INPUTS]
    for group in range(groups):
        begin, place = group * 64 * words, base + group * size
        _mark(game, stack, frame + 1, begin, min(64 * words, total - begin))
        run(numbers[NEXT], game.buffer)
        arena[place] = np.uint64(numbers[POINTER])
        _copy(game.buffer, after, arena, place + words, facts * words)
        if has_keys:
            _make_keys(game, arena, table, base, keys, total)
        run(numbers[VIEW], arena[place:])
    return PUSHED


@inlined
def _make_keys(game: Game, arena: Words, table: Table, block: int, keys: int, count: int) -> None:
    """Make the keys of the states in the first lanes of a block, and fetch their buckets."""
    facts, last = game.numbers[FACTS], keys + count * KEY_WORDS
    low = ~np.uint64(0) >> np.uint64(max(0, 64 - facts))
    high = ~np.uint64(0) >> np.uint64(min(63, 128 - facts))
    for lane in range(0, count, 8):
        at = keys + lane * KEY_WORDS
        transpose_lanes(arena, block + 1, lane, at, KEY_WORDS)
        if facts > 64:
            transpose_lanes(arena, block + 65, lane, at + 1, KEY_WORDS)
    for at in range(keys, last, KEY_WORDS):
        arena[at] &= low
        arena[at + 1] = arena[at + 1] & high if facts > 64 else np.uint64(0)
        arena[at + 2] = hash_of(arena[at], arena[at + 1])
        if game.numbers[HAS_TABLE]:
            fetch(table, arena[at + 2])


@inlined
def _copy(source: Words, begin: int, target: Words, at: int, count: int) -> None:
    old, new = source[begin : begin + count], target[at : at + count]
    for i in range(count):
        new[i] = old[i]


@inlined
def _list_legal(
    game: Game, stack: Frames, frame: int, block: int, lane: np.uint64, lists: int
) -> int:
    """List the legal moves of the state in a lane, all roles' one after the other, in the arena.

    Counts each role's in `turns`; returns how many there are of all.
    """
    numbers, arena = game.numbers, stack.arena
    words = numbers[WORDS]
    legal = block + (1 + numbers[FACTS]) * words
    listed, role, counts = 0, 0, stack.turns[frame, 0]
    for other in range(numbers[ROLES]):
        counts[other] = 0
    for begin in range(0, numbers[MOVES], 64):
        count = min(64, numbers[MOVES] - begin)
        left = gathered(arena, legal + begin * words, count, words, lane)
        while left:
            lowest = left & (np.uint64(0) - left)
            left ^= lowest
            move = begin + popcount(lowest - np.uint64(1))
            while move >= game.first_move[role + 1]:
                role += 1
            counts[role] += 1
            arena[lists + listed] = np.uint64(move)
            listed += 1
    return listed


@inlined
def _spread(game: Game, arena: Words, block: int, lane: np.uint64) -> None:
    """Put the state of one lane into all lanes of the step's buffer."""
    facts, words, buffer = game.numbers[FACTS], game.numbers[WORDS], game.buffer
    if words == 1:
        rows, target = arena[block + 1 : block + 1 + facts], buffer[1 : 1 + facts]
        for fact in range(facts):
            target[fact] = np.uint64(0) - ((rows[fact] >> lane) & np.uint64(1))
    else:
        spread(game, arena, block, lane, buffer, words, words, words)


@inlined
def _mark(game: Game, stack: Frames, frame: int, begin: int, count: int) -> None:
    """Put the joint moves begin <= n < begin + count of a frame into the lanes of the step."""
    numbers, buffer, words = game.numbers, game.buffer, game.numbers[WORDS]
    first = words * (1 + numbers[FACTS])
    clear = buffer[first : first + words * numbers[INPUTS]]
    for i in range(len(clear)):
        clear[i] = np.uint64(0)
    at = stack.frames[frame, LISTS]
    for role in range(numbers[ROLES]):
        options, stride = stack.turns[frame, 0, role], stack.turns[frame, 1, role]
        done, left, lane = signed(0), stride, 0
        if options == 1:
            left = count
        elif begin:
            done, left = begin // stride % options, stride - begin % stride
        while lane < count:
            last = min(count, lane + left)
            move = signed(stack.arena[at + done])
            if len(game.sets):
                for column in range(game.sets.shape[1]):
                    some = game.sets[move, column]
                    while some:
                        lowest = some & (np.uint64(0) - some)
                        some ^= lowest
                        row = 64 * column + popcount(lowest - np.uint64(1))
                        _set_lanes(buffer, first + row * words, lane, last)
            elif words == 1:
                # all lanes are in the same word
                buffer[first + move] |= _lanes(lane, last)
            else:
                _set_lanes(buffer, first + move * words, lane, last)
            lane, left = last, stride
            done = done + 1 if done + 1 < options else 0
        at += options


@inlined
def _set_lanes(buffer: Words, row: int, begin: int, end: int) -> None:
    """Set the lanes begin <= n < end of a row."""
    while begin < end:
        last = min(end, (begin & ~63) + 64)
        buffer[row + (begin >> 6)] |= _lanes(begin, last)
        begin = last


@inlined
def _lanes(begin: int, end: int) -> np.uint64:
    """Return the lanes begin <= n < end, which are some of the same word."""
    return ~np.uint64(0) >> np.uint64(64 - (end - begin)) << np.uint64(begin & 63)
