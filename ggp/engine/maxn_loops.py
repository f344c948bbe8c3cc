"""Max-n and its prunings as one compiled loop.

The functions of `ggp.search.maxn`, `prunings`, `classifiers` and `monotone`, with their recursion
unrolled into arrays. How a node is expanded, and what a *frame* and a *block* are, says
`ggp.engine.loops`. Above the frames stands a second stack, of *choices*: of the roles that have a
choice in a node each has one, in the order in which they choose; a node in which nobody has a
choice has one that belongs to nobody. Choice 0 is above the root. The path with which a choice is
searched (its box, and its last entries) stands in its own row, so that who is above writes there
before it is known whether there will be a choice at all.

What was found last is in `Stack.value`, or, if nothing but that it is outside of a box, in
`Stack.rows` and `Stack.box`.

An entry of the transposition table has two words of the key, one of what is known (as in
`ggp.engine.loops`), a value or box, and, if sets are small, the rows of what is outside of the box.

A set of rows of the leaf-value table takes some words, in a form that depends on the classifier:

- TABLE: one bit for each row, and one more for a value that is no row;
- LINEAR: what the linear test uses of a set, and all it needs of a union: each role's lowest rank,
  each role's highest rank, the highest sum, as integers with a sign;
- UNCLASSIFIED and GOAL_SUM: 1, or 0 for the empty set.

A box is each role's strict lower bound, in goals; -inf for none. All that `ggp.engine.loops` does
not have stands in this file, for the reason that `ggp.reasoner.compiled.loops` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.loops import (
    _AGE,
    _IS_SURE,
    _MOVE,
    _PUSHED,
    _REMAINING,
    _WORK,
    AGE,
    BASE,
    BEGAN,
    BLOCK,
    COUNTERS,
    DEEPEST,
    ENDLESS,
    EXPANDED,
    FACTS,
    FINISHED,
    FOUND_LENGTH,
    FOUND_MOVE,
    FOUND_SURE,
    FULL,
    GENERATED,
    HAS_TABLE,
    HELD,
    HITS,
    MAX_PLIES,
    MET_HORIZON,
    MIDDLE,
    MOBILITY,
    MOVES,
    PAUSED,
    POINTER,
    REMAINING,
    RESEARCHED,
    ROLES,
    SHARE,
    SHIFT,
    TOP,
    VIEW,
    WORDS,
    Game,
    Table,
    _expand,
    _hash,
    _is_on_path,
    _key,
    _key_of,
    _look_up,
    _place,
    inlined,
    nopython,
    signed,
)
from ggp.reasoner.compiled.loops import Words, popcount, run

__all__ = [
    "GOAL_SUM",
    "LAST_BRANCH",
    "LINEAR",
    "PARENT",
    "PLAIN",
    "SPECULATIVE",
    "TABLE",
    "UNCLASSIFIED",
    "Rules",
    "Stack",
    "explore",
    "fill",
    "known",
    "place_root",
]

#: The classifiers.
UNCLASSIFIED, LINEAR, TABLE, GOAL_SUM = range(4)
#: With which bounds a child is searched: none, the parent's, all while at the last child, the last.
PLAIN, PARENT, LAST_BRANCH, SPECULATIVE = range(4)

# What the table has of a state: its value; or a box, with rows or without.
_VALUE, _ROWS, _BOX = 1, 2, 3
_LEAF = 6
# What is known of an option that was pruned: that it is, or also that it may be preferred.
_PRUNED, _RIVAL = 1, 2
# Whether the other options may matter; if not, because the chooser cannot get more, or because of
# the box of the path; or whether there are any.
_USEFUL, _NO_BETTER, _CUT, _LAST = range(4)
#: More than any rank.
BEYOND = 1 << 30

# Places in `Rules.numbers`;
(KIND, IS_DISCRETE, RULE, IS_FILTERED, IS_UPPER, AT_LEAVES, STORED,
 RULE_NUMBERS) = range(8)  # fmt: skip
# in a row of `Stack.choices`: the frame, who chooses (-1 for nobody), how many options there are
# and what each adds to the number of the joint move, and so on;
(NODE, CHOOSER, COUNT, STRIDE, CHOSEN, AT, BEST_OPTION, INSIDE, ALL_SURE, IS_AGAIN, SLOT, PLACE,
 NEXT_PLACE, IS_FIRST, LENGTH, PATH_LENGTH, CHOICE_FIELDS) = range(17)  # fmt: skip
# and in `Stack.counters`, after those of `ggp.engine.loops`.
(CHOICE, RESEARCHING, IMMEDIATE, SHALLOW, BRANCH_AND_BOUND, OWN_RULE, IS_OUTSIDE, NEEDED_SLOTS,
 ALL_COUNTERS) = range(COUNTERS, COUNTERS + 9)  # fmt: skip


# These take any stack that has what they use.
_make_frame: Callable[..., int] = _expand
_is_above: Callable[..., bool] = _is_on_path


class Rules(NamedTuple):
    """A rule of pruning with its classifier, and what it knows of the game."""

    #: int64[RULE_NUMBERS]: see the names above.
    numbers: NDArray[np.int64]
    #: int64[roles]: the roles in the order in which they choose; chance is not among them.
    order: NDArray[np.int64]
    #: float64[roles]: each role's highest goal, and the highest that the evaluation names.
    highest: NDArray[np.float64]
    promised: NDArray[np.float64]
    #: float64[1]: the highest sum of goals in a leaf.
    most: NDArray[np.float64]
    #: int64[roles, 101]: the rank of a role's highest goal that is no more than so much.
    ranks: NDArray[np.int64]
    #: Sets: every row; everything whatever, values that are no rows included.
    everything: Words
    anything: Words
    #: As bits: the rows in which a role (at `first_above[role] + rank + 1`) has more than a rank.
    above: Words
    first_above: NDArray[np.int64]
    #: int64[rows, roles]: the ranks of the rows, ascending.
    vectors: NDArray[np.int64]
    #: int32[groups + 1] and int32[any]: the facts of each group, -1 for one that never holds.
    first_fact: NDArray[np.int64]
    group_facts: NDArray[np.int64]
    #: For each link where its groups begin, and its endings.
    first_group: NDArray[np.int64]
    first_ending: NDArray[np.int64]
    #: For each group of a link its number, and where in `masks` those of its value 0 begin.
    link_groups: NDArray[np.int64]
    first_mask: NDArray[np.int64]
    #: For each value, as bits, the endings that may still follow; and the row of each ending.
    masks: Words
    ending_rows: NDArray[np.int64]
    #: What was found lately: keys, and sets as bits and in the classifier's form.
    memo_keys: Words
    memo: Words
    #: Room to work in: for values of groups or ranks, endings, and rows as bits.
    values: NDArray[np.int64]
    endings: Words
    bits: Words
    some_bits: Words


class Stack(NamedTuple):
    """Where the search is, and what it has counted."""

    #: As in `ggp.engine.loops.Stack`.
    frames: NDArray[np.int64]
    keys: Words
    turns: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: NDArray[np.int64]
    #: uint64[frames, words of a set]: the rows that are possible below.
    possible: Words
    #: int64[choices, CHOICE_FIELDS]
    choices: NDArray[np.int64]
    #: float64[choices, roles]: the box of the path, and the best value so far.
    boxes: NDArray[np.float64]
    best: NDArray[np.float64]
    #: float64[choices]: what the chooser holds.
    held: NDArray[np.float64]
    #: [choices, any]: the last entries of the path: who, and what it holds.
    path_roles: NDArray[np.int64]
    path_held: NDArray[np.float64]
    #: int32[choices, frames]: the best line of each choice.
    lines: NDArray[np.int32]
    #: [options of all choices], with words of a set, roles: what is known of a pruned option.
    slots: NDArray[np.int8]
    slot_rows: Words
    slot_boxes: NDArray[np.float64]
    #: What was found last.
    value: NDArray[np.float64]
    rows: Words
    box: NDArray[np.float64]
    #: float64[roles]: room for a box.
    some_box: NDArray[np.float64]


@nopython
def explore(game: Game, rules: Rules, stack: Stack, table: Table, pause: int) -> int:
    """Go on searching, till `pause` nodes are expanded at most; return why it ended.

    When it has FINISHED, the value of the root is in `value`, and FOUND_LENGTH moves of its line
    are in `lines[1]`; if there are none, FOUND_MOVE is what the table said, or -1.
    """
    counters = stack.counters
    while True:
        if counters[EXPANDED] + counters[RESEARCHED] >= pause:
            return PAUSED
        choice = counters[CHOICE]
        while True:
            _hand_down(rules, stack, choice)
            place = stack.choices[choice, NEXT_PLACE]
            if place == len(rules.order):
                break
            row, frame = stack.choices[choice], stack.choices[choice, NODE]
            chosen, slot = row[CHOSEN] + row[AT] * row[STRIDE], row[SLOT] + row[COUNT]
            choice += 1
            _open(rules, stack, choice, frame, place, chosen, slot)
            stack.choices[choice, IS_FIRST] = 0
        counters[CHOICE] = choice
        what = _visit(game, rules, stack, table, choice)
        if what == _PUSHED:
            continue
        if what != _LEAF:
            return what
        counters[FOUND_LENGTH] = 0
        while counters[CHOICE] > 0 and not _answer(rules, stack, counters[CHOICE]):
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
    numbers, arena, frames, counters = game.numbers, stack.arena, stack.frames, stack.counters
    words = numbers[WORDS]
    for fact in range(numbers[FACTS]):
        arena[(1 + fact) * words] = (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
    arena[0] = np.uint64(numbers[POINTER])
    run(numbers[VIEW], arena)
    frames[0, :] = 0
    frames[0, TOP] = numbers[BLOCK]
    frames[0, REMAINING] = remaining if remaining == ENDLESS else remaining + 1
    stack.boxes[0, :] = -np.inf
    stack.choices[0, :] = 0
    _open(rules, stack, 0, 0, len(rules.order), 0, 0)
    stack.choices[1, BEST_OPTION] = -1
    counters[CHOICE] = counters[RESEARCHING] = 0
    counters[FOUND_MOVE] = -1


@inlined
def _assign(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy what does not overlap: a slice would be copied twice."""
    for i in range(len(target)):
        target[i] = source[i]


