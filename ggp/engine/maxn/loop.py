"""Max-n and its prunings as one compiled loop.

It is `MaxN.score` of `ggp.search.maxn`, with its recursion unrolled: `ggp.engine.layout` describes
frames, `ggp.engine.maxn.layout` choices. `choices` has `MaxN.choose`, `row_sets` the classifiers.

The value of an entry of the transposition table is a goal of each role, or a lower bound of each
role and, if sets are small, the rows of the pruned value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.block import goal_of, lane_of
from ggp.engine.horizon import estimate_of, find_means
from ggp.engine.keys import key_of_state
from ggp.engine.layout import (
    FINISHED,
    FULL,
    HORIZON,
    LEAF,
    PAUSED,
    PUSHED,
    REPEATED,
    TERMINAL,
    Game,
)
from ggp.engine.maxn.choices import count_rule, hand_down, next_place, open_choice, take
from ggp.engine.maxn.layout import UNCLASSIFIED, Rules, Stack
from ggp.engine.maxn.row_sets import excludes, find_possible, is_within, move_below
from ggp.engine.node import (
    can_move,
    enter_path,
    expand_and_fetch,
    leave_path,
    place_state,
    visit,
)
from ggp.engine.row_filter import assign
from ggp.engine.transposition_table import (
    Table,
    bits_of,
    hash_of,
    is_as_deep,
    is_proven,
    kind_of,
    move_of,
    pack_entry,
    probe,
    store,
    work_of,
)
from ggp.native.numba_support import Words, inlined, nopython, signed

__all__ = ["explore", "place_root", "table_move"]

# What an entry of the table has: a value; or bounds, with rows or without.
_VALUE, _ROWS, _BOUNDS = 1, 2, 3


@nopython
def explore(game: Game, rules: Rules, stack: Stack, table: Table, pause: int) -> int:
    """Continue the search until `pause` nodes are expanded at most; return why it ended.

    When it has FINISHED, the value of the root is in `value`, and `found_length` moves of its line
    are in `lines[1]`; if there are none, `found_move` is the move that the table has, or -1.
    """
    counters = stack.counters
    while True:
        if counters.expanded + counters.researched + counters.played_out >= pause:
            return PAUSED
        choice = counters.choice
        while True:
            hand_down(rules, stack, choice)
            place = stack.choices[choice].next_place
            if place == len(rules.order):
                break
            row, frame = stack.choices[choice], stack.choices[choice].frame
            chosen, slot = row.chosen + row.at * row.stride, row.slot + row.count
            choice += 1
            open_choice(rules, stack, choice, frame, place, chosen, slot)
            stack.choices[choice].is_first = 0
        counters.choice = choice
        what = _visit(game, rules, stack, table, choice)
        if what == PUSHED:
            continue
        if what != LEAF:
            return what
        counters.found_length = 0
        while counters.choice > 0 and not take(rules, stack, counters.choice):
            # the last option of this choice is known, and so is the choice
            choice = counters.choice
            counters.choice = choice - 1
            if stack.choices[choice].is_first:
                _leave(game, rules, stack, table, choice)
        if counters.choice == 0:
            return FINISHED


@nopython
def place_root(game: Game, rules: Rules, stack: Stack, state: Words, remaining: int) -> None:
    """Begin a search of a packed state: make it the only option of choice 0."""
    counters = stack.counters
    place_state(game, stack, state, remaining)
    stack.bounds[0, :] = -np.inf
    open_choice(rules, stack, 0, 0, len(rules.order), 0, 0)
    stack.choices[1].best_option = -1
    counters.choice = counters.researching = 0
    counters.found_move = -1


@nopython
def table_move(
    game: Game, table: Table, state: Words, remaining: int, value: NDArray[np.float64]
) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found at the same depth.
    """
    first, second = key_of_state(game, state)
    slot, packed, _ = probe(table, first, second, hash_of(first, second))
    if slot < 0:
        return -1
    if kind_of(packed) != _VALUE or not is_as_deep(packed, remaining):
        return -1
    for role in range(len(value)):
        if table.values[slot, role] != value[role]:
            return -1
    return move_of(packed)


