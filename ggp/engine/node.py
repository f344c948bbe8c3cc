"""Nodes in compiled code: the state in a lane, the path from the root, and expansion."""

from __future__ import annotations

import numpy as np

from ggp.engine.block import bit, fact_row, is_terminal, lane_of, legal_row
from ggp.engine.keys import gathered, key_of, table_key
from ggp.engine.layout import (
    ENDLESS,
    FULL,
    HORIZON,
    KEY_WORDS,
    OPEN,
    PUSHED,
    REPEATED,
    SPENT,
    STATE_WORDS,
    STUCK,
    TERMINAL,
    TOO_MANY,
    Game,
    SearchStack,
)
from ggp.engine.transposition_table import Table, fetch, hash_of
from ggp.native.numba_support import (
    Words,
    inlined,
    lowest_bit,
    run,
    signed,
    transpose_lanes,
)

__all__ = [
    "can_move",
    "enter_path",
    "expand",
    "expand_and_fetch",
    "leave_path",
    "legal_count",
    "place_state",
    "spread",
    "visit",
]

# What a lane holds


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
    row, words = fact_row(game, block, 0), game.numbers.words
    for _ in range(game.numbers.facts):
        held = np.uint64(0) - bit(arena, row, lane)
        row += words
        for word in range(count):
            target[place + word] = held
        place += step


@inlined
def legal_count(
    game: Game, arena: Words, block: int, lane: np.uint64, first: int, last: int
) -> int:
    """Return how many of the moves first <= m < last are legal in a lane."""
    row, words, count = legal_row(game, block, first), game.numbers.words, 0
    for _ in range(first, last):
        count += signed(bit(arena, row, lane))
        row += words
    return count


@inlined
def can_move(game: Game, arena: Words, block: int, lane: np.uint64) -> bool:
    """Return whether every role has a legal move in a lane."""
    for role in range(game.numbers.roles):
        first, last = game.first_move[role], game.first_move[role + 1]
        if not legal_count(game, arena, block, lane, first, last):
            return False
    return True


# The path from the root


