"""Depth-first search for one role as one compiled loop: minimax, bounded minimax, alpha-beta.

The functions of `ggp.search.minimax`, `bounded` and `alphabeta`, with their recursion unrolled into
arrays; `ggp.engine.layout` says what a frame is.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import (
    ALPHA,
    ALPHABETA,
    ANSWER_TERM,
    ANSWERS,
    AT_ANSWER,
    AT_LUCK,
    AT_OWN,
    BEST,
    BEST_LENGTH,
    BEST_SURE,
    BETA,
    BOUNDED,
    FLOOR,
    FRAME,
    LUCK,
    LUCK_STRIDE,
    MAX_PRUNES,
    MEAN_SURE,
    MIN_PRUNES,
    MIN_SURE,
    MINIMAX,
    ORDER,
    OWN,
    OWN_STRIDE,
    OWN_TERM,
    SUM,
    SURE,
    WORST,
    WORST_LENGTH,
    WORST_SURE,
    Stack,
)
from ggp.engine.alphabeta.move_order import arrange, remember, set_terms
from ggp.engine.expansion import expand, place_state
from ggp.engine.horizon import estimate_of, find_means
from ggp.engine.layout import (
    AGE,
    ALGORITHM,
    BASE,
    BEGAN,
    CHANCE,
    DEEPEST,
    ENDLESS,
    EXPANDED,
    FINISHED,
    FOUND_LENGTH,
    FOUND_MOVE,
    FOUND_SURE,
    FULL,
    GENERATED,
    HAS_TABLE,
    HIGH,
    HITS,
    LEAF,
    LOSE,
    LOW,
    MAX_PLIES,
    MET_HORIZON,
    ORDERED,
    PAUSED,
    PLAYED_OUT,
    PUSHED,
    REMAINING,
    RESEARCHED,
    ROLE,
    WIN,
    Game,
)
from ggp.engine.node import (
    child_key,
    enter_path,
    goal_of,
    is_on_path,
    is_terminal,
    key_of_state,
    lane_of,
    leave_path,
)
from ggp.engine.transposition_table import (
    VALUE,
    Table,
    hash_of,
    is_as_deep,
    keep,
    kind_of,
    look_up,
    meta_of,
    move_of,
    sure_of,
    work_of,
)
from ggp.reasoner.compiled import Words, inlined, nopython, signed

__all__ = ["explore", "known", "place_root"]

# What a value in the table says of the true one.
_EXACT, _LOWER, _UPPER = 1, 2, 3


@nopython
def explore(game: Game, stack: Stack, table: Table, pause: int) -> int:
    """Go on searching, till `pause` nodes are expanded at most; return why it ended.

    Of `counters`, FRAME says where it is. When it has FINISHED, the value of the root is in
    `found`, and FOUND_LENGTH moves of its line are in `lines[0, 1]`; if there are none, FOUND_MOVE
    is what the table said, or -1.
    """
    counters = stack.counters
    frame = counters[FRAME]
    while True:
        if counters[EXPANDED] + counters[RESEARCHED] + counters[PLAYED_OUT] >= pause:
            counters[FRAME] = frame
            return PAUSED
        what, value, sure = _visit(game, stack, table, frame)
        if what == PUSHED:
            frame += 1
            continue
        if what != LEAF:
            counters[FRAME] = frame
            return what
        length = 0
        while frame > 0 and not _answer(game, stack, frame, value, sure, length):
            # the last child of this frame's node is known, and so is the node
            value, sure = _leave(game, stack, table, frame)
            length = stack.frames[frame, BEST_LENGTH]
            frame -= 1
        if frame == 0:
            counters[FRAME] = 0
            counters[FOUND_SURE] = sure
            counters[FOUND_LENGTH] = length
            stack.found[0] = value
            return FINISHED


@nopython
def place_root(game: Game, stack: Stack, state: Words, remaining: int) -> None:
    """Begin a search of a packed state: make it the only child of frame 0."""
    frames, values = stack.frames, stack.values
    place_state(game, stack, state, remaining)
    frames[0, OWN] = frames[0, ANSWERS] = frames[0, LUCK] = 1
    values[0, ALPHA] = values[0, FLOOR] = game.floats[LOSE]
    values[0, BETA] = game.floats[WIN]
    values[0, WORST] = np.inf
    stack.counters[FRAME] = 0
    stack.counters[FOUND_MOVE] = -1


@nopython
def known(game: Game, table: Table, state: Words, remaining: int, value: float) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found for the same depth.
    """
    first, second = key_of_state(game, state)
    slot = look_up(table, first, second, hash_of(first, second))
    if slot < 0 or table.values[slot, VALUE] != value:
        return -1
    if not _settles(table, slot, remaining, value, value):
        return -1
    return move_of(table.words[slot, 2])


