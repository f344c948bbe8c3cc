"""Depth-first search as one compiled loop: minimax, bounded minimax and alpha-beta.

The functions of `ggp.search.minimax`, `bounded` and `alphabeta`, with their recursion unrolled into
arrays. A *frame* is a node that is being searched: frame 0 stands above the root, frame f is the
node at ply f - 1, and its children are at ply f. To expand a node is to run the circuit's two
halves once for every 64 * words joint moves: the next states stay in lanes, one child a lane, in a
*block* of the arena, laid out as the view's code wants its buffer:

    pointer | facts | legal moves | terminal | goals | bad goals | scratch

so that the view runs in place, and what it says of the children is there when one of them is
visited. Nothing is transposed: what is needed of a child is gathered from its lane.

All that the loop knows is in arrays: it returns when it has expanded so many nodes, or needs more
room, and goes on when it is called again. All compiled loops of the engine stand in this file, for
the reason that `ggp.reasoner.compiled.loops` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled.loops import Words, popcount, run

__all__ = [
    "ALPHABETA",
    "BOUNDED",
    "ENDLESS",
    "FINISHED",
    "FULL",
    "MINIMAX",
    "PAUSED",
    "SPENT",
    "STUCK",
    "TOO_MANY",
    "Game",
    "Stack",
    "Table",
    "explore",
    "fill",
    "inlined",
    "known",
    "nopython",
    "place_root",
]

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


#: A word as an integer with a sign, inside compiled code.
signed = cast(Callable[[Any], int], np.int64)
_njit: Any = numba.njit


def nopython(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile a function for the CPU once, keep it on disk, and run it without the GIL."""
    compiled = _njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)
    return cast(Callable[_Args, _Result], compiled)