@inlined
def _child_key(
    game: Game, stack: SearchStack, frame: int, child: int, block: int, lane: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the key of a child of a frame, which is in a lane, and the hash of `table_key`."""
    arena, at = stack.arena, stack.frames[frame].keys
    if at:
        at += child * KEY_WORDS
        return arena[at], arena[at + 1], arena[at + 2]
    first, second = key_of(game, arena, block, lane)
    one, other = table_key(game, arena, block, lane, first, second)
    return first, second, hash_of(one, other)


@inlined
def _is_on_path(
    stack: SearchStack, frame: int, first: np.uint64, second: np.uint64, mixed: np.uint64
) -> bool:
    """Return whether the state of this key is being searched, in this frame or above."""
    if stack.on_path[mixed & np.uint64(len(stack.on_path) - 1)]:
        for above in range(frame, 0, -1):
            row = stack.frames[above]
            if row.first == first and row.second == second:
                return True
    return False


@inlined
def enter_path(
    stack: SearchStack, frame: int, first: np.uint64, second: np.uint64, mixed: np.uint64
) -> None:
    """Note that the state of this key is searched in a frame."""
    row = stack.frames[frame]
    row.first, row.second, row.hash = first, second, mixed
    stack.on_path[mixed & np.uint64(len(stack.on_path) - 1)] += np.uint16(1)


@inlined
def leave_path(stack: SearchStack, frame: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Note that the search of a frame's state has ended; return its key and its hash."""
    row = stack.frames[frame]
    stack.on_path[row.hash & np.uint64(len(stack.on_path) - 1)] -= np.uint16(1)
    return row.first, row.second, row.hash


# Visits and expansion

# Images of states are used that many plies from the root: there they save the most for the time
# that it takes to find them.
MIRRORED = 16


@inlined
def visit(
    game: Game, stack: SearchStack, frame: int, child: int
) -> tuple[int, int, np.uint64, int, np.uint64, np.uint64, np.uint64]:
    """Visit a child of a frame, and count that.

    Returns what it is (TERMINAL, REPEATED, HORIZON or OPEN), its block and lane, the joint moves
    that remain to the horizon, and, but for a terminal state, its key and the hash of that in the
    transposition table.
    """
    row, counters, what = stack.frames[frame], stack.counters, OPEN
    block, lane = lane_of(game, row.children, child)
    first, second, mixed = np.uint64(0), np.uint64(0), np.uint64(0)
    remaining = row.remaining if row.remaining == ENDLESS else row.remaining - 1
    counters.generated += frame > 0
    counters.deepest = max(counters.deepest, frame)
    if is_terminal(game, stack.arena, block, lane):
        what = TERMINAL
    else:
        first, second, mixed = _child_key(game, stack, frame, child, block, lane)
        if _is_on_path(stack, frame, first, second, mixed):
            what = REPEATED
        elif remaining <= 0 or frame >= game.numbers.max_plies:
            counters.met_horizon = 1
            what = HORIZON
    return what, block, lane, remaining, first, second, mixed


@inlined
def place_state(game: Game, stack: SearchStack, state: Words, remaining: int) -> None:
    """Make a packed state the only child of frame 0, and look ahead `remaining` joint moves."""
    numbers, arena, frames = game.numbers, stack.arena, stack.frames
    for fact in range(numbers.facts):
        arena[fact_row(game, 0, fact)] = (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
    arena[0] = np.uint64(numbers.pointer)
    run(numbers.view_code, arena)
    frames[0].top = numbers.block
    frames[0].remaining = remaining if remaining == ENDLESS else remaining + 1


@inlined
def expand(
    game: Game, stack: SearchStack, frame: int, block: int, lane: np.uint64, again: bool
) -> int:
    """Make the state in a lane a frame, with all its children, in the order of their moves.

    Returns PUSHED, or why it cannot be done; then nothing has changed, except `needed`.
    """
    what, total = _push(game, stack, frame, block, lane, again)
    for group in range(_groups(game, total)):
        place = _step(game, stack, frame + 1, group, total)
        run(game.numbers.view_code, stack.arena[place:])
    return what


@inlined
def expand_and_fetch(
    game: Game,
    stack: SearchStack,
    table: Table,
    frame: int,
    block: int,
    lane: np.uint64,
    again: bool,
) -> int:
    """Do as `expand`, and request the children's entries in the table where they have keys.

    The entries arrive while the views of the children are made.
    """
    what, total = _push(game, stack, frame, block, lane, again)
    for group in range(_groups(game, total)):
        place = _step(game, stack, frame + 1, group, total)
        if game.numbers.has_table:
            _fetch_children(stack, table, frame + 1, total)
        run(game.numbers.view_code, stack.arena[place:])
    return what


@inlined
def _push(
    game: Game, stack: SearchStack, frame: int, block: int, lane: np.uint64, again: bool
) -> tuple[int, int]:
    """Make the state in a lane a frame that has its moves, and room for its children.

    Returns PUSHED and how many children it has; or why it cannot be done, and 0.
    """
    numbers, frames, counters, arena = game.numbers, stack.frames, stack.counters, stack.arena
    words, roles, size = numbers.words, numbers.roles, numbers.block
    lists = frames[frame].top
    needed = lists + numbers.moves + 8
    if frame + 2 >= len(frames) or needed > len(arena):
        counters.needed = needed
        return FULL, 0
    listed = _list_legal(game, stack, frame + 1, block, lane, lists)
    total = 1
    for role in range(roles - 1, -1, -1):
        stack.strides[frame + 1, role] = total
        total *= stack.counts[frame + 1, role]
        if total > numbers.max_children:
            return TOO_MANY, 0
    groups = _groups(game, total)
    # keys are made for all at once where that is quick
    has_keys = total <= 64 and words == 1 and numbers.facts <= 128
    keys = lists + listed
    # the order of the moves takes two words for each
    base = keys + has_keys * KEY_WORDS * ((total + 7) & ~7) + 2 * numbers.is_ordered * listed
    base = (base + 7) & ~7
    if base + groups * size + numbers.scratch > len(arena):
        counters.needed = base + groups * size + numbers.scratch
        return FULL, 0
    if counters.expanded + counters.researched >= counters.limit:
        return SPENT, 0
    if again:
        counters.researched += 1
    else:
        counters.expanded += 1
    if total == 0:
        return STUCK, 0
    row = frames[frame + 1]
    row.lists, row.children, row.top = lists, base, base + groups * size
    row.keys = keys if has_keys else 0
    _spread(game, arena, block, lane)
    return PUSHED, total


@inlined
def _groups(game: Game, total: int) -> int:
    """Return how many groups, each in a block, the children of a frame make.

    A loop over a `range` with a variable step would divide to find that, in each expansion.
    """
    return ((total - 1) >> game.numbers.shift) + 1


@inlined
def _step(game: Game, stack: SearchStack, frame: int, group: int, total: int) -> int:
    """Make a group of the children of a frame, in the lanes of a block; return where that is.

    They have no view yet. Where a frame keeps the keys of its children, they get them.
    """
    numbers, row, arena, words = game.numbers, stack.frames[frame], stack.arena, game.numbers.words
    begin, place = group * 64 * words, row.children + group * numbers.block
    after = game.step_rows.first_next * words
    _mark(game, stack, frame, begin, min(64 * words, total - begin))
    run(numbers.next_code, game.buffer)
    arena[place] = np.uint64(numbers.pointer)
    _copy(game.buffer, after, arena, fact_row(game, place, 0), numbers.facts * words)
    if row.keys:
        _make_keys(game, arena, place, row.keys, total, frame - 1)
    return place


@inlined
def _fetch_children(stack: SearchStack, table: Table, frame: int, total: int) -> None:
    """Request the entries of the children of a frame, if it keeps their keys."""
    keys = stack.frames[frame].keys
    if keys:
        for at in range(keys, keys + total * KEY_WORDS, KEY_WORDS):
            fetch(table, stack.arena[at + 2])


@inlined
def _make_keys(game: Game, arena: Words, block: int, keys: int, count: int, ply: int) -> None:
    """Make the keys of the states in the first lanes of a block."""
    facts, last = game.numbers.facts, keys + count * KEY_WORDS
    low = ~np.uint64(0) >> np.uint64(max(0, 64 - facts))
    high = ~np.uint64(0) >> np.uint64(min(63, 128 - facts))
    for lane in range(0, count, 8):
        at = keys + lane * KEY_WORDS
        transpose_lanes(arena, fact_row(game, block, 0), lane, at, KEY_WORDS)
        if facts > 64:
            transpose_lanes(arena, fact_row(game, block, 64), lane, at + 1, KEY_WORDS)
    numbers = game.numbers
    for at in range(keys, last, KEY_WORDS):
        arena[at] &= low
        arena[at + 1] = arena[at + 1] & high if facts > 64 else np.uint64(0)
        # of a state of up to 128 facts, `table_key` is a part of the key
        arena[at + 3], arena[at + 4] = (
            arena[at] & numbers.low_mask,
            arena[at + 1] & numbers.high_mask,
        )
        arena[at + 5] = np.uint64(0)
    if ply < MIRRORED:
        for number in range(len(game.sources)):
            _use_images(game, arena, block, keys, count, number)
    for at in range(keys, last, KEY_WORDS):
        arena[at + 2] = hash_of(arena[at + 3], arena[at + 4])


@inlined
def _use_images(game: Game, arena: Words, block: int, keys: int, count: int, number: int) -> None:
    """Let those children have the image's key in the table for which that is smaller.

    The rows of the images, and then their keys, are made where the view's code has its scratch.
    """
    facts, rows = game.numbers.facts, block + game.numbers.block
    low = ~np.uint64(0) >> np.uint64(max(0, 64 - facts))
    high = ~np.uint64(0) >> np.uint64(min(63, 128 - facts))
    sources, made = game.sources[number], rows + 64 * STATE_WORDS
    for fact in range(facts):
        arena[rows + fact] = arena[fact_row(game, block, sources[fact])]
    for lane in range(0, count, 8):
        at = made + STATE_WORDS * lane
        transpose_lanes(arena, rows, lane, at, STATE_WORDS)
        if facts > 64:
            transpose_lanes(arena, rows + 64, lane, at + 1, STATE_WORDS)
    for lane in range(count):
        at, key = made + STATE_WORDS * lane, keys + lane * KEY_WORDS
        first = arena[at] & low
        second = arena[at + 1] & high if facts > 64 else np.uint64(0)
        if first < arena[key + 3] or (first == arena[key + 3] and second < arena[key + 4]):
            arena[key + 3], arena[key + 4] = first, second
            arena[key + 5] = np.uint64(1 + number)


@inlined
def _copy(source: Words, begin: int, target: Words, at: int, count: int) -> None:
    old, new = source[begin : begin + count], target[at : at + count]
    for i in range(count):
        new[i] = old[i]


@inlined
def _list_legal(
    game: Game, stack: SearchStack, frame: int, block: int, lane: np.uint64, lists: int
) -> int:
    """List the legal moves of the state in a lane, all roles' one after the other, in the arena.

    Counts the moves of each role in `counts`; returns the number of all.
    """
    numbers, arena = game.numbers, stack.arena
    words = numbers.words
    legal = legal_row(game, block, 0)
    listed, role = 0, 0
    for other in range(numbers.roles):
        stack.counts[frame, other] = 0
    for begin in range(0, numbers.moves, 64):
        count = min(64, numbers.moves - begin)
        left = gathered(arena, legal + begin * words, count, words, lane)
        while left:
            move = begin + lowest_bit(left)
            left &= left - np.uint64(1)
            while move >= game.first_move[role + 1]:
                role += 1
            stack.counts[frame, role] += 1
            arena[lists + listed] = np.uint64(move)
            listed += 1
    return listed


@inlined
def _spread(game: Game, arena: Words, block: int, lane: np.uint64) -> None:
    """Put the state of one lane into all lanes of the step's buffer."""
    facts, words, buffer = game.numbers.facts, game.numbers.words, game.buffer
    if words == 1:
        begin, first = fact_row(game, block, 0), game.step_rows.first_fact
        rows, target = arena[begin : begin + facts], buffer[first : first + facts]
        for fact in range(facts):
            target[fact] = np.uint64(0) - bit(rows, fact, lane)
    else:
        spread(game, arena, block, lane, buffer, game.step_rows.first_fact * words, words, words)


@inlined
def _mark(game: Game, stack: SearchStack, frame: int, begin: int, count: int) -> None:
    """Put the joint moves begin <= n < begin + count of a frame into the lanes of the step."""
    numbers, buffer, words = game.numbers, game.buffer, game.numbers.words
    first = game.step_rows.first_input * words
    clear = buffer[first : game.step_rows.first_next * words]
    for i in range(len(clear)):
        clear[i] = np.uint64(0)
    at = stack.frames[frame].lists
    for role in range(numbers.roles):
        options, stride = stack.counts[frame, role], stack.strides[frame, role]
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
                        row = 64 * column + lowest_bit(some)
                        some &= some - np.uint64(1)
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
    """Return the lanes begin <= n < end, all of one word, as bits."""
    return ~np.uint64(0) >> np.uint64(64 - (end - begin)) << np.uint64(begin & 63)
