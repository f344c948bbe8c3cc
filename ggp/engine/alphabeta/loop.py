"""Depth-first search for one role as one compiled loop: minimax, bounded minimax, alpha-beta.

The functions of `ggp.search.minimax`, `bounded` and `alphabeta`, with their recursion unrolled into
frames; `ggp.engine.layout` describes them. `_visit` begins `max_score`, `_take` is the loop of
`min_score` and `_own_move` that of `max_score`.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import ALPHABETA, BOUNDED, MINIMAX, Limits, Stack
from ggp.engine.alphabeta.limits import (
    UNKNOWN,
    added_to,
    count_of,
    count_of_state,
    find_upper,
    goal_after,
)
from ggp.engine.alphabeta.move_order import arrange, remember, set_terms
from ggp.engine.alphabeta.sharing import LATER, announce, is_left_for_later, withdraw
from ggp.engine.alphabeta.symmetry import image_of, source_of
from ggp.engine.block import goal_of, is_terminal, lane_of
from ggp.engine.horizon import estimate_of, find_means
from ggp.engine.keys import set_counting, table_key, table_key_of_state
from ggp.engine.layout import (
    ENDLESS,
    FINISHED,
    FULL,
    HORIZON,
    KEY_WORDS,
    LEAF,
    PAUSED,
    PUSHED,
    REPEATED,
    TERMINAL,
    Game,
)
from ggp.engine.node import (
    can_move,
    enter_path,
    expand_and_fetch,
    leave_path,
    place_state,
    visit,
)
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
    value_of,
    work_of,
)
from ggp.native.numba_support import Words, inlined, nopython, signed

__all__ = ["explore", "explore_within", "place_root", "table_move"]

# How a value in the table relates to the true one.
_EXACT, _LOWER, _UPPER = 1, 2, 3


@nopython
def explore(game: Game, limits: Limits, stack: Stack, table: Table, pause: int) -> int:
    """Continue the search where nothing is known of what is possible below a state."""
    return _explored(game, limits, stack, table, pause, 0)


@nopython
def explore_within(game: Game, limits: Limits, stack: Stack, table: Table, pause: int) -> int:
    """Do the same where the table says what is possible below a state.

    Apart from `explore`, for there even a question that is never asked takes time.
    """
    return _explored(game, limits, stack, table, pause, 1)


@inlined
def _explored(
    game: Game, limits: Limits, stack: Stack, table: Table, pause: int, is_limited: int
) -> int:
    """Continue the search until `pause` nodes are expanded at most; return why it ended.

    `counters.frame` is the current frame. When the search has FINISHED, the value of the root is in
    `found`, and `found_length` moves of its line are in `lines[0, 1]`; if there are none,
    `found_move` is the move that the table has, or -1.
    """
    counters = stack.counters
    prunes = is_limited and limits.numbers.prunes
    frame = counters.frame
    while True:
        if counters.expanded + counters.researched + counters.played_out >= pause:
            counters.frame = frame
            return PAUSED
        what, value, proven = _visit(game, limits, stack, table, frame, is_limited)
        if what == PUSHED:
            frame += 1
            continue
        if what == LATER:
            set_terms(game, stack, frame)
            continue
        if what != LEAF:
            counters.frame = frame
            return what
        length = 0
        while frame > 0 and not _take(game, prunes, stack, frame, value, proven, length):
            # the last child of this frame's node is known, and so is the node
            value, proven = _leave(game, limits, stack, table, frame, is_limited)
            length = stack.frames[frame].best_length
            frame -= 1
        if frame == 0:
            counters.frame = 0
            counters.found_proven = proven
            counters.found_length = length
            stack.found[0] = value
            return FINISHED


@nopython
def place_root(game: Game, limits: Limits, stack: Stack, state: Words, remaining: int) -> None:
    """Begin a search of a packed state: make it the only child of frame 0."""
    set_counting(game, signed(limits.numbers.has_tally and remaining == ENDLESS))
    row = stack.frames[0]
    place_state(game, stack, state, remaining)
    row.own_count = row.reply_count = row.chance_count = 1
    row.alpha = row.floor = game.numbers.lose
    row.beta, row.worst = game.numbers.win, np.inf
    stack.counters.frame = 0
    stack.counters.found_move = -1


@nopython
def table_move(
    game: Game, limits: Limits, table: Table, state: Words, remaining: int, value: float
) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found at the same depth.
    """
    set_counting(game, signed(limits.numbers.has_tally and remaining == ENDLESS))
    first, second = table_key_of_state(game, state)
    slot, packed, word = probe(table, first, second, hash_of(first, second))
    if slot < 0:
        return -1
    found = value_of(word)
    if game.numbers.is_counting:
        found = goal_after(limits, count_of_state(limits, state), found)
    if found != value or not _settles(packed, value, remaining, value, value):
        return -1
    return move_of(packed)