# Choices


@inlined
def _open(
    rules: Rules, stack: Stack, choice: int, frame: int, place: int, chosen: int, slot: int
) -> None:
    """Make ready for the first option of a choice, of the role at a place in the order."""
    row, roles = stack.choices[choice], len(rules.order)
    row[NODE], row[CHOSEN], row[SLOT], row[PLACE] = frame, chosen, slot, place
    if place < roles:
        chooser = rules.order[place]
        row[CHOOSER] = chooser
        row[COUNT], row[STRIDE] = stack.turns[frame, 0, chooser], stack.turns[frame, 1, chooser]
    else:
        row[CHOOSER], row[COUNT], row[STRIDE] = -1, 1, 0
    row[NEXT_PLACE] = _next_place(rules, stack, frame, place + 1)
    row[AT] = row[INSIDE] = row[IS_AGAIN] = row[LENGTH] = 0
    row[BEST_OPTION], row[ALL_SURE] = -1, 1
    stack.held[choice] = -np.inf
    for option in range(slot, slot + row[COUNT]):
        stack.slots[option] = 0


@inlined
def _next_place(rules: Rules, stack: Stack, frame: int, place: int) -> int:
    """Return the first place, from this on, of a role that has a choice."""
    while place < len(rules.order) and stack.turns[frame, 0, rules.order[place]] < 2:
        place += 1
    return min(place, len(rules.order))