@inlined
def _visit(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> int:
    """Visit the child that all have chosen; make it a frame if it must be searched.

    It is what `MaxN.score` does before the children of a node, and `_leave` what it does after.
    Returns LEAF if its value, or that it was pruned, is found; or PUSHED, or why nothing can be
    done.
    """
    counters, last = stack.counters, stack.choices[choice]
    frame, child = last.frame, last.chosen + last.at * last.stride
    counters.is_pruned, counters.found_proven = 0, 1
    what, block, lane, remaining, first, second, mixed = visit(game, stack, frame, child)
    if what == TERMINAL:
        for role in range(game.numbers.roles):
            stack.value[role] = max(0.0, goal_of(game, stack.arena, block, lane, role))
        return LEAF
    if what == REPEATED:
        stack.value[:] = 0.0
        counters.found_proven = 0
        return LEAF
    if what == HORIZON:
        counters.found_proven = 0
        _estimate(game, rules, stack, frame, child, first, second)
        return LEAF
    below, slot = choice + 1, signed(-1)
    if game.numbers.has_table:
        slot, packed, _ = probe(table, first, second, mixed)
        if slot >= 0 and _tells(rules, stack, table, slot, packed, remaining, below):
            counters.table_hits += 1
            counters.found_proven = is_proven(packed)
            counters.met_horizon |= 1 - counters.found_proven
            if frame == 0:
                counters.found_move = move_of(packed)
            return LEAF
    if rules.numbers.classifier != UNCLASSIFIED and _is_outside(
        game, rules, stack, below, frame + 1, block, lane
    ):
        return LEAF
    again = slot >= 0 or counters.researching > 0
    what = expand_and_fetch(game, stack, table, frame, block, lane, again)
    if what == PUSHED:
        what = _push(game, rules, stack, choice, remaining, again)
    if what == FULL:
        counters.generated -= frame > 0
    elif what == PUSHED:
        enter_path(stack, frame + 1, first, second, mixed)
    return what


@inlined
def _is_outside(
    game: Game, rules: Rules, stack: Stack, choice: int, frame: int, block: int, lane: np.uint64
) -> bool:
    """Find the rows possible below a node; return whether none is inside the bounds of its path.

    In that case the node is pruned, and `rows` and `value_bounds` say so. It is `MaxN.is_outside`.
    """
    possible, counters = stack.possible[frame], stack.counters
    if rules.numbers.is_filtered:
        find_possible(game, rules, stack.arena, block, lane, possible)
    if stack.choices[choice].path_length == 0 or is_within(rules, possible, stack.bounds[choice]):
        return False
    if can_move(game, stack.arena, block, lane):
        count_rule(rules, stack, choice, possible, -1, 0.0)
    counters.is_pruned = 1
    assign(stack.rows, possible)
    assign(stack.value_bounds, stack.bounds[choice])
    return True


@inlined
def _push(game: Game, rules: Rules, stack: Stack, choice: int, remaining: int, again: bool) -> int:
    """Open the first choice of the frame that was made; return PUSHED, or FULL."""
    counters, numbers = stack.counters, game.numbers
    frame = stack.choices[choice].frame + 1
    top = stack.choices[choice].slot + stack.choices[choice].count
    options = numbers.roles
    for role in range(numbers.roles):
        options += stack.counts[frame, role]
    if top + options > len(stack.slots) or choice + numbers.roles + 3 > len(stack.choices):
        counters.needed_slots = top + options
        if again:
            counters.researched -= 1
        else:
            counters.expanded -= 1
        return FULL
    new = stack.frames[frame]
    new.remaining = remaining
    new.began = counters.expanded + counters.researched
    open_choice(rules, stack, choice + 1, frame, next_place(rules, stack, frame, 0), 0, top)
    stack.choices[choice + 1].is_first = 1
    counters.choice = choice + 1
    return PUSHED


@inlined
def _leave(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> None:
    """Take a node off the path, and store its value in the table."""
    frame, counters = stack.choices[choice].frame, stack.counters
    first, second, mixed = leave_path(stack, frame)
    if not game.numbers.has_table:
        return
    is_pruned, kind, move = counters.is_pruned, _VALUE, signed(0)
    if is_pruned:
        kind = _ROWS if rules.numbers.stored else _BOUNDS
    else:
        move = signed(stack.lines[choice, 0])
    work, remaining = work_of(stack.frames, counters, frame), stack.frames[frame].remaining
    packed = pack_entry(kind, counters.found_proven, work, counters.age, remaining, move)
    kept, roles = stack.value_bounds if is_pruned else stack.value, game.numbers.roles
    slot = store(table, counters, first, second, mixed, packed, bits_of(kept[0]))
    for role in range(1, roles):
        table.values[slot, role] = kept[role]
    if is_pruned:
        for word in range(rules.numbers.stored):
            table.value_words[slot, roles + word] = stack.rows[word]


@inlined
def _tells(
    rules: Rules,
    stack: Stack,
    table: Table,
    slot: int,
    packed: np.uint64,
    remaining: int,
    choice: int,
) -> bool:
    """Return whether an entry settles a node; then the value of the entry is found."""
    if not is_as_deep(packed, remaining):
        return False
    roles = len(stack.value)
    if kind_of(packed) == _VALUE:
        assign(stack.value, table.values[slot, :roles])
        return True
    # without rows, and of searches to a depth, nothing is known but the bounds
    stored = rules.numbers.stored if kind_of(packed) == _ROWS else 0
    assign(stack.value_bounds, table.values[slot, :roles])
    if stored:
        assign(stack.rows, table.value_words[slot, roles : roles + stored])
    else:
        assign(stack.rows, rules.anything)
    stack.counters.is_pruned = 1
    if stack.choices[choice].path_length and excludes(
        rules, stack.rows, stack.value_bounds, stack.bounds[choice]
    ):
        return True
    stack.counters.is_pruned = 0
    return False


@nopython
def _estimate(
    game: Game,
    rules: Rules,
    stack: Stack,
    frame: int,
    child: int,
    first: np.uint64,
    second: np.uint64,
) -> None:
    """Estimate a child with this key at the horizon, at no more than leaves below it can pay.

    It is `MaxN.estimate`.
    """
    if rules.numbers.at_leaves:
        stack.value[:] = 0.0
        return
    block, lane = lane_of(game, stack.frames[frame].children, child)
    entry = find_means(game, stack, frame, child, first, second)
    for role in range(game.numbers.roles):
        stack.value[role] = estimate_of(game, stack.arena, block, lane, role, entry)
    assign(stack.rows, rules.everything)
    if rules.numbers.knows_more:
        find_possible(game, rules, stack.arena, block, lane, stack.rows)
    move_below(rules, stack.rows, stack.value)
