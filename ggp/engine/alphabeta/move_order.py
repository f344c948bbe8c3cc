"""The order in which a search for one role tries moves."""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import RoleFrame, Stack
from ggp.engine.block import goal_of, is_terminal, lane_of, terminal_row
from ggp.engine.horizon import estimate_of, find_means
from ggp.engine.keys import key_of
from ggp.engine.layout import ENDLESS, KEY_WORDS, Game
from ggp.engine.transposition_table import hash_of, work_of
from ggp.native.numba_support import Words, inlined, signed

__all__ = ["EFFECTS", "MANY", "arrange", "is_by_effect", "remember", "set_terms"]

# The scores of the hash move and of a move that wins at once; one that loses at once has the
# negative of the latter. More than `MANY` moves are not sorted.
_HASH_MOVE, _AT_ONCE, MANY = 1 << 60, 1 << 55, 512
# Where a network estimates states, it sorts the moves; by how much their goals must differ, so that
# the history does not decide, and the most that this counts then.
_STEP, _MOST_HISTORY = 8.0, (1 << 44) - 1

#: How many effects of moves the history tells apart: a power of 2.
EFFECTS = 1 << 12


@inlined
def arrange(game: Game, stack: Stack, frame: int, hash_move: int) -> None:
    """Sort the moves of a frame in which only one role has a choice; `hash_move` comes first.

    The arena, at `order`, gets the numbers of the child and of the move for each of them.
    """
    numbers, arena, row = game.numbers, stack.arena, stack.frames[frame]
    mover, movers, listed = 0, 0, 0
    for role in range(numbers.roles):
        if stack.counts[frame, role] > 1:
            mover, movers = role, movers + 1
    options, stride = stack.counts[frame, mover], stack.strides[frame, mover]
    if movers != 1 or options > MANY:
        return
    for role in range(mover):
        listed += stack.counts[frame, role]
    order = row.order = row.children - 2 * options
    # The lanes in which the game is over. Keys are made only where a row has one word, which then
    # has the lanes of all children; where it has several, each child is looked at.
    ended = ~np.uint64(0)
    if row.keys:
        ended = arena[terminal_row(game, row.children)]
    sign = 1 if mover == numbers.role else -1
    by_effect = is_by_effect(row)
    low, high = _differing(arena, row.keys, options) if by_effect else (np.uint64(0), np.uint64(0))
    by_net = game.horizon.numbers.hidden > 0 and 1 < row.remaining < ENDLESS
    for option in range(options):
        child, move = option * stride, arena[row.lists + listed + option]
        if by_effect:
            at = row.keys + option * KEY_WORDS
            effect = hash_of((arena[at] ^ row.first) & low, (arena[at + 1] ^ row.second) & high)
            move = np.uint64(numbers.moves) + ((effect + np.uint64(mover)) & np.uint64(EFFECTS - 1))
        score = stack.history[signed(move)]
        if by_net:
            score = min(score, _MOST_HISTORY) + _forecast(game, stack, frame, child, sign)
        if (ended >> np.uint64(child & 63)) & np.uint64(1):
            score += _promise(game, stack, row.children, child, sign)
        if child == hash_move:
            score = signed(_HASH_MOVE)
        place = option
        while place > 0 and stack.scores[place - 1] < score:
            stack.scores[place] = stack.scores[place - 1]
            arena[order + 2 * place] = arena[order + 2 * place - 2]
            arena[order + 2 * place + 1] = arena[order + 2 * place - 1]
            place -= 1
        stack.scores[place] = score
        arena[order + 2 * place], arena[order + 2 * place + 1] = np.uint64(child), move


@inlined
def _differing(arena: Words, keys: int, count: int) -> tuple[np.uint64, np.uint64]:
    """Return the facts in which children of these keys differ from each other."""
    low, high = np.uint64(0), np.uint64(0)
    for at in range(keys, keys + count * KEY_WORDS, KEY_WORDS):
        low |= arena[at] ^ arena[keys]
        high |= arena[at + 1] ^ arena[keys + 1]
    return low, high


@inlined
def _forecast(game: Game, stack: Stack, frame: int, child: int, sign: int) -> int:
    """Return the score of a child by what a network says that the role gets there."""
    row, role = stack.frames[frame], game.numbers.role
    block, lane = lane_of(game, row.children, child)
    first, second = np.uint64(0), np.uint64(0)
    if row.keys:
        at = row.keys + child * KEY_WORDS
        first, second = stack.arena[at], stack.arena[at + 1]
    elif game.numbers.facts <= 128:
        first, second = key_of(game, stack.arena, block, lane)
    entry = find_means(game, stack, frame, child, first, second)
    value = estimate_of(game, stack.arena, block, lane, role, entry)
    return signed(sign * value / _STEP) * (_MOST_HISTORY + 1)


@inlined
def _promise(game: Game, stack: Stack, base: int, child: int, sign: int) -> int:
    """Return the score of a child: positive if the mover wins there, negative if it loses."""
    block, lane = lane_of(game, base, child)
    promise = signed(0)
    if is_terminal(game, stack.arena, block, lane):
        value = max(0.0, goal_of(game, stack.arena, block, lane, game.numbers.role))
        if value >= game.numbers.high:
            promise = sign * signed(_AT_ONCE)
        elif value <= game.numbers.low:
            promise = -sign * signed(_AT_ONCE)
    return promise


@inlined
def set_terms(game: Game, stack: Stack, frame: int) -> None:
    """Set what the current own move and reply add to the number of the child."""
    row = stack.frames[frame]
    if row.order:
        row.own_term = signed(stack.arena[row.order + 2 * max(row.own_at, row.reply_at)])
    else:
        row.own_term = row.own_at * row.own_stride
        row.reply_term = _reply_term(game, stack, frame, row.reply_at)


@inlined
def remember(stack: Stack, frame: int, place: int) -> None:
    """Note that the move at a place caused a cut.

    Before a horizon it gets the more for it the more was searched. To the end of the game it gains
    what those before it lose: so a move that is good wherever it comes first does not stay behind
    one that is tried more often (Tromp, Fhourstones, https://tromp.github.io/c4/fhour.html).
    """
    row = stack.frames[frame]
    if row.order:
        last = row.order + 1 + 2 * place
        gain = signed(place)
        if is_by_effect(row):
            for before in range(row.order + 1, last, 2):
                stack.history[signed(stack.arena[before])] -= 1
        else:
            work = work_of(stack.frames, stack.counters, frame)
            gain = (1 + work) * (1 + work)
        stack.history[signed(stack.arena[last])] += gain


@inlined
def is_by_effect(row: RoleFrame) -> bool:
    """Return whether the history knows a frame's moves by what they change, not by their names.

    Before a horizon, where searches are short, the history by name tells more.
    """
    return row.keys != 0 and row.remaining == ENDLESS


@inlined
def _reply_term(game: Game, stack: Stack, frame: int, reply: int) -> int:
    """Return what the opponents' reply adds to the number of the joint move."""
    numbers, term = game.numbers, 0
    for role in range(numbers.roles - 1, -1, -1):
        count = stack.counts[frame, role]
        if count > 1 and role not in (numbers.role, numbers.chance):
            term += reply % count * stack.strides[frame, role]
            reply //= count
    return term