@inlined
def _hand_down(rules: Rules, stack: Stack, choice: int) -> None:
    """Write the path with which the option at hand is searched into the row of the next choice."""
    row, below = stack.choices[choice], choice + 1
    chooser, rule = row[CHOOSER], rules.numbers[RULE]
    if rules.numbers[KIND] == UNCLASSIFIED:
        # any bounds are as good as none
        stack.choices[below, PATH_LENGTH] = 0
        return
    if chooser < 0:
        _copy_path(stack, choice, below)
    elif row[IS_AGAIN]:
        _own_path(stack, below, chooser, stack.slot_boxes[row[SLOT] + row[AT], chooser])
    elif rule == PLAIN:
        stack.choices[below, PATH_LENGTH] = 0
        stack.boxes[below, :] = -np.inf
    elif (
        rule == PARENT
        or row[INSIDE]
        or (rule == LAST_BRANCH and row[AT] + 1 < row[COUNT])
        or row[PATH_LENGTH] == 0
    ):
        _own_path(stack, below, chooser, stack.held[choice])
    else:
        _longer_path(rules, stack, choice)


@inlined
def _own_path(stack: Stack, choice: int, chooser: int, held: float) -> None:
    """Write a path of one entry."""
    stack.boxes[choice, :] = -np.inf
    stack.boxes[choice, chooser] = held
    stack.choices[choice, PATH_LENGTH] = 1
    stack.path_roles[choice, 0], stack.path_held[choice, 0] = chooser, held


@inlined
def _copy_path(stack: Stack, source: int, target: int) -> None:
    stack.choices[target, PATH_LENGTH] = stack.choices[source, PATH_LENGTH]
    _assign(stack.boxes[target], stack.boxes[source])
    for i in range(stack.choices[source, PATH_LENGTH]):
        stack.path_roles[target, i] = stack.path_roles[source, i]
        stack.path_held[target, i] = stack.path_held[source, i]


@inlined
def _longer_path(rules: Rules, stack: Stack, choice: int) -> None:
    """Write the path of a choice, with its own bound, for the next; it is cut in front if long.

    What is cut is forgotten, but by last-branch pruning, which keeps it in the box.
    """
    below, held = choice + 1, stack.held[choice]
    chooser, length = stack.choices[choice, CHOOSER], stack.choices[choice, PATH_LENGTH]
    cut = max(0, length + 1 - stack.path_roles.shape[1])
    for i in range(cut, length):
        stack.path_roles[below, i - cut] = stack.path_roles[choice, i]
        stack.path_held[below, i - cut] = stack.path_held[choice, i]
    last = length - cut
    stack.path_roles[below, last], stack.path_held[below, last] = chooser, held
    stack.choices[below, PATH_LENGTH] = last + 1
    if rules.numbers[RULE] == LAST_BRANCH:
        _assign(stack.boxes[below], stack.boxes[choice])
        stack.boxes[below, chooser] = max(stack.boxes[below, chooser], held)
        return
    stack.boxes[below, :] = -np.inf
    for i in range(last + 1):
        role = stack.path_roles[below, i]
        stack.boxes[below, role] = max(stack.boxes[below, role], stack.path_held[below, i])


@inlined
def _answer(rules: Rules, stack: Stack, choice: int) -> bool:
    """Take what was found of the option at hand; return whether there is another one to visit.

    If not, what is known of the choice is what was found last.
    """
    row, counters = stack.choices[choice], stack.counters
    chooser = row[CHOOSER]
    if chooser < 0:
        if not counters[IS_OUTSIDE]:
            _take_line(rules, stack, choice)
            counters[FOUND_LENGTH] = row[LENGTH]
        return False
    row[ALL_SURE] &= counters[FOUND_SURE]
    if row[IS_AGAIN]:
        return _answer_again(rules, stack, choice)
    slot = row[SLOT] + row[AT]
    if counters[IS_OUTSIDE]:
        stack.slots[slot] = _PRUNED
        _assign(stack.slot_rows[slot], stack.rows)
        _assign(stack.slot_boxes[slot], stack.box)
    elif stack.value[chooser] > stack.held[choice]:
        stack.held[choice], row[BEST_OPTION] = stack.value[chooser], row[AT]
        row[INSIDE] = 1
        for role in range(len(stack.value)):
            stack.best[choice, role] = stack.value[role]
            if rules.numbers[KIND] != UNCLASSIFIED:
                row[INSIDE] &= stack.value[role] > stack.boxes[choice, role]
        _take_line(rules, stack, choice)
    if rules.numbers[KIND] == UNCLASSIFIED:
        row[AT] += 1
        if row[AT] < row[COUNT]:
            return True
        _return_best(stack, choice)
        return False
    return _next_option(rules, stack, choice)