@inlined
def _visit(
    game: Game, limits: Limits, stack: Stack, table: Table, frame: int, is_limited: int
) -> tuple[int, float, int]:
    """Visit the next child of a frame; make it a frame if it must be searched.

    Returns LEAF, its value and whether that is proven; or PUSHED, or why nothing can be done.
    """
    numbers, counters, row = game.numbers, stack.counters, stack.frames[frame]
    child = row.own_term + row.reply_term + row.chance_at * row.chance_stride
    what, block, lane, remaining, first, second, mixed = visit(game, stack, frame, child)
    if what == TERMINAL:
        return LEAF, max(0.0, goal_of(game, stack.arena, block, lane, numbers.role)), 1
    if what == REPEATED:
        return LEAF, 0.0, 0
    if what == HORIZON:
        entry = find_means(game, stack, frame, child, first, second)
        value = estimate_of(game, stack.arena, block, lane, numbers.role, entry)
        if is_limited:
            value = min(value, find_upper(game, limits, stack.arena, block, lane))
        return LEAF, value, 0
    alpha, beta = _window(game, stack, frame)
    count, one, other, symmetry = _in_table(
        game, limits, stack, frame, child, block, lane, first, second, is_limited
    )
    known = np.uint64(0)
    if numbers.has_table:
        known, value = _probed(game, limits, table, one, other, mixed, count, is_limited)
        if known and _settles(known, value, remaining, alpha, beta):
            counters.table_hits += 1
            counters.met_horizon |= 1 - is_proven(known)
            if frame == 0:
                counters.found_move = move_of(known)
            return LEAF, value, is_proven(known)
    prunes = is_limited and limits.numbers.prunes
    if prunes and _is_outside(game, limits, stack, frame, alpha, block, lane):
        return LEAF, limits.upper[0], 1
    is_later = is_left_for_later(stack, frame, mixed)
    what = (
        LATER if is_later else expand_and_fetch(game, stack, table, frame, block, lane, known != 0)
    )
    if what == PUSHED:
        new, hash_move = stack.frames[frame + 1], move_of(known) if known else signed(-1)
        hash_move = source_of(game, stack, frame + 1, hash_move, symmetry)
        new.table_first, new.table_second, new.symmetry = one, other, symmetry
        new.remaining, new.alpha, new.beta, new.floor = remaining, alpha, beta, alpha
        enter_path(stack, frame + 1, first, second, mixed)
        announce(stack, frame + 1, mixed)
        _enter(game, stack, table, frame + 1, hash_move)
        if is_limited:
            new.count = count
        if prunes:
            _set_upper(limits, stack, frame)
    elif what in (FULL, LATER):
        counters.generated -= frame > 0
    return what, 0.0, 0


@inlined
def _in_table(
    game: Game,
    limits: Limits,
    stack: Stack,
    frame: int,
    child: int,
    block: int,
    lane: np.uint64,
    first: np.uint64,
    second: np.uint64,
    is_limited: int,
) -> tuple[int, np.uint64, np.uint64, int]:
    """Return the count of a child, if the search counts, its key in the table, and the symmetry."""
    arena, at, count = stack.arena, stack.frames[frame].keys, signed(0)
    if is_limited and game.numbers.is_counting:
        count = signed(count_of(game, limits, arena, block, lane))
    if at:
        at += child * KEY_WORDS
        return count, arena[at + 3], arena[at + 4], signed(arena[at + 5])
    one, other = table_key(game, arena, block, lane, first, second)
    return count, one, other, signed(0)


@inlined
def _probed(
    game: Game,
    limits: Limits,
    table: Table,
    first: np.uint64,
    second: np.uint64,
    mixed: np.uint64,
    count: int,
    is_limited: int,
) -> tuple[np.uint64, float]:
    """Return the packed word of a key, 0 for none, and its value in a state with this count."""
    slot, packed, word = probe(table, first, second, mixed)
    if slot < 0:
        return packed, 0.0
    value = value_of(word)
    if is_limited and game.numbers.is_counting:
        value = goal_after(limits, count, value)
    return packed if value == value else np.uint64(0), value  # noqa: PLR0124 - no NaN


