"""Max-n and its prunings as one compiled loop.

The functions of `ggp.search.maxn`, `prunings`, `classifiers` and `monotone`, with their recursion
unrolled into arrays: `ggp.engine.layout` says what a frame is, `ggp.engine.maxn.layout` what a
choice is.

An entry of the transposition table has, after the key and what is known, a value or box, and, if
sets are small, the rows of what is outside of the box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.expansion import expand, place_state
from ggp.engine.horizon import estimate_of, find_means
from ggp.engine.layout import (
    AGE,
    BASE,
    BEGAN,
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
    HITS,
    LEAF,
    MAX_PLIES,
    MET_HORIZON,
    PAUSED,
    PLAYED_OUT,
    PUSHED,
    REMAINING,
    RESEARCHED,
    ROLES,
    Game,
)
from ggp.engine.maxn.choices import answered, count_rule, hand_down, next_place, open_choice
from ggp.engine.maxn.layout import (
    AT,
    AT_LEAVES,
    BEST_OPTION,
    CHOICE,
    CHOSEN,
    COUNT,
    IS_FILTERED,
    IS_FIRST,
    IS_OUTSIDE,
    KIND,
    NEEDED_SLOTS,
    NEXT_PLACE,
    NODE,
    PATH_LENGTH,
    RESEARCHING,
    SLOT,
    STORED,
    STRIDE,
    UNCLASSIFIED,
    Rules,
    Stack,
)
from ggp.engine.maxn.row_sets import assign, excludes, find_possible, is_within
from ggp.engine.node import (
    child_key,
    enter_path,
    goal_of,
    is_on_path,
    is_terminal,
    key_of_state,
    lane_of,
    leave_path,
    legal_count,
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

# What the table has of a state: its value; or a box, with rows or without.
_VALUE, _ROWS, _BOX = 1, 2, 3


@nopython
def explore(game: Game, rules: Rules, stack: Stack, table: Table, pause: int) -> int:
    """Go on searching, till `pause` nodes are expanded at most; return why it ended.

    When it has FINISHED, the value of the root is in `value`, and FOUND_LENGTH moves of its line
    are in `lines[1]`; if there are none, FOUND_MOVE is what the table said, or -1.
    """
    counters = stack.counters
    while True:
        if counters[EXPANDED] + counters[RESEARCHED] + counters[PLAYED_OUT] >= pause:
            return PAUSED
        choice = counters[CHOICE]
        while True:
            hand_down(rules, stack, choice)
            place = stack.choices[choice, NEXT_PLACE]
            if place == len(rules.order):
                break
            row, frame = stack.choices[choice], stack.choices[choice, NODE]
            chosen, slot = row[CHOSEN] + row[AT] * row[STRIDE], row[SLOT] + row[COUNT]
            choice += 1
            open_choice(rules, stack, choice, frame, place, chosen, slot)
            stack.choices[choice, IS_FIRST] = 0
        counters[CHOICE] = choice
        what = _visit(game, rules, stack, table, choice)
        if what == PUSHED:
            continue
        if what != LEAF:
            return what
        counters[FOUND_LENGTH] = 0
        while counters[CHOICE] > 0 and not answered(rules, stack, counters[CHOICE]):
            # the last option of this choice is known, and so is the choice
            choice = counters[CHOICE]
            counters[CHOICE] = choice - 1
            if stack.choices[choice, IS_FIRST]:
                _leave(game, rules, stack, table, choice)
        if counters[CHOICE] == 0:
            return FINISHED


@nopython
def place_root(game: Game, rules: Rules, stack: Stack, state: Words, remaining: int) -> None:
    """Begin a search of a packed state: make it the only option of choice 0."""
    counters = stack.counters
    place_state(game, stack, state, remaining)
    stack.boxes[0, :] = -np.inf
    stack.choices[0, :] = 0
    open_choice(rules, stack, 0, 0, len(rules.order), 0, 0)
    stack.choices[1, BEST_OPTION] = -1
    counters[CHOICE] = counters[RESEARCHING] = 0
    counters[FOUND_MOVE] = -1


@nopython
def known(
    game: Game, table: Table, state: Words, remaining: int, value: NDArray[np.float64]
) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found for the same depth.
    """
    first, second = key_of_state(game, state)
    slot = look_up(table, first, second, hash_of(first, second))
    if slot < 0:
        return -1
    meta = table.words[slot, 2]
    if kind_of(meta) != _VALUE or not is_as_deep(meta, remaining):
        return -1
    for role in range(len(value)):
        if table.values[slot, VALUE + role] != value[role]:
            return -1
    return move_of(meta)