@inlined
def _next_option(rules: Rules, stack: Stack, choice: int) -> bool:
    """Go on to the next option, unless none is needed; return whether there is one to visit."""
    row, counters, rivals = stack.choices[choice], stack.counters, 0
    has_best = row[BEST_OPTION] >= 0
    what = _LAST
    if row[AT] + 1 < row[COUNT]:
        what = _use_of_others(rules, stack, choice)
    if what == _USEFUL:
        row[AT] += 1
        return True
    counters[IMMEDIATE] += what == _NO_BETTER
    if what != _CUT and has_best:
        rivals = _find_rivals(rules, stack, choice)
    if what == _CUT:
        _return_cut(rules, stack, choice)
    elif not has_best:
        _return_outside(rules, stack, choice, False, _PRUNED)
    elif rivals and not row[INSIDE]:
        _return_outside(rules, stack, choice, True, _RIVAL)
    elif not rivals:
        _return_best(stack, choice)
    else:
        row[IS_AGAIN], row[AT] = 1, _next_rival(stack, choice, 0)
        counters[RESEARCHING] += 1
        return True
    return False


@inlined
def _use_of_others(rules: Rules, stack: Stack, choice: int) -> int:
    """Return _USEFUL if the other options may matter, else why not."""
    row, box, held = stack.choices[choice], stack.some_box, stack.held[choice]
    possible, chooser, use = stack.possible[row[NODE]], row[CHOOSER], _USEFUL
    box[:] = -np.inf
    box[chooser] = held
    if not _is_within(rules, possible, box):
        use = _NO_BETTER
    elif row[BEST_OPTION] >= 0 and not row[INSIDE]:
        _assign(box, stack.boxes[choice])
        box[chooser] = max(box[chooser], held)
        if not _is_within(rules, possible, box):
            use = _CUT
    return use


@nopython
def _return_cut(rules: Rules, stack: Stack, choice: int) -> None:
    """Return that nothing that can still become of a choice is in its box."""
    row, box, held = stack.choices[choice], stack.some_box, stack.held[choice]
    possible, chooser = stack.possible[row[NODE]], row[CHOOSER]
    _count_rule(rules, stack, choice, possible, chooser, held)
    _find_rivals(rules, stack, choice)
    _return_outside(rules, stack, choice, True, _RIVAL)
    box[:] = -np.inf
    box[chooser] = held
    _add_within(rules, stack.rows, possible, box)


@inlined
def _answer_again(rules: Rules, stack: Stack, choice: int) -> bool:
    """Take what was found of a rival, as `_answer` does."""
    row, slot, box = stack.choices[choice], stack.choices[choice, SLOT], stack.some_box
    chooser = row[CHOOSER]
    box[:] = -np.inf
    box[chooser] = stack.slot_boxes[slot + row[AT], chooser]
    excluded = stack.value[chooser] <= box[chooser]
    if stack.counters[IS_OUTSIDE]:
        excluded = _excludes(rules, stack.rows, stack.box, box)
    if not excluded:
        stack.counters[RESEARCHING] -= 1
        _return_outside(rules, stack, choice, False, _RIVAL)
        return False
    stack.slots[slot + row[AT]] = 0
    row[AT] = _next_rival(stack, choice, row[AT])
    if row[AT] < row[COUNT]:
        return True
    stack.counters[RESEARCHING] -= 1
    _return_best(stack, choice)
    return False


@inlined
def _next_rival(stack: Stack, choice: int, option: int) -> int:
    """Return the first rival from an option on, or the number of options."""
    row = stack.choices[choice]
    while option < row[COUNT] and stack.slots[row[SLOT] + option] != _RIVAL:
        option += 1
    return option


@nopython
def _find_rivals(rules: Rules, stack: Stack, choice: int) -> int:
    """Find the pruned options that the chooser may prefer to its best; return how many there are.

    The others are forgotten.
    """
    row, held, box, found = stack.choices[choice], stack.held[choice], stack.some_box, 0
    chooser = row[CHOOSER]
    box[:] = -np.inf
    for option in range(row[COUNT]):
        slot = row[SLOT] + option
        if stack.slots[slot] == 0:
            continue
        # left of the best, what gives as much is preferred, too
        box[chooser] = held if option > row[BEST_OPTION] else np.nextafter(held, -np.inf)
        if _excludes(rules, stack.slot_rows[slot], stack.slot_boxes[slot], box):
            stack.slots[slot] = 0
            continue
        stack.slots[slot] = _RIVAL
        _restrict(rules, stack.slot_rows[slot], box)
        stack.slot_boxes[slot, chooser] = box[chooser]
        found += 1
    return found


@inlined
def _return_best(stack: Stack, choice: int) -> None:
    row, counters = stack.choices[choice], stack.counters
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 0, row[ALL_SURE]
    counters[FOUND_LENGTH] = row[LENGTH]
    _assign(stack.value, stack.best[choice])


@nopython
def _return_outside(rules: Rules, stack: Stack, choice: int, best: bool, kind: int) -> None:
    """Return that a choice has the best value, or one of the options of a kind."""
    row, counters = stack.choices[choice], stack.counters
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 1, row[ALL_SURE]
    counters[FOUND_LENGTH] = 0
    _assign(stack.box, stack.boxes[choice])
    _clear(rules, stack.rows)
    for slot in range(row[SLOT], row[SLOT] + row[COUNT]):
        if stack.slots[slot] == kind:
            _unite(rules, stack.rows, stack.slot_rows[slot])
    if best:
        _add_value(rules, stack.rows, stack.best[choice])