@nopython
def _is_outside(
    game: Game,
    limits: Limits,
    stack: Stack,
    frame: int,
    alpha: float,
    block: int,
    lane: np.uint64,
) -> bool:
    """Find the most that the role can get below a child; return whether that is alpha or less.

    Then the child is not searched, as where the reference calls `RoleSearch.cut`. There, alpha is
    below all goals until the role has the value of a move; here, `_holds` says whether it has.
    """
    upper = limits.upper[0] = find_upper(game, limits, stack.arena, block, lane)
    if upper > alpha or not (_holds(stack, frame) or alpha > game.numbers.low):
        return False
    stack.counters.table_prunes += can_move(game, stack.arena, block, lane)
    return True


@nopython
def _set_upper(limits: Limits, stack: Stack, frame: int) -> None:
    """Note, in the frame of a child, the most that the role can get, which lowers beta."""
    new, upper = stack.frames[frame + 1], limits.upper[0]
    new.upper, new.beta, new.holds = upper, min(new.beta, upper), _holds(stack, frame)


@inlined
def _holds(stack: Stack, frame: int) -> int:
    """Return whether the role has the value of a move, here or above, or a mean is searched."""
    row = stack.frames[frame]
    return signed(row.holds != 0 or row.own_at > 0 or row.chance_count > 1)


@inlined
def _window(game: Game, stack: Stack, frame: int) -> tuple[float, float]:
    """Return the window with which the next child of a frame is searched."""
    numbers, row = game.numbers, stack.frames[frame]
    if numbers.algorithm == MINIMAX:
        return -np.inf, np.inf
    if row.chance_count > 1:
        # a mean needs exact values
        return numbers.low, numbers.high
    if numbers.algorithm == BOUNDED:
        return row.alpha, row.beta
    return row.floor, min(row.beta, row.worst)


@inlined
def _settles(packed: np.uint64, value: float, remaining: int, alpha: float, beta: float) -> bool:
    """Return whether an entry of this value answers a search with this window."""
    bound = kind_of(packed)
    return is_as_deep(packed, remaining) and (
        bound == _EXACT
        or (bound == _LOWER and value >= beta)
        or (bound == _UPPER and value <= alpha)
    )


@inlined
def _enter(game: Game, stack: Stack, table: Table, frame: int, hash_move: int) -> None:
    """Prepare a frame for its first child."""
    row, chance = stack.frames[frame], game.numbers.chance
    counts, strides, role = stack.counts[frame], stack.strides[frame], game.numbers.role
    row.own_count, row.own_stride, row.chance_count = counts[role], strides[role], 1
    if chance >= 0:
        row.chance_count, row.chance_stride = counts[chance], strides[chance]
    # the product of the first role's count and stride is the number of joint moves
    every, others = counts[0] * strides[0], row.own_count * row.chance_count
    row.reply_count = 1 if every == others else every // others
    row.proven = row.best_proven = row.min_proven = row.worst_proven = row.mean_proven = 1
    row.own_at = row.reply_at = row.chance_at = row.own_term = row.reply_term = 0
    row.best_length = row.worst_length = 0
    row.began = stack.counters.expanded + stack.counters.researched
    row.best, row.worst, row.total = -np.inf, np.inf, 0.0
    row.order = row.later = 0
    is_sorted = game.numbers.is_ordered and (frame > 1 or game.numbers.is_root_ordered)
    if is_sorted and row.chance_count == 1:
        arrange(game, stack, frame, hash_move)
        is_known = game.numbers.has_table and not game.numbers.is_counting
        if row.order and row.keys and is_known and row.remaining == ENDLESS:
            _look_ahead(game, stack, table, frame)
        set_terms(game, stack, frame)


@inlined
def _look_ahead(game: Game, stack: Stack, table: Table, frame: int) -> None:
    """Let a child come first whose entry in the table ends the search of its parent at once.

    Schaeffer and Plaat (1996) "New advances in alpha-beta searching": enhanced transposition
    cutoffs. There is nothing to look for where the game ends at the first child.
    """
    row, arena = stack.frames[frame], stack.arena
    remaining = row.remaining if row.remaining == ENDLESS else row.remaining - 1
    is_max = row.own_count > 1
    options = row.own_count if is_max else row.reply_count
    block, lane = lane_of(game, row.children, signed(arena[row.order]))
    if is_terminal(game, arena, block, lane):
        return
    for place in range(options):
        at = row.keys + signed(arena[row.order + 2 * place]) * KEY_WORDS
        slot, packed, bits = probe(table, arena[at + 3], arena[at + 4], arena[at + 2])
        if slot >= 0 and is_as_deep(packed, remaining):
            value, bound = value_of(bits), kind_of(packed)
            if (is_max and bound != _UPPER and value >= row.beta) or (
                not is_max and bound != _LOWER and value <= row.alpha
            ):
                for word in range(row.order, row.order + 2):
                    first = arena[word + 2 * place]
                    for at in range(word + 2 * place, word, -2):
                        arena[at] = arena[at - 2]
                    arena[word] = first
                return