@inlined
def _visit(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> int:
    """Look at the child that all have chosen; make it a frame if it must be searched.

    Returns LEAF if what is known of it is found, or PUSHED, or why nothing can be done.
    """
    numbers, counters, arena = game.numbers, stack.counters, stack.arena
    frame, chosen = stack.choices[choice, NODE], stack.choices[choice, CHOSEN]
    row = stack.frames[frame]
    child = chosen + stack.choices[choice, AT] * stack.choices[choice, STRIDE]
    block, lane = lane_of(game, row[BASE], child)
    counters[GENERATED] += frame > 0
    counters[DEEPEST] = max(counters[DEEPEST], frame)
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 0, 1
    if is_terminal(game, arena, block, lane):
        for role in range(numbers[ROLES]):
            stack.value[role] = max(0.0, goal_of(game, arena, block, lane, role))
        return LEAF
    first, second, mixed = child_key(game, stack, frame, child, block, lane)
    remaining = row[REMAINING] if row[REMAINING] == ENDLESS else row[REMAINING] - 1
    if is_on_path(stack, frame, first, second, mixed):
        stack.value[:] = 0.0
        counters[FOUND_SURE] = 0
        return LEAF
    if remaining <= 0 or frame >= numbers[MAX_PLIES]:
        counters[MET_HORIZON] = 1
        counters[FOUND_SURE] = 0
        _estimate_all(game, rules, stack, frame, child, first, second)
        return LEAF
    below, slot = choice + 1, signed(-1)
    if numbers[HAS_TABLE]:
        slot = look_up(table, first, second, mixed)
        if slot >= 0 and _tells(rules, stack, table, slot, remaining, below):
            counters[HITS] += 1
            counters[FOUND_SURE] = sure_of(table.words[slot, 2])
            counters[MET_HORIZON] |= 1 - counters[FOUND_SURE]
            if frame == 0:
                counters[FOUND_MOVE] = move_of(table.words[slot, 2])
            return LEAF
    if rules.numbers[KIND] != UNCLASSIFIED and _is_cut(
        game, rules, stack, below, frame + 1, block, lane
    ):
        return LEAF
    again = slot >= 0 or counters[RESEARCHING] > 0
    what = expand(game, stack, table, frame, block, lane, again)
    if what == PUSHED:
        what = _push(game, rules, stack, choice, remaining, again)
    if what == FULL:
        counters[GENERATED] -= frame > 0
    elif what == PUSHED:
        enter_path(stack, frame + 1, first, second, mixed)
    return what


@inlined
def _is_cut(
    game: Game, rules: Rules, stack: Stack, choice: int, frame: int, block: int, lane: np.uint64
) -> bool:
    """Find what is possible below a node; return whether nothing of it is in its path's box.

    Then that is what is found of it.
    """
    possible, counters = stack.possible[frame], stack.counters
    if rules.numbers[IS_FILTERED]:
        find_possible(game, rules, stack.arena, block, lane, possible)
    if stack.choices[choice, PATH_LENGTH] == 0 or is_within(rules, possible, stack.boxes[choice]):
        return False
    if _can_move(game, stack.arena, block, lane):
        count_rule(rules, stack, choice, possible, -1, 0.0)
    counters[IS_OUTSIDE] = 1
    assign(stack.rows, possible)
    assign(stack.box, stack.boxes[choice])
    return True


@inlined
def _push(game: Game, rules: Rules, stack: Stack, choice: int, remaining: int, again: bool) -> int:
    """Open the first choice of the frame that was made; return PUSHED, or FULL."""
    counters, numbers = stack.counters, game.numbers
    frame = stack.choices[choice, NODE] + 1
    top = stack.choices[choice, SLOT] + stack.choices[choice, COUNT]
    options = numbers[ROLES]
    for role in range(numbers[ROLES]):
        options += stack.turns[frame, 0, role]
    if top + options > len(stack.slots) or choice + numbers[ROLES] + 3 > len(stack.choices):
        counters[NEEDED_SLOTS] = top + options
        if again:
            counters[RESEARCHED] -= 1
        else:
            counters[EXPANDED] -= 1
        return FULL
    new = stack.frames[frame]
    new[REMAINING] = remaining
    new[BEGAN] = counters[EXPANDED] + counters[RESEARCHED]
    open_choice(rules, stack, choice + 1, frame, next_place(rules, stack, frame, 0), 0, top)
    stack.choices[choice + 1, IS_FIRST] = 1
    counters[CHOICE] = choice + 1
    return PUSHED


@inlined
def _leave(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> None:
    """Take a node off the path, and keep what was found of it in the table."""
    frame, counters = stack.choices[choice, NODE], stack.counters
    first, second, mixed = leave_path(stack, frame)
    if not game.numbers[HAS_TABLE]:
        return
    is_outside, kind, move = counters[IS_OUTSIDE], _VALUE, signed(0)
    if is_outside:
        kind = _ROWS if rules.numbers[STORED] else _BOX
    else:
        move = signed(stack.lines[choice, 0])
    work, remaining = work_of(stack.frames, counters, frame), stack.frames[frame, REMAINING]
    meta = meta_of(kind, counters[FOUND_SURE], work, counters[AGE], remaining, move)
    slot = keep(table, counters, first, second, mixed, meta)
    roles = game.numbers[ROLES]
    for role in range(roles):
        table.values[slot, VALUE + role] = stack.box[role] if is_outside else stack.value[role]
    if is_outside:
        for word in range(rules.numbers[STORED]):
            table.words[slot, VALUE + roles + word] = stack.rows[word]


@inlined
def _tells(
    rules: Rules, stack: Stack, table: Table, slot: int, remaining: int, choice: int
) -> bool:
    """Return whether an entry is all that is asked of a node; what it says is found then."""
    meta = table.words[slot, 2]
    if not is_as_deep(meta, remaining):
        return False
    roles = len(stack.value)
    if kind_of(meta) == _VALUE:
        assign(stack.value, table.values[slot, VALUE : VALUE + roles])
        return True
    # without rows, and of searches to a depth, nothing is known but the box
    stored = rules.numbers[STORED] if kind_of(meta) == _ROWS else 0
    assign(stack.box, table.values[slot, VALUE : VALUE + roles])
    if stored:
        assign(stack.rows, table.words[slot, VALUE + roles : VALUE + roles + stored])
    else:
        assign(stack.rows, rules.anything)
    stack.counters[IS_OUTSIDE] = 1
    if stack.choices[choice, PATH_LENGTH] and excludes(
        rules, stack.rows, stack.box, stack.boxes[choice]
    ):
        return True
    stack.counters[IS_OUTSIDE] = 0
    return False


@inlined
def _can_move(game: Game, arena: Words, block: int, lane: np.uint64) -> bool:
    """Return whether every role has a legal move in a lane."""
    for role in range(game.numbers[ROLES]):
        first, last = game.first_move[role], game.first_move[role + 1]
        if not legal_count(game, arena, block, lane, first, last):
            return False
    return True


@nopython
def _estimate_all(
    game: Game,
    rules: Rules,
    stack: Stack,
    frame: int,
    child: int,
    first: np.uint64,
    second: np.uint64,
) -> None:
    """Find what a child with this key is worth at the horizon: no more in sum than any leaf."""
    if rules.numbers[AT_LEAVES]:
        stack.value[:] = 0.0
        return
    roles, most, total = game.numbers[ROLES], rules.most[0], 0.0
    block, lane = lane_of(game, stack.frames[frame, BASE], child)
    entry = find_means(game, stack, frame, child, first, second)
    for role in range(roles):
        stack.value[role] = estimate_of(game, stack.arena, block, lane, role, entry)
        total += stack.value[role]
    if total > most:
        scale = most / total * (1 - 1e-12)
        for role in range(roles):
            stack.value[role] *= scale