@inlined
def _take_line(rules: Rules, stack: Stack, choice: int) -> None:
    """Make the line of the option at hand the best: for the last chooser, after the joint move."""
    row, length, at = stack.choices[choice], stack.counters[FOUND_LENGTH], 0
    if row[NEXT_PLACE] == len(rules.order):
        stack.lines[choice, 0] = row[CHOSEN] + row[AT] * row[STRIDE]
        at = 1
    for i in range(length):
        stack.lines[choice, at + i] = stack.lines[choice + 1, i]
    row[LENGTH] = at + length


@nopython
def _count_rule(
    rules: Rules, stack: Stack, choice: int, possible: Words, chooser: int, held: float
) -> None:
    """Count a prune for the simplest rule that cuts here: a path's, and a bound with it.

    The chooser is -1 if there is no other bound.
    """
    box, length = stack.some_box, stack.choices[choice, PATH_LENGTH]
    box[:] = -np.inf
    if length:
        box[stack.path_roles[choice, length - 1]] = stack.path_held[choice, length - 1]
    if chooser >= 0:
        box[chooser] = max(box[chooser], held)
    if not _is_within(rules, rules.everything, box):
        stack.counters[SHALLOW] += 1
    elif _is_within(rules, possible, box):
        stack.counters[OWN_RULE] += 1
    else:
        stack.counters[BRANCH_AND_BOUND] += 1


# Nodes