@inlined
def _take(
    game: Game, prunes: int, stack: Stack, frame: int, value: float, proven: int, length: int
) -> bool:
    """Take the value of the current child; return whether there is another one to visit.

    The first `length` moves of the child's line are in `lines[0, frame + 1]`.
    """
    row, lines, counters = stack.frames[frame], stack.lines, stack.counters
    cuts = game.numbers.algorithm != MINIMAX
    if row.chance_count > 1:
        row.total += value
        row.mean_proven &= proven
        row.chance_at += 1
        if row.chance_at < row.chance_count:
            return True
        value, proven, length = row.total / row.chance_count, row.mean_proven, 0
        row.chance_at, row.mean_proven, row.total = 0, 1, 0.0
    row.min_proven &= proven
    if value < row.worst:
        row.worst, row.worst_proven = value, proven
        if row.reply_count > 1 or value > row.best:
            # where only one side has a choice, its line is the line of the frame at once
            kind = signed(row.own_count > 1 and row.reply_count > 1)
            lines[kind, frame, 0] = row.own_term + row.reply_term
            for i in range(length):
                lines[kind, frame, 1 + i] = lines[0, frame + 1, i]
        row.worst_length = 1 + length
    row.reply_at += 1
    if cuts and row.worst <= row.floor:
        row.min_proven = row.worst_proven
        counters.min_prunes += row.reply_at < row.reply_count
        remember(stack, frame, row.reply_at - 1)
    elif row.reply_at < row.reply_count:
        set_terms(game, stack, frame)
        return True
    elif not cuts and row.worst_proven and row.worst <= game.numbers.low:
        row.min_proven = 1
    return _own_move(game, prunes, stack, frame)


@inlined
def _own_move(game: Game, prunes: int, stack: Stack, frame: int) -> bool:
    """Take the value of the current own move; return whether there is another child to visit."""
    row, lines = stack.frames[frame], stack.lines
    cuts = game.numbers.algorithm != MINIMAX
    row.proven &= row.min_proven
    if row.worst > row.best:
        row.best, row.best_proven = row.worst, row.min_proven
        if row.own_count > 1 and row.reply_count > 1:
            for i in range(row.worst_length):
                lines[0, frame, i] = lines[1, frame, i]
        row.best_length = row.worst_length
    row.own_at += 1
    if cuts and row.best >= row.beta:
        row.proven = row.best_proven
        if prunes and row.best >= row.upper:
            stack.counters.table_prunes += row.own_at < row.own_count
        else:
            stack.counters.max_prunes += row.own_at < row.own_count
        remember(stack, frame, row.own_at - 1)
        return False
    if row.own_at < row.own_count:
        row.reply_at, row.min_proven = 0, 1
        set_terms(game, stack, frame)
        row.worst, row.worst_proven = np.inf, 1
        if game.numbers.algorithm == ALPHABETA:
            row.floor = max(row.alpha, row.best)
        return True
    if not cuts and row.best_proven and row.best >= game.numbers.high:
        row.proven = 1
    return False


@inlined
def _leave(
    game: Game, limits: Limits, stack: Stack, table: Table, frame: int, is_limited: int
) -> tuple[float, int]:
    """Take a frame off the path, store its value in the table, and return it."""
    row, counters = stack.frames[frame], stack.counters
    prunes = is_limited and limits.numbers.prunes
    _, _, mixed = leave_path(stack, frame)
    withdraw(stack, frame, mixed)
    value, proven = row.best, row.proven
    if game.numbers.has_table:
        bound = _EXACT
        if game.numbers.algorithm != MINIMAX and game.numbers.low < value < game.numbers.high:
            if value >= row.beta:
                is_most = prunes and value >= row.upper
                bound = _EXACT if is_most else _LOWER
            elif value <= row.alpha:
                bound = _UPPER
        work = work_of(stack.frames, counters, frame)
        move = image_of(game, stack, frame, stack.lines[0, frame, 0], row.symmetry)
        packed = pack_entry(bound, proven, work, counters.age, row.remaining, move)
        kept = value
        if is_limited and game.numbers.is_counting:
            added = added_to(limits, row.count, value) if proven else UNKNOWN
            if added == UNKNOWN:
                return value, proven
            kept = float(added)
        one, other = row.table_first, row.table_second
        store(table, counters, one, other, mixed, packed, bits_of(kept))
    return value, proven