@inlined
def _visit(game: Game, stack: Stack, table: Table, frame: int) -> tuple[int, float, int]:
    """Look at the child of a frame whose turn it is; make it a frame if it must be searched.

    Returns LEAF, its value and whether that is sure; or PUSHED, or why nothing can be done.
    """
    numbers, floats, counters, arena = game.numbers, game.floats, stack.counters, stack.arena
    row, bounds = stack.frames[frame], stack.values[frame]
    child = row[OWN_TERM] + row[ANSWER_TERM] + row[AT_LUCK] * row[LUCK_STRIDE]
    block, lane = lane_of(game, row[BASE], child)
    counters[GENERATED] += frame > 0
    counters[DEEPEST] = max(counters[DEEPEST], frame)
    if is_terminal(game, arena, block, lane):
        return LEAF, max(0.0, goal_of(game, arena, block, lane, numbers[ROLE])), 1
    first, second, mixed = child_key(game, stack, frame, child, block, lane)
    if is_on_path(stack, frame, first, second, mixed):
        return LEAF, 0.0, 0
    remaining = row[REMAINING] if row[REMAINING] == ENDLESS else row[REMAINING] - 1
    if remaining <= 0 or frame >= numbers[MAX_PLIES]:
        counters[MET_HORIZON] = 1
        entry = find_means(game, stack, frame, child, first, second)
        return LEAF, estimate_of(game, arena, block, lane, numbers[ROLE], entry), 0
    if numbers[ALGORITHM] == MINIMAX:
        alpha, beta = -np.inf, np.inf
    elif row[LUCK] > 1:
        # a mean needs exact values
        alpha, beta = floats[LOW], floats[HIGH]
    elif numbers[ALGORITHM] == BOUNDED:
        alpha, beta = bounds[ALPHA], bounds[BETA]
    else:
        alpha, beta = bounds[FLOOR], min(bounds[BETA], bounds[WORST])
    slot = signed(-1)
    if numbers[HAS_TABLE]:
        slot = look_up(table, first, second, mixed)
        if slot >= 0 and _settles(table, slot, remaining, alpha, beta):
            meta = table.words[slot, 2]
            counters[HITS] += 1
            counters[MET_HORIZON] |= 1 - sure_of(meta)
            if frame == 0:
                counters[FOUND_MOVE] = move_of(meta)
            return LEAF, table.values[slot, VALUE], sure_of(meta)
    what = expand(game, stack, table, frame, block, lane, slot >= 0)
    if what != PUSHED:
        if what == FULL:
            counters[GENERATED] -= frame > 0
        return what, 0.0, 0
    named = signed(-1) if slot < 0 else move_of(table.words[slot, 2])
    enter_path(stack, frame + 1, first, second, mixed)
    _enter(game, stack, frame + 1, named)
    stack.frames[frame + 1, REMAINING] = remaining
    limits = stack.values[frame + 1]
    limits[ALPHA], limits[BETA], limits[FLOOR] = alpha, beta, alpha
    return PUSHED, 0.0, 0


@inlined
def _settles(table: Table, slot: int, remaining: int, alpha: float, beta: float) -> bool:
    """Return whether an entry is all that a search with this window wants to know."""
    meta, value = table.words[slot, 2], table.values[slot, VALUE]
    bound = kind_of(meta)
    return is_as_deep(meta, remaining) and (
        bound == _EXACT
        or (bound == _LOWER and value >= beta)
        or (bound == _UPPER and value <= alpha)
    )


@inlined
def _enter(game: Game, stack: Stack, frame: int, named: int) -> None:
    """Make ready for the first child of a frame."""
    row, values, turns = stack.frames[frame], stack.values[frame], stack.turns[frame]
    role, chance = game.numbers[ROLE], game.numbers[CHANCE]
    row[OWN], row[OWN_STRIDE], row[LUCK] = turns[0, role], turns[1, role], 1
    if chance >= 0:
        row[LUCK], row[LUCK_STRIDE] = turns[0, chance], turns[1, chance]
    # the moves of the first role times what each adds are all
    every, others = turns[0, 0] * turns[1, 0], row[OWN] * row[LUCK]
    row[ANSWERS] = 1 if every == others else every // others
    row[SURE] = row[BEST_SURE] = row[MIN_SURE] = row[WORST_SURE] = row[MEAN_SURE] = 1
    row[AT_OWN] = row[AT_ANSWER] = row[AT_LUCK] = row[OWN_TERM] = row[ANSWER_TERM] = 0
    row[BEST_LENGTH] = row[WORST_LENGTH] = 0
    row[BEGAN] = stack.counters[EXPANDED] + stack.counters[RESEARCHED]
    values[BEST], values[WORST], values[SUM] = -np.inf, np.inf, 0.0
    row[ORDER] = 0
    if game.numbers[ORDERED] and frame > 1 and row[LUCK] == 1:
        arrange(game, stack, frame, named)
        set_terms(game, stack, frame)