@inlined
def _visit(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> int:
    """Look at the child that all have chosen; make it a frame if it must be searched.

    Returns _LEAF if what is known of it is found, or _PUSHED, or why nothing can be done.
    """
    numbers, counters, arena = game.numbers, stack.counters, stack.arena
    frame = stack.choices[choice, NODE]
    row = stack.frames[frame]
    words = numbers[WORDS]
    child = (
        stack.choices[choice, CHOSEN] + stack.choices[choice, AT] * stack.choices[choice, STRIDE]
    )
    block = row[BASE] + (child >> numbers[SHIFT]) * numbers[BLOCK] + ((child >> 6) & (words - 1))
    lane = np.uint64(child & 63)
    counters[GENERATED] += frame > 0
    counters[DEEPEST] = max(counters[DEEPEST], frame)
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 0, 1
    if (arena[block + (1 + numbers[FACTS] + numbers[MOVES]) * words] >> lane) & np.uint64(1):
        for role in range(numbers[ROLES]):
            stack.value[role] = max(0.0, _goal_of(game, arena, block, lane, role))
        return _LEAF
    first, second = _key(game, arena, block, lane)
    remaining = row[REMAINING] if row[REMAINING] == ENDLESS else row[REMAINING] - 1
    if _is_above(stack, frame, first, second):
        stack.value[:] = 0.0
        counters[FOUND_SURE] = 0
        return _LEAF
    if remaining <= 0 or frame >= numbers[MAX_PLIES]:
        counters[MET_HORIZON] = 1
        counters[FOUND_SURE] = 0
        _estimate_all(game, rules, stack, block, lane)
        return _LEAF
    below, slot = choice + 1, signed(-1)
    if numbers[HAS_TABLE]:
        slot = _look_up(table, first, second)
        if slot >= 0 and _tells(rules, stack, table, slot, remaining, below):
            is_sure = signed((table.words[slot, 2] >> np.uint64(_IS_SURE)) & np.uint64(1))
            counters[HITS] += 1
            counters[MET_HORIZON] |= 1 - is_sure
            counters[FOUND_SURE] = is_sure
            if frame == 0:
                counters[FOUND_MOVE] = signed(table.words[slot, 2] >> np.uint64(_MOVE))
            return _LEAF
    if rules.numbers[KIND] != UNCLASSIFIED and _is_cut(
        game, rules, stack, below, frame + 1, block, lane
    ):
        return _LEAF
    again = slot >= 0 or counters[RESEARCHING] > 0
    what = _make_frame(game, stack, frame, block, lane, again)
    if what == _PUSHED:
        what = _push(game, rules, stack, choice, remaining, again)
    if what == FULL:
        counters[GENERATED] -= frame > 0
    elif what == _PUSHED:
        stack.keys[frame + 1, 0], stack.keys[frame + 1, 1] = first, second
        stack.on_path[_hash(first, second) & np.uint64(len(stack.on_path) - 1)] += np.uint16(1)
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
        _find_possible(game, rules, stack.arena, block, lane, possible)
    if stack.choices[choice, PATH_LENGTH] == 0 or _is_within(rules, possible, stack.boxes[choice]):
        return False
    if _can_move(game, stack.arena, block, lane):
        _count_rule(rules, stack, choice, possible, -1, 0.0)
    counters[IS_OUTSIDE] = 1
    _assign(stack.rows, possible)
    _assign(stack.box, stack.boxes[choice])
    return True


@inlined
def _push(game: Game, rules: Rules, stack: Stack, choice: int, remaining: int, again: bool) -> int:
    """Open the first choice of the frame that was made; return _PUSHED, or FULL."""
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
    _open(rules, stack, choice + 1, frame, _next_place(rules, stack, frame, 0), 0, top)
    stack.choices[choice + 1, IS_FIRST] = 1
    counters[CHOICE] = choice + 1
    return _PUSHED


@inlined
def _leave(game: Game, rules: Rules, stack: Stack, table: Table, choice: int) -> None:
    """Take a node off the path, and keep what was found of it in the table."""
    frame, counters = stack.choices[choice, NODE], stack.counters
    first, second = stack.keys[frame]
    stack.on_path[_hash(first, second) & np.uint64(len(stack.on_path) - 1)] -= np.uint16(1)
    if not game.numbers[HAS_TABLE]:
        return
    spent = counters[EXPANDED] + counters[RESEARCHED] - stack.frames[frame, BEGAN]
    work, is_outside, kind = 0, counters[IS_OUTSIDE], _VALUE
    if is_outside:
        kind = _ROWS if rules.numbers[STORED] else _BOX
    while spent > 0:
        spent >>= 1
        work += 1
    meta = (
        np.uint64(kind)
        | np.uint64(counters[FOUND_SURE]) << np.uint64(_IS_SURE)
        | np.uint64(work) << np.uint64(_WORK)
        | np.uint64(counters[AGE] & 255) << np.uint64(_AGE)
        | np.uint64(stack.frames[frame, REMAINING]) << np.uint64(_REMAINING)
    )
    if not is_outside:
        meta |= np.uint64(stack.lines[choice, 0]) << np.uint64(_MOVE)
    slot = _place(table, first, second, meta)
    counters[HELD] += table.words[slot, 2] == 0
    table.words[slot, 0], table.words[slot, 1], table.words[slot, 2] = first, second, meta
    roles = game.numbers[ROLES]
    for role in range(roles):
        table.values[slot, 3 + role] = stack.box[role] if is_outside else stack.value[role]
    if is_outside:
        for word in range(rules.numbers[STORED]):
            table.words[slot, 3 + roles + word] = stack.rows[word]


@inlined
def _tells(
    rules: Rules, stack: Stack, table: Table, slot: int, remaining: int, choice: int
) -> bool:
    """Return whether an entry is all that is asked of a node; what it says is found then."""
    meta = table.words[slot, 2]
    if not (meta >> np.uint64(_IS_SURE)) & np.uint64(1):
        depth = signed((meta >> np.uint64(_REMAINING)) & np.uint64(ENDLESS))
        if depth != remaining:
            return False
    roles = len(stack.value)
    if signed(meta & np.uint64(3)) == _VALUE:
        _assign(stack.value, table.values[slot, 3 : 3 + roles])
        return True
    # without rows, and of searches to a depth, nothing is known but the box
    stored = rules.numbers[STORED] if signed(meta & np.uint64(3)) == _ROWS else 0
    _assign(stack.box, table.values[slot, 3 : 3 + roles])
    if stored:
        _assign(stack.rows, table.words[slot, 3 + roles : 3 + roles + stored])
    else:
        _assign(stack.rows, rules.anything)
    stack.counters[IS_OUTSIDE] = 1
    if stack.choices[choice, PATH_LENGTH] and _excludes(
        rules, stack.rows, stack.box, stack.boxes[choice]
    ):
        return True
    stack.counters[IS_OUTSIDE] = 0
    return False


@nopython
def fill(table: Table, old: Table) -> int:
    """Put the entries of another table into an empty one; return how many it holds then."""
    held = 0
    for entry in range(len(old.words)):
        if old.words[entry, 2]:
            slot = _place(table, old.words[entry, 0], old.words[entry, 1], old.words[entry, 2])
            held += table.words[slot, 2] == 0
            for word in range(table.words.shape[1]):
                table.words[slot, word] = old.words[entry, word]
    return held


@nopython
def known(
    game: Game, table: Table, state: Words, remaining: int, value: NDArray[np.float64]
) -> int:
    """Return the best move that the table has for a packed state; -1 if there is none.

    It counts only with the same value, and if that is proven or was found for the same depth.
    """
    first, second = _key_of(game, state)
    slot = _look_up(table, first, second)
    if slot < 0 or signed(table.words[slot, 2] & np.uint64(3)) != _VALUE:
        return -1
    meta = table.words[slot, 2]
    depth = signed((meta >> np.uint64(_REMAINING)) & np.uint64(ENDLESS))
    if depth != remaining and not (meta >> np.uint64(_IS_SURE)) & np.uint64(1):
        return -1
    for role in range(len(value)):
        if table.values[slot, 3 + role] != value[role]:
            return -1
    return signed(meta >> np.uint64(_MOVE))


@inlined
def _can_move(game: Game, arena: Words, block: int, lane: np.uint64) -> bool:
    """Return whether every role has a legal move in a lane."""
    words = game.numbers[WORDS]
    legal = block + (1 + game.numbers[FACTS]) * words
    for role in range(game.numbers[ROLES]):
        some = np.uint64(0)
        for move in range(game.first_move[role], game.first_move[role + 1]):
            some |= (arena[legal + move * words] >> lane) & np.uint64(1)
        if not some:
            return False
    return True


@inlined
def _goal_of(game: Game, arena: Words, block: int, lane: np.uint64, role: int) -> float:
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


@nopython
def _estimate_all(game: Game, rules: Rules, stack: Stack, block: int, lane: np.uint64) -> None:
    """Find what the state in a lane is worth at the horizon: no more in sum than any leaf."""
    if rules.numbers[AT_LEAVES]:
        stack.value[:] = 0.0
        return
    numbers, arena, total = game.numbers, stack.arena, 0.0
    words, all_moves, roles = numbers[WORDS], 0, numbers[ROLES]
    legal = block + (1 + numbers[FACTS]) * words
    if numbers[MOBILITY]:
        for move in range(numbers[MOVES]):
            all_moves += signed((arena[legal + move * words] >> lane) & np.uint64(1))
    for role in range(roles):
        goal = _goal_of(game, arena, block, lane, role)
        estimate = game.floats[MIDDLE] if goal < 0 else goal
        if numbers[MOBILITY]:
            own, highest, share = 0, rules.promised[role], game.floats[SHARE]
            for move in range(game.first_move[role], game.first_move[role + 1]):
                own += signed((arena[legal + move * words] >> lane) & np.uint64(1))
            progress = 0.5 if goal < 0 or highest == 0 else goal / highest
            mobility = (own + 1) / (all_moves + roles + 1)
            estimate = highest * ((1 - share) * progress + share * mobility)
        stack.value[role] = min(max(estimate, 0.0), rules.highest[role])
        total += stack.value[role]
    most = rules.most[0]
    if total > most:
        scale = most / total * (1 - 1e-12)
        for role in range(roles):
            stack.value[role] *= scale


# Sets of rows


@inlined
def _rank(rules: Rules, role: int, floor: float) -> int:
    """Return the highest rank of a role that is not above its bound; -2 for no bound."""
    if floor < 0:
        return -2
    return signed(rules.ranks[role, signed(min(floor, 100.0))])


@nopython
def _is_within(rules: Rules, rows: Words, box: NDArray[np.float64]) -> bool:
    """Return whether any of some rows may lie in a box."""
    kind = rules.numbers[KIND]
    if kind == TABLE:
        return _has_row_within(rules, rows, box)
    if kind == LINEAR:
        return _has_ranks_within(rules, rows, box)
    return bool(rows[0] != 0 and (kind == UNCLASSIFIED or _has_goals_within(rules, box)))


@inlined
def _has_row_within(rules: Rules, rows: Words, box: NDArray[np.float64]) -> bool:
    """The test of the leaf-value table."""
    roles = len(rules.order)
    for role in range(roles):
        rules.values[role] = _rank(rules, role, box[role])
    for word in range(len(rows)):
        left = rows[word]
        for role in range(roles):
            if rules.values[role] > -2:
                left &= rules.above[rules.first_above[role] + rules.values[role] + 1, word]
        if left:
            return True
    return False


@inlined
def _has_ranks_within(rules: Rules, rows: Words, box: NDArray[np.float64]) -> bool:
    """The linear test of ranks."""
    roles, is_bounded, total = len(rules.order), False, signed(0)
    for role in range(roles):
        rank, low = _rank(rules, role, box[role]), signed(rows[role])
        if rank >= signed(rows[roles + role]):
            return False
        total += max(rank + rules.numbers[IS_DISCRETE], low)
        is_bounded |= rank >= low
    maxsum = signed(rows[2 * roles])
    if rules.numbers[IS_DISCRETE]:
        return bool(total <= maxsum)
    return bool(not is_bounded or total < maxsum)


@inlined
def _has_goals_within(rules: Rules, box: NDArray[np.float64]) -> bool:
    """The linear test of goals.

    The sum of the bounds is `high + low`: what is lost when `high` is rounded goes into `low`.
    """
    high, low, is_bounded = 0.0, 0.0, False
    for role in range(len(box)):
        floor = box[role]
        if floor >= rules.highest[role]:
            return False
        if floor >= 0:
            is_bounded = True
            total = high + floor
            added = total - high
            low += (high - (total - added)) + (floor - added)
            high = total
    return bool(not is_bounded or (high - rules.most[0]) + low < 0)


@nopython
def _excludes(
    rules: Rules, rows: Words, outer: NDArray[np.float64], box: NDArray[np.float64]
) -> bool:
    """Return whether a value that is among rows, and not in the outer box, is not in the box."""
    is_covered = True
    for role in range(len(box)):
        is_covered &= outer[role] <= box[role]
    return bool(is_covered or not _is_within(rules, rows, box))


@nopython
def _restrict(rules: Rules, rows: Words, box: NDArray[np.float64]) -> None:
    """Take those rows out of a set that do not lie in a box, though some do."""
    if rules.numbers[KIND] == TABLE:
        for role in range(len(rules.order)):
            rank = _rank(rules, role, box[role])
            if rank > -2:
                for word in range(len(rows)):
                    rows[word] &= rules.above[rules.first_above[role] + rank + 1, word]


@nopython
def _add_within(rules: Rules, target: Words, rows: Words, box: NDArray[np.float64]) -> None:
    """Add those of some rows to a set that lie in a box; some do."""
    if rules.numbers[KIND] != TABLE:
        _unite(rules, target, rows)
        return
    for role in range(len(rules.order)):
        rules.values[role] = _rank(rules, role, box[role])
    for word in range(len(rows)):
        left = rows[word]
        for role in range(len(rules.order)):
            if rules.values[role] > -2:
                left &= rules.above[rules.first_above[role] + rules.values[role] + 1, word]
        target[word] |= left


@nopython
def _clear(rules: Rules, target: Words) -> None:
    """Make a set empty."""
    roles = len(rules.order)
    target[:] = np.uint64(0)
    if rules.numbers[KIND] == LINEAR:
        for role in range(roles):
            target[role] = np.uint64(BEYOND)
            target[roles + role] = np.uint64(-BEYOND)
        target[2 * roles] = np.uint64(-BEYOND)


@nopython
def _unite(rules: Rules, target: Words, rows: Words) -> None:
    """Add rows to a set."""
    if rules.numbers[KIND] != LINEAR:
        for word in range(len(rows)):
            target[word] |= rows[word]
        return
    roles = len(rules.order)
    for word in range(len(rows)):
        old, new = signed(target[word]), signed(rows[word])
        target[word] = np.uint64(min(old, new) if word < roles else max(old, new))


@nopython
def _add_value(rules: Rules, target: Words, vector: NDArray[np.float64]) -> None:
    """Add the row of a value to a set."""
    if rules.numbers[KIND] != TABLE:
        _unite(rules, target, rules.anything)
        return
    roles = len(vector)
    for role in range(roles):
        rules.values[role] = _rank(rules, role, vector[role])
    begin, end = 0, len(rules.vectors)
    while begin < end:
        middle, order = (begin + end) // 2, 0
        for role in range(roles):
            if order == 0:
                order = rules.vectors[middle, role] - rules.values[role]
        if order == 0:
            _insert(target, middle)
            return
        if order < 0:
            begin = middle + 1
        else:
            end = middle
    _insert(target, len(rules.vectors))


@inlined
def _insert(bits: Words, number: int) -> None:
    bits[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@nopython
def _find_possible(
    game: Game, rules: Rules, arena: Words, block: int, lane: np.uint64, found: Words
) -> None:
    """Find the rows that leaves below the state in a lane can have."""
    first, second = np.uint64(0), np.uint64(0)
    words = game.numbers[WORDS]
    for group in range(len(rules.first_fact) - 1):
        begin, end = rules.first_fact[group], rules.first_fact[group + 1]
        rules.values[group] = end - begin
        for place in range(begin, end):
            fact = rules.group_facts[place]
            if fact >= 0 and (arena[block + (1 + fact) * words] >> lane) & np.uint64(1):
                rules.values[group] = place - begin
                first ^= game.random[0, fact]
                second ^= game.random[1, fact]
    slot = signed(first & np.uint64(len(rules.memo_keys) - 1))
    if rules.memo_keys[slot, 0] != first or rules.memo_keys[slot, 1] != second:
        rules.memo_keys[slot, 0], rules.memo_keys[slot, 1] = first, second
        _follow_links(rules, rules.bits)
        if rules.numbers[IS_UPPER]:
            _widen(rules, rules.bits)
        _from_bits(rules, rules.bits, rules.memo[slot])
    _assign(found, rules.memo[slot])


@nopython
def _follow_links(rules: Rules, bits: Words) -> None:
    """Find, as bits, the rows that `values` of the groups leave possible."""
    _all_bits(rules, bits)
    for link in range(len(rules.first_group) - 1):
        begin, count = rules.first_ending[link], rules.first_ending[link + 1]
        words = (count - begin + 63) // 64
        endings = rules.endings[:words]
        endings[:] = ~np.uint64(0)
        for place in range(rules.first_group[link], rules.first_group[link + 1]):
            mask = rules.first_mask[place] + rules.values[rules.link_groups[place]] * words
            for word in range(words):
                endings[word] &= rules.masks[mask + word]
        rules.some_bits[:] = np.uint64(0)
        for word in range(words):
            left = endings[word]
            while left:
                lowest = left & (np.uint64(0) - left)
                left ^= lowest
                ending = 64 * word + popcount(lowest - np.uint64(1))
                _insert(rules.some_bits, rules.ending_rows[begin + ending])
        for word in range(len(bits)):
            bits[word] &= rules.some_bits[word]


@nopython
def _widen(rules: Rules, bits: Words) -> None:
    """Add the rows in which no role has more than in the best of the rows for it."""
    _assign(rules.some_bits, bits)
    _all_bits(rules, bits)
    for role in range(len(rules.order)):
        for row in range(rules.first_above[role], rules.first_above[role + 1]):
            some = np.uint64(0)
            for word in range(len(bits)):
                some |= rules.some_bits[word] & rules.above[row, word]
            if not some:
                for word in range(len(bits)):
                    bits[word] &= ~rules.above[row, word]
                break


@inlined
def _all_bits(rules: Rules, bits: Words) -> None:
    """Find, as bits, all rows."""
    rows = len(rules.vectors)
    bits[:] = np.uint64(0)
    for word in range(rows >> 6):
        bits[word] = ~np.uint64(0)
    if rows & 63:
        bits[rows >> 6] = (np.uint64(1) << np.uint64(rows & 63)) - np.uint64(1)


@nopython
def _from_bits(rules: Rules, bits: Words, target: Words) -> None:
    """Give a set of rows the form of the classifier."""
    if rules.numbers[KIND] != LINEAR:
        _assign(target, bits)
        return
    _clear(rules, target)
    roles = len(rules.order)
    for word in range(len(bits)):
        left = bits[word]
        while left:
            lowest = left & (np.uint64(0) - left)
            left ^= lowest
            row, total = 64 * word + popcount(lowest - np.uint64(1)), signed(0)
            for role in range(roles):
                rank = rules.vectors[row, role]
                total += rank
                target[role] = np.uint64(min(signed(target[role]), rank))
                target[roles + role] = np.uint64(max(signed(target[roles + role]), rank))
            target[2 * roles] = np.uint64(max(signed(target[2 * roles]), total))