def inlined(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Make a function part of those that call it: to hand over many arrays takes time."""
    compiled = _njit(inline="always", error_model="numpy", _nrt=False)(function)
    return cast(Callable[_Args, _Result], compiled)


#: The algorithms.
MINIMAX, BOUNDED, ALPHABETA = range(3)

#: Why `explore` returned: the root's value is found, it is time to look at the clock, no more nodes
#: may be expanded, a role cannot move, a state has too many joint moves, or arena or frames are
#: full.
FINISHED, PAUSED, SPENT, STUCK, TOO_MANY, FULL = range(6)
# What else may happen to a child: its value is known, or it is a frame now.
_LEAF, _PUSHED = 6, 7

#: A number of joint moves that never runs out.
ENDLESS = 65535

#: Entries of a bucket of the table, and words of an entry: two of the key, what is known, a value.
ENTRIES, ENTRY_WORDS = 4, 4
# What a value in the table says of the true one.
_EXACT, _LOWER, _UPPER = 1, 2, 3
# What is tried first: what the table names, then what wins at once, last what loses at once. Beyond
# so many moves their order is left as it is.
_NAMED, _AT_ONCE, MANY = 1 << 60, 1 << 50, 512
# Where the parts of what is known begin: 2 bits for the bound, 1 for sure, 6 for the work, 8 for
# the age, 16 for the joint moves that remained, 31 for the move.
_IS_SURE, _WORK, _AGE, _REMAINING, _MOVE = 2, 3, 9, 17, 33

# Places in `Game.numbers`: addresses of code, sizes, and what is searched for;
(VIEW, NEXT, WORDS, FACTS, MOVES, ROLES, INPUTS, ROLE, CHANCE, ALGORITHM, ORDERED, MOBILITY,
 MAX_PLIES, MAX_CHILDREN, SCRATCH, HAS_TABLE, POINTER, SHIFT, BLOCK,
 NUMBERS) = range(20)  # fmt: skip
# in `Game.floats`: the range of values, thresholds, the highest estimate, the middle, and the share
# of mobility;
LOW, HIGH, LOSE, WIN, HIGHEST, MIDDLE, SHARE, FLOATS = range(8)
# in a row of `Stack.frames`;
(BASE, TOP, LISTS, OWN, ANSWERS, LUCK, AT_OWN, AT_ANSWER, AT_LUCK, OWN_TERM, ANSWER_TERM,
 OWN_STRIDE, LUCK_STRIDE, REMAINING, SURE, BEST_SURE, MIN_SURE, WORST_SURE, MEAN_SURE, BEST_LENGTH,
 WORST_LENGTH, BEGAN, ORDER, FRAME_FIELDS) = range(24)  # fmt: skip
# in a row of `Stack.values`;
ALPHA, BETA, FLOOR, BEST, WORST, SUM, FRAME_VALUES = range(7)
# and in `Stack.counters`.
(FRAME, EXPANDED, RESEARCHED, GENERATED, HITS, DEEPEST, MET_HORIZON, MAX_PRUNES, MIN_PRUNES,
 HELD, AGE, NEEDED, FOUND_SURE, FOUND_MOVE, FOUND_LENGTH, LIMIT, COUNTERS) = range(17)  # fmt: skip


class Game(NamedTuple):
    """One game, seen by one role, for one algorithm."""

    #: int64[NUMBERS] and float64[FLOATS]: see the names above.
    numbers: NDArray[np.int64]
    floats: NDArray[np.float64]
    #: int64[roles + 1]: where each role's moves begin among all, and each role's goals.
    first_move: NDArray[np.int64]
    first_goal: NDArray[np.int64]
    #: float64[goals]: what each goal is worth.
    goals: NDArray[np.float64]
    #: The sets of moves that the step reads (see `step_states`), or no rows.
    sets: Words
    #: uint64[2, facts]: random words, for the keys of states that are too large to be their own.
    random: Words
    #: What the step works in.
    buffer: Words


class Stack(NamedTuple):
    """Where the search is, and what it has counted."""

    #: int64[frames, FRAME_FIELDS], float64[frames, FRAME_VALUES], uint64[frames, 2]
    frames: NDArray[np.int64]
    values: NDArray[np.float64]
    keys: Words
    #: int64[frames, 2, roles]: of each role's moves how many there are, and what each adds to the
    #: number of the joint move.
    turns: NDArray[np.int64]
    #: int32[2, frames, frames]: the best line of each frame, and that after its own move at hand.
    lines: NDArray[np.int32]
    #: The blocks of the frames, one after the other, each after the frame's legal moves.
    arena: Words
    #: int64[any]: scores of moves while they are sorted.
    scores: NDArray[np.int64]
    #: int64[moves]: how often each move cut something off, and how much.
    history: NDArray[np.int64]
    #: uint16[any power of 2]: how many frames have a key of that hash.
    on_path: NDArray[np.uint16]
    #: int64[COUNTERS]
    counters: NDArray[np.int64]
    #: float64[1]: the value of the root, once it is found.
    found: NDArray[np.float64]


class Table(NamedTuple):
    """The transposition table: the same memory as words and as floating-point numbers."""

    words: Words
    values: NDArray[np.float64]


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
        if counters[EXPANDED] + counters[RESEARCHED] >= pause:
            counters[FRAME] = frame
            return PAUSED
        what, value, sure = _visit(game, stack, table, frame)
        if what == _PUSHED:
            frame += 1
            continue
        if what != _LEAF:
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
    numbers, arena, frames, values = game.numbers, stack.arena, stack.frames, stack.values
    words = numbers[WORDS]
    for fact in range(numbers[FACTS]):
        held = (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
        arena[(1 + fact) * words] = held
    arena[0] = np.uint64(numbers[POINTER])
    run(numbers[VIEW], arena)
    frames[0, :] = 0
    frames[0, TOP] = numbers[BLOCK]
    frames[0, OWN] = frames[0, ANSWERS] = frames[0, LUCK] = 1
    frames[0, REMAINING] = remaining if remaining == ENDLESS else remaining + 1
    values[0, ALPHA] = values[0, FLOOR] = game.floats[LOSE]
    values[0, BETA] = game.floats[WIN]
    values[0, WORST] = np.inf
    stack.counters[FRAME] = 0
    stack.counters[FOUND_MOVE] = -1


@inlined
def _visit(game: Game, stack: Stack, table: Table, frame: int) -> tuple[int, float, int]:
    """Look at the child of a frame whose turn it is; make it a frame if it must be searched.

    Returns _LEAF, its value and whether that is sure; or _PUSHED, or why nothing can be done.
    """
    numbers, floats, counters, arena = game.numbers, game.floats, stack.counters, stack.arena
    row, bounds = stack.frames[frame], stack.values[frame]
    words, facts, moves = numbers[WORDS], numbers[FACTS], numbers[MOVES]
    child = row[OWN_TERM] + row[ANSWER_TERM] + row[AT_LUCK] * row[LUCK_STRIDE]
    block = row[BASE] + (child >> numbers[SHIFT]) * numbers[BLOCK] + ((child >> 6) & (words - 1))
    lane = np.uint64(child & 63)
    counters[GENERATED] += frame > 0
    counters[DEEPEST] = max(counters[DEEPEST], frame)
    if (arena[block + (1 + facts + moves) * words] >> lane) & np.uint64(1):
        return _LEAF, max(0.0, _goal(game, arena, block, lane)), 1
    first, second = _key(game, arena, block, lane)
    if _is_on_path(stack, frame, first, second):
        return _LEAF, 0.0, 0
    remaining = row[REMAINING] if row[REMAINING] == ENDLESS else row[REMAINING] - 1
    if remaining <= 0 or frame >= numbers[MAX_PLIES]:
        counters[MET_HORIZON] = 1
        return _LEAF, _estimate(game, arena, block, lane), 0
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
        slot = _look_up(table, first, second)
        if slot >= 0 and _settles(table, slot, remaining, alpha, beta):
            meta = table.words[slot, 2]
            is_sure = signed((meta >> np.uint64(_IS_SURE)) & np.uint64(1))
            counters[HITS] += 1
            counters[MET_HORIZON] |= 1 - is_sure
            if frame == 0:
                counters[FOUND_MOVE] = signed(meta >> np.uint64(_MOVE))
            return _LEAF, table.values[slot, 3], is_sure
    what = _expand(game, stack, frame, block, lane, slot >= 0)
    if what != _PUSHED:
        if what == FULL:
            counters[GENERATED] -= frame > 0
        return what, 0.0, 0
    named = signed(-1) if slot < 0 else signed(table.words[slot, 2] >> np.uint64(_MOVE))
    _enter(game, stack, frame + 1, named)
    new, limits = stack.frames[frame + 1], stack.values[frame + 1]
    stack.keys[frame + 1, 0], stack.keys[frame + 1, 1] = first, second
    stack.on_path[_hash(first, second) & np.uint64(len(stack.on_path) - 1)] += np.uint16(1)
    new[REMAINING] = remaining
    limits[ALPHA], limits[BETA] = alpha, beta
    limits[FLOOR] = alpha
    return _PUSHED, 0.0, 0


@inlined
def _settles(table: Table, slot: int, remaining: int, alpha: float, beta: float) -> bool:
    """Return whether an entry is all that a search with this window wants to know."""
    meta, value = table.words[slot, 2], table.values[slot, 3]
    if not (meta >> np.uint64(_IS_SURE)) & np.uint64(1):
        depth = signed((meta >> np.uint64(_REMAINING)) & np.uint64(ENDLESS))
        if depth != remaining:
            return False
    bound = signed(meta & np.uint64(3))
    return (
        bound == _EXACT
        or (bound == _LOWER and value >= beta)
        or (bound == _UPPER and value <= alpha)
    )


@inlined
def _enter(game: Game, stack: Stack, frame: int, named: int) -> None:
    """Make ready for the first child of a frame."""
    row, values = stack.frames[frame], stack.values[frame]
    row[SURE] = row[BEST_SURE] = row[MIN_SURE] = row[WORST_SURE] = row[MEAN_SURE] = 1
    row[AT_OWN] = row[AT_ANSWER] = row[AT_LUCK] = row[OWN_TERM] = row[ANSWER_TERM] = 0
    row[BEST_LENGTH] = row[WORST_LENGTH] = 0
    row[BEGAN] = stack.counters[EXPANDED] + stack.counters[RESEARCHED]
    values[BEST], values[WORST], values[SUM] = -np.inf, np.inf, 0.0
    row[ORDER] = 0
    if game.numbers[ORDERED] and frame > 1 and row[LUCK] == 1:
        _arrange(game, stack, frame, named)
        _set_terms(game, stack, frame)


@inlined
def _arrange(game: Game, stack: Stack, frame: int, named: int) -> None:
    """Sort the moves of a frame in which only one role has a choice; the child `named` comes first.

    In the arena, at ORDER, stand for each the number of the child and that of the move.
    """
    numbers, arena, row = game.numbers, stack.arena, stack.frames[frame]
    mover, movers, listed = 0, 0, 0
    for role in range(numbers[ROLES]):
        if stack.turns[frame, 0, role] > 1:
            mover, movers = role, movers + 1
    options, stride = stack.turns[frame, 0, mover], stack.turns[frame, 1, mover]
    if movers != 1 or options > MANY:
        return
    for role in range(mover):
        listed += stack.turns[frame, 0, role]
    order = row[ORDER] = row[BASE] - 2 * options
    sign = 1 if mover == numbers[ROLE] else -1
    for option in range(options):
        child, move = option * stride, arena[row[LISTS] + listed + option]
        score = _promise(game, stack, row[BASE], child, sign) + stack.history[signed(move)]
        if child == named:
            score = signed(_NAMED)
        place = option
        while place > 0 and stack.scores[place - 1] < score:
            stack.scores[place] = stack.scores[place - 1]
            arena[order + 2 * place] = arena[order + 2 * place - 2]
            arena[order + 2 * place + 1] = arena[order + 2 * place - 1]
            place -= 1
        stack.scores[place] = score
        arena[order + 2 * place], arena[order + 2 * place + 1] = np.uint64(child), move


@inlined
def _promise(game: Game, stack: Stack, base: int, child: int, sign: int) -> int:
    """Return more than nothing for a child that ends the game well for the mover, or less."""
    numbers, words = game.numbers, game.numbers[WORDS]
    block = base + (child >> numbers[SHIFT]) * numbers[BLOCK] + ((child >> 6) & (words - 1))
    lane, over = np.uint64(child & 63), 1 + numbers[FACTS] + numbers[MOVES]
    promise = signed(0)
    if (stack.arena[block + over * words] >> lane) & np.uint64(1):
        value = max(0.0, _goal(game, stack.arena, block, lane))
        if value >= game.floats[HIGH]:
            promise = sign * signed(_AT_ONCE)
        elif value <= game.floats[LOW]:
            promise = -sign * signed(_AT_ONCE)
    return promise


@inlined
def _set_terms(game: Game, stack: Stack, frame: int) -> None:
    """Set what the own move and the answer at hand add to the number of the child."""
    row = stack.frames[frame]
    if row[ORDER]:
        row[OWN_TERM] = stack.arena[row[ORDER] + 2 * max(row[AT_OWN], row[AT_ANSWER])]
    else:
        row[OWN_TERM] = row[AT_OWN] * row[OWN_STRIDE]
        row[ANSWER_TERM] = _answer_term(game, stack, frame, row[AT_ANSWER])


@inlined
def _remember(stack: Stack, frame: int, place: int) -> None:
    """Note that the move at a place cut off what came behind it."""
    row = stack.frames[frame]
    if row[ORDER]:
        move = signed(stack.arena[row[ORDER] + 2 * place + 1])
        work = _work(stack, frame)
        stack.history[move] += (1 + work) * (1 + work)


@inlined
def _work(stack: Stack, frame: int) -> int:
    """Return the bits of the number of nodes that were expanded below a frame."""
    spent = stack.counters[EXPANDED] + stack.counters[RESEARCHED] - stack.frames[frame, BEGAN]
    work = 0
    while spent > 0:
        spent >>= 1
        work += 1
    return work


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
        lines[1, frame, 0] = row[OWN_TERM] + row[ANSWER_TERM]
        for i in range(length):
            lines[1, frame, 1 + i] = lines[0, frame + 1, i]
        row[WORST_LENGTH] = 1 + length
    row[AT_ANSWER] += 1
    if cuts and values[WORST] <= values[FLOOR]:
        row[MIN_SURE] = row[WORST_SURE]
        counters[MIN_PRUNES] += row[AT_ANSWER] < row[ANSWERS]
        _remember(stack, frame, row[AT_ANSWER] - 1)
    elif row[AT_ANSWER] < row[ANSWERS]:
        _set_terms(game, stack, frame)
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
        for i in range(row[WORST_LENGTH]):
            lines[0, frame, i] = lines[1, frame, i]
        row[BEST_LENGTH] = row[WORST_LENGTH]
    row[AT_OWN] += 1
    if cuts and values[BEST] >= values[BETA]:
        row[SURE] = row[BEST_SURE]
        stack.counters[MAX_PRUNES] += row[AT_OWN] < row[OWN]
        _remember(stack, frame, row[AT_OWN] - 1)
        return False
    if row[AT_OWN] < row[OWN]:
        row[AT_ANSWER], row[MIN_SURE] = 0, 1
        _set_terms(game, stack, frame)
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
    first, second = stack.keys[frame]
    stack.on_path[_hash(first, second) & np.uint64(len(stack.on_path) - 1)] -= np.uint16(1)
    value, sure = values[BEST], row[SURE]
    if game.numbers[HAS_TABLE]:
        bound = _EXACT
        if game.numbers[ALGORITHM] != MINIMAX and game.floats[LOW] < value < game.floats[HIGH]:
            if value >= values[BETA]:
                bound = _LOWER
            elif value <= values[ALPHA]:
                bound = _UPPER
        meta = (
            np.uint64(bound)
            | np.uint64(sure) << np.uint64(_IS_SURE)
            | np.uint64(_work(stack, frame)) << np.uint64(_WORK)
            | np.uint64(counters[AGE] & 255) << np.uint64(_AGE)
            | np.uint64(row[REMAINING]) << np.uint64(_REMAINING)
            | np.uint64(stack.lines[0, frame, 0]) << np.uint64(_MOVE)
        )
        slot = _place(table, first, second, meta)
        counters[HELD] += table.words[slot, 2] == 0
        table.words[slot, 0], table.words[slot, 1] = first, second
        table.words[slot, 2] = meta
        table.values[slot, 3] = value
    return value, sure


@inlined
def _place(table: Table, first: np.uint64, second: np.uint64, meta: np.uint64) -> int:
    """Return the entry of its bucket that a new one replaces.

    That is the state's own; or one that is empty; or among those of earlier searches, if there
    are any, the one that took the least work.
    """
    begin = _bucket(table, first, second)
    chosen, lowest = begin, np.uint64(1 << 62)
    for slot in range(begin, begin + ENTRIES):
        known = table.words[slot, 2]
        if known == 0 or (table.words[slot, 0] == first and table.words[slot, 1] == second):
            return slot
        is_of_today = ((known ^ meta) >> np.uint64(_AGE)) & np.uint64(255) == np.uint64(0)
        worth = (known >> np.uint64(_WORK)) & np.uint64(63)
        if is_of_today:
            worth += np.uint64(64)
        if worth < lowest:
            chosen, lowest = slot, worth
    return chosen


@nopython
def fill(table: Table, old: Table) -> int:
    """Put the entries of another table into an empty one; return how many it holds then."""
    held = 0
    for entry in range(len(old.words)):
        first, second, meta = old.words[entry, 0], old.words[entry, 1], old.words[entry, 2]
        if meta:
            slot = _place(table, first, second, meta)
            held += table.words[slot, 2] == 0
            table.words[slot, 0], table.words[slot, 1] = first, second
            table.words[slot, 2], table.words[slot, 3] = meta, old.words[entry, 3]
    return held


@nopython
def known(game: Game, table: Table, state: Words, remaining: int, value: float) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found for the same depth.
    """
    first, second = _key_of(game, state)
    slot = _look_up(table, first, second)
    if slot < 0 or table.values[slot, 3] != value:
        return -1
    if not _settles(table, slot, remaining, value, value):
        return -1
    return signed(table.words[slot, 2] >> np.uint64(_MOVE))


@inlined
def _look_up(table: Table, first: np.uint64, second: np.uint64) -> int:
    """Return the entry of a key, or -1."""
    begin = _bucket(table, first, second)
    for slot in range(begin, begin + ENTRIES):
        if (
            table.words[slot, 0] == first
            and table.words[slot, 1] == second
            and table.words[slot, 2] != 0
        ):
            return slot
    return -1


@inlined
def _bucket(table: Table, first: np.uint64, second: np.uint64) -> int:
    """Return where the bucket of a key begins."""
    buckets = np.uint64(len(table.words) // ENTRIES)
    return signed((_hash(first, second) >> np.uint64(32)) * buckets >> np.uint64(32)) * ENTRIES


@inlined
def _hash(first: np.uint64, second: np.uint64) -> np.uint64:
    mixed: np.uint64 = first * np.uint64(0x9E3779B97F4A7C15) ^ second
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@inlined
def _is_on_path(stack: Stack, frame: int, first: np.uint64, second: np.uint64) -> bool:
    """Return whether the state of this key is being searched, in this frame or above."""
    if stack.on_path[_hash(first, second) & np.uint64(len(stack.on_path) - 1)]:
        for above in range(frame, 0, -1):
            if stack.keys[above, 0] == first and stack.keys[above, 1] == second:
                return True
    return False


@inlined
def _key_of(game: Game, state: Words) -> tuple[np.uint64, np.uint64]:
    """Return the key of a packed state, as `_key` does of a lane."""
    if game.numbers[FACTS] <= 128:
        return state[0], state[1] if len(state) > 1 else np.uint64(0)
    first, second = np.uint64(0), np.uint64(0)
    for fact in range(game.numbers[FACTS]):
        if (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
            first ^= game.random[0, fact]
            second ^= game.random[1, fact]
    return first, second


@inlined
def _key(game: Game, arena: Words, block: int, lane: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the key of the state in a lane.

    A state of up to 128 facts is its own key. Of a larger one the key is the exclusive or of 128
    random bits for each fact: two states have the same with probability 2^-128, whatever they are,
    since the bits do not depend on the game. Among 10^10 states in the table and 10^12 that are
    looked up, that any is mistaken for another has a probability below 10^-16.
    """
    facts, words = game.numbers[FACTS], game.numbers[WORDS]
    if facts <= 128:
        low = _gather(arena, block + words, min(64, facts), words, lane)
        if facts <= 64:
            return low, np.uint64(0)
        return low, _gather(arena, block + 65 * words, facts - 64, words, lane)
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
def _gather(arena: Words, begin: int, count: int, words: int, lane: np.uint64) -> np.uint64:
    """Return the bits of a lane in up to 64 rows."""
    gathered = np.uint64(0)
    if words == 1:
        rows = arena[begin : begin + count]
        for i in range(count):
            gathered |= ((rows[i] >> lane) & np.uint64(1)) << np.uint64(i)
    else:
        for i in range(count):
            gathered |= ((arena[begin + i * words] >> lane) & np.uint64(1)) << np.uint64(i)
    return gathered


@inlined
def _goal(game: Game, arena: Words, block: int, lane: np.uint64) -> float:
    """Return the goal of the role in a lane; -1 if it has none, or several."""
    numbers = game.numbers
    words, role = numbers[WORDS], numbers[ROLE]
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
def _estimate(game: Game, arena: Words, block: int, lane: np.uint64) -> float:
    """Return what the state in a lane is worth at the horizon."""
    numbers, highest = game.numbers, game.floats[HIGHEST]
    goal = _goal(game, arena, block, lane)
    if not numbers[MOBILITY]:
        return float(min(game.floats[MIDDLE] if goal < 0 else goal, highest))
    words, role = numbers[WORDS], numbers[ROLE]
    legal = block + (1 + numbers[FACTS]) * words
    own, total = 0, numbers[ROLES] + 1
    for move in range(numbers[MOVES]):
        if (arena[legal + move * words] >> lane) & np.uint64(1):
            total += 1
            own += game.first_move[role] <= move < game.first_move[role + 1]
    progress = 0.5 if goal < 0 or highest == 0 else goal / highest
    share = game.floats[SHARE]
    estimate = highest * ((1 - share) * progress + share * ((own + 1) / total))
    return float(min(estimate, highest))


@inlined
def _answer_term(game: Game, stack: Stack, frame: int, answer: int) -> int:
    """Return what the others' answer adds to the number of the joint move."""
    numbers, term = game.numbers, 0
    for role in range(numbers[ROLES] - 1, -1, -1):
        count = stack.turns[frame, 0, role]
        if count > 1 and role not in (numbers[ROLE], numbers[CHANCE]):
            term += answer % count * stack.turns[frame, 1, role]
            answer //= count
    return term


@inlined
def _expand(game: Game, stack: Stack, frame: int, block: int, lane: np.uint64, again: bool) -> int:
    """Make the state in a lane a frame, with all its children.

    Returns _PUSHED, or why it cannot be done; then nothing has changed, but for NEEDED.
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
    groups = (total + 64 * words - 1) // (64 * words)
    # the order of the moves takes two words for each
    base = (lists + (1 + 2 * numbers[ORDERED]) * listed + 7) // 8 * 8
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
    own, luck = stack.turns[frame + 1, 0, numbers[ROLE]], 1
    if numbers[CHANCE] >= 0:
        luck = stack.turns[frame + 1, 0, numbers[CHANCE]]
        row[LUCK_STRIDE] = stack.turns[frame + 1, 1, numbers[CHANCE]]
    row[OWN], row[LUCK], row[ANSWERS] = own, luck, total // (own * luck)
    row[OWN_STRIDE] = stack.turns[frame + 1, 1, numbers[ROLE]]
    _spread(game, arena, block, lane)
    facts, first = numbers[FACTS], words * (1 + numbers[FACTS])
    after = first + words * numbers[INPUTS]
    for group in range(groups):
        begin, place = group * 64 * words, base + group * size
        _mark(game, stack, frame + 1, begin, min(64 * words, total - begin))
        run(numbers[NEXT], game.buffer)
        arena[place] = np.uint64(numbers[POINTER])
        _copy(game.buffer, after, arena, place + words, facts * words)
        run(numbers[VIEW], arena[place:])
    return _PUSHED


@inlined
def _copy(source: Words, begin: int, target: Words, at: int, count: int) -> None:
    old, new = source[begin : begin + count], target[at : at + count]
    for i in range(count):
        new[i] = old[i]


@inlined
def _list_legal(
    game: Game, stack: Stack, frame: int, block: int, lane: np.uint64, lists: int
) -> int:
    """List the legal moves of the state in a lane, all roles' one after the other, in the arena.

    Counts each role's in `turns`; returns how many there are of all.
    """
    numbers, arena = game.numbers, stack.arena
    words = numbers[WORDS]
    legal = block + (1 + numbers[FACTS]) * words
    listed = 0
    for role in range(numbers[ROLES]):
        before = listed
        for begin in range(game.first_move[role], game.first_move[role + 1], 64):
            count = min(64, game.first_move[role + 1] - begin)
            left = _gather(arena, legal + begin * words, count, words, lane)
            while left:
                lowest = left & (np.uint64(0) - left)
                left ^= lowest
                arena[lists + listed] = np.uint64(begin + popcount(lowest - np.uint64(1)))
                listed += 1
        stack.turns[frame, 0, role] = listed - before
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
        for fact in range(facts):
            row = (1 + fact) * words
            held = np.uint64(0) - ((arena[block + row] >> lane) & np.uint64(1))
            for word in range(words):
                buffer[row + word] = held


@inlined
def _mark(game: Game, stack: Stack, frame: int, begin: int, count: int) -> None:
    """Put the joint moves begin <= n < begin + count of a frame into the lanes of the step."""
    numbers, buffer, words = game.numbers, game.buffer, game.numbers[WORDS]
    first = words * (1 + numbers[FACTS])
    clear = buffer[first : first + words * numbers[INPUTS]]
    for i in range(len(clear)):
        clear[i] = np.uint64(0)
    at = stack.frames[frame, LISTS]
    for role in range(numbers[ROLES]):
        options, stride = stack.turns[frame, 0, role], stack.turns[frame, 1, role]
        done, left = begin // stride % options, stride - begin % stride
        lane = 0
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
                        _fill(buffer, first + row * words, lane, last)
            else:
                _fill(buffer, first + move * words, lane, last)
            lane, left = last, stride
            done = done + 1 if done + 1 < options else 0
        at += options


@inlined
def _fill(buffer: Words, row: int, begin: int, end: int) -> None:
    """Set the lanes begin <= n < end of a row."""
    while begin < end:
        last = min(end, (begin & ~63) + 64)
        lanes = ~np.uint64(0) >> np.uint64(64 - (last - begin)) << np.uint64(begin & 63)
        buffer[row + (begin >> 6)] |= lanes
        begin = last