@inlined
def _answer(game: Game, stack: Stack, frame: int, value: float, sure: int, length: int) -> bool:
    """Take what was found of the child at hand; return whether there is another one to visit.

    The first `length` moves of the child's line are in `lines[0, frame + 1]`.
    """
    row, values, lines, counters = (
        stack.frames[frame], stack.values[frame], stack.lines, stack.counters,
    )  # fmt: skip
    cuts = game.numbers[ALGORITHM] != MINIMAX
    if row[LUCK] > 1:
        values[SUM] += value
        row[MEAN_SURE] &= sure
        row[AT_LUCK] += 1
        if row[AT_LUCK] < row[LUCK]:
            return True
        value, sure, length = values[SUM] / row[LUCK], row[MEAN_SURE], 0
        row[AT_LUCK], row[MEAN_SURE], values[SUM] = 0, 1, 0.0
    row[MIN_SURE] &= sure
    if value < values[WORST]:
        values[WORST], row[WORST_SURE] = value, sure
        if row[ANSWERS] > 1 or value > values[BEST]:
            # where only one side has a choice, its line is that of the frame at once
            kind = signed(row[OWN] > 1 and row[ANSWERS] > 1)
            lines[kind, frame, 0] = row[OWN_TERM] + row[ANSWER_TERM]
            for i in range(length):
                lines[kind, frame, 1 + i] = lines[0, frame + 1, i]
        row[WORST_LENGTH] = 1 + length
    row[AT_ANSWER] += 1
    if cuts and values[WORST] <= values[FLOOR]:
        row[MIN_SURE] = row[WORST_SURE]
        counters[MIN_PRUNES] += row[AT_ANSWER] < row[ANSWERS]
        remember(stack, frame, row[AT_ANSWER] - 1)
    elif row[AT_ANSWER] < row[ANSWERS]:
        set_terms(game, stack, frame)
        return True
    elif not cuts and row[WORST_SURE] and values[WORST] <= game.floats[LOW]:
        row[MIN_SURE] = 1
    return _own_move(game, stack, frame)


@inlined
def _own_move(game: Game, stack: Stack, frame: int) -> bool:
    """Take what the own move at hand is worth; return whether there is another child to visit."""
    row, values, lines = stack.frames[frame], stack.values[frame], stack.lines
    cuts = game.numbers[ALGORITHM] != MINIMAX
    row[SURE] &= row[MIN_SURE]
    if values[WORST] > values[BEST]:
        values[BEST], row[BEST_SURE] = values[WORST], row[MIN_SURE]
        if row[OWN] > 1 and row[ANSWERS] > 1:
            for i in range(row[WORST_LENGTH]):
                lines[0, frame, i] = lines[1, frame, i]
        row[BEST_LENGTH] = row[WORST_LENGTH]
    row[AT_OWN] += 1
    if cuts and values[BEST] >= values[BETA]:
        row[SURE] = row[BEST_SURE]
        stack.counters[MAX_PRUNES] += row[AT_OWN] < row[OWN]
        remember(stack, frame, row[AT_OWN] - 1)
        return False
    if row[AT_OWN] < row[OWN]:
        row[AT_ANSWER], row[MIN_SURE] = 0, 1
        set_terms(game, stack, frame)
        values[WORST], row[WORST_SURE] = np.inf, 1
        if game.numbers[ALGORITHM] == ALPHABETA:
            values[FLOOR] = max(values[ALPHA], values[BEST])
        return True
    if not cuts and row[BEST_SURE] and values[BEST] >= game.floats[HIGH]:
        row[SURE] = 1
    return False


@inlined
def _leave(game: Game, stack: Stack, table: Table, frame: int) -> tuple[float, int]:
    """Take a frame off the path, keep its value in the table, and return it."""
    row, values, counters = stack.frames[frame], stack.values[frame], stack.counters
    first, second, mixed = leave_path(stack, frame)
    value, sure = values[BEST], row[SURE]
    if game.numbers[HAS_TABLE]:
        bound = _EXACT
        if game.numbers[ALGORITHM] != MINIMAX and game.floats[LOW] < value < game.floats[HIGH]:
            if value >= values[BETA]:
                bound = _LOWER
            elif value <= values[ALPHA]:
                bound = _UPPER
        work = work_of(stack.frames, counters, frame)
        move = stack.lines[0, frame, 0]
        meta = meta_of(bound, sure, work, counters[AGE], row[REMAINING], move)
        slot = keep(table, counters, first, second, mixed, meta)
        table.values[slot, VALUE] = value
    return value, sure
