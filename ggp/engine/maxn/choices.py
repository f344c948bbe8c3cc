"""The choices of a max-n search in compiled code: with which bounds, and what comes of them.

`MaxN.choose` and `handed` of `ggp.search.maxn` and `prunings`, with their recursion unrolled into
the rows of `Stack.choices`.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import FOUND_LENGTH, FOUND_SURE
from ggp.engine.maxn.layout import (
    ALL_SURE,
    AT,
    BEST_OPTION,
    BRANCH_AND_BOUND,
    CHOOSER,
    CHOSEN,
    COUNT,
    IMMEDIATE,
    INSIDE,
    IS_AGAIN,
    IS_OUTSIDE,
    KIND,
    LAST_BRANCH,
    LENGTH,
    NATURE,
    NEXT_PLACE,
    NODE,
    OWN_RULE,
    PARENT,
    PATH_LENGTH,
    PLACE,
    PLAIN,
    PRUNED,
    RESEARCHING,
    RIVAL,
    RULE,
    SHALLOW,
    SLOT,
    STRIDE,
    UNCLASSIFIED,
    Rules,
    Stack,
)
from ggp.engine.maxn.row_sets import (
    add_value,
    add_within,
    assign,
    clear,
    excludes,
    is_within,
    restrict,
    unite,
)
from ggp.reasoner.compiled import Words, inlined, nopython

__all__ = [
    "answered",
    "count_rule",
    "hand_down",
    "next_place",
    "open_choice",
]

# Means are rounded to a multiple of 1 / 60^5, which for five dice in a row they are anyway: those
# that are equal must be so to the last bit, in whatever order they were added up.
_PARTS = 60.0**5

# Whether the other options may matter; if not, because the chooser cannot get more, or because of
# the box of the path; or whether there are any.
_USEFUL, _NO_BETTER, _CUT, _LAST = range(4)


@inlined
def open_choice(
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
    row[NEXT_PLACE] = next_place(rules, stack, frame, place + 1)
    row[AT] = row[INSIDE] = row[IS_AGAIN] = row[LENGTH] = 0
    row[BEST_OPTION], row[ALL_SURE] = -1, 1
    if row[CHOOSER] == rules.numbers[NATURE]:
        stack.best[choice, :] = 0.0
    stack.held[choice] = -np.inf
    for option in range(slot, slot + row[COUNT]):
        stack.slots[option] = 0


@inlined
def next_place(rules: Rules, stack: Stack, frame: int, place: int) -> int:
    """Return the first place, from this on, of a role that has a choice."""
    while place < len(rules.order) and stack.turns[frame, 0, rules.order[place]] < 2:
        place += 1
    return min(place, len(rules.order))


@inlined
def hand_down(rules: Rules, stack: Stack, choice: int) -> None:
    """Write the path with which the option at hand is searched into the row of the next choice."""
    row, below = stack.choices[choice], choice + 1
    chooser, rule = row[CHOOSER], rules.numbers[RULE]
    if rules.numbers[KIND] == UNCLASSIFIED:
        # any bounds are as good as none
        stack.choices[below, PATH_LENGTH] = 0
        return
    if chooser < 0:
        _copy_path(stack, choice, below)
    elif chooser == rules.numbers[NATURE]:
        # a mean needs exact values
        stack.choices[below, PATH_LENGTH] = 0
        stack.boxes[below, :] = -np.inf
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
    assign(stack.boxes[target], stack.boxes[source])
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
        assign(stack.boxes[below], stack.boxes[choice])
        stack.boxes[below, chooser] = max(stack.boxes[below, chooser], held)
        return
    stack.boxes[below, :] = -np.inf
    for i in range(last + 1):
        role = stack.path_roles[below, i]
        stack.boxes[below, role] = max(stack.boxes[below, role], stack.path_held[below, i])


@inlined
def answered(rules: Rules, stack: Stack, choice: int) -> bool:
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
    if chooser == rules.numbers[NATURE]:
        return _add_to_mean(stack, choice)
    if row[IS_AGAIN]:
        return _answer_again(rules, stack, choice)
    slot = row[SLOT] + row[AT]
    if counters[IS_OUTSIDE]:
        stack.slots[slot] = PRUNED
        assign(stack.slot_rows[slot], stack.rows)
        assign(stack.slot_boxes[slot], stack.box)
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
def _add_to_mean(stack: Stack, choice: int) -> bool:
    """Take what was found of a move of chance, as `answered` does; the line ends before it."""
    row, total, counters = stack.choices[choice], stack.best[choice], stack.counters
    for role in range(len(total)):
        total[role] += stack.value[role]
    row[AT] += 1
    if row[AT] < row[COUNT]:
        return True
    for role in range(len(total)):
        stack.value[role] = np.rint(total[role] / row[COUNT] * _PARTS) / _PARTS
    stack.lines[choice, 0] = row[CHOSEN]
    row[LENGTH] = counters[FOUND_LENGTH] = 1
    counters[FOUND_SURE] = row[ALL_SURE]
    return False


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
        _return_outside(rules, stack, choice, False, PRUNED)
    elif rivals and not row[INSIDE]:
        _return_outside(rules, stack, choice, True, RIVAL)
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
    if not is_within(rules, possible, box):
        use = _NO_BETTER
    elif row[BEST_OPTION] >= 0 and not row[INSIDE]:
        assign(box, stack.boxes[choice])
        box[chooser] = max(box[chooser], held)
        if not is_within(rules, possible, box):
            use = _CUT
    return use


@nopython
def _return_cut(rules: Rules, stack: Stack, choice: int) -> None:
    """Return that nothing that can still become of a choice is in its box."""
    row, box, held = stack.choices[choice], stack.some_box, stack.held[choice]
    possible, chooser = stack.possible[row[NODE]], row[CHOOSER]
    count_rule(rules, stack, choice, possible, chooser, held)
    _find_rivals(rules, stack, choice)
    _return_outside(rules, stack, choice, True, RIVAL)
    box[:] = -np.inf
    box[chooser] = held
    add_within(rules, stack.rows, possible, box)


@inlined
def _answer_again(rules: Rules, stack: Stack, choice: int) -> bool:
    """Take what was found of a rival, as `answered` does."""
    row, slot, box = stack.choices[choice], stack.choices[choice, SLOT], stack.some_box
    chooser = row[CHOOSER]
    box[:] = -np.inf
    box[chooser] = stack.slot_boxes[slot + row[AT], chooser]
    excluded = stack.value[chooser] <= box[chooser]
    if stack.counters[IS_OUTSIDE]:
        excluded = excludes(rules, stack.rows, stack.box, box)
    if not excluded:
        stack.counters[RESEARCHING] -= 1
        _return_outside(rules, stack, choice, False, RIVAL)
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
    while option < row[COUNT] and stack.slots[row[SLOT] + option] != RIVAL:
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
        box[chooser] = held
        if option < row[BEST_OPTION]:
            box[chooser] = min(np.nextafter(held, -np.inf), held - rules.rounding[1])
        if excludes(rules, stack.slot_rows[slot], stack.slot_boxes[slot], box):
            stack.slots[slot] = 0
            continue
        stack.slots[slot] = RIVAL
        restrict(rules, stack.slot_rows[slot], box)
        stack.slot_boxes[slot, chooser] = box[chooser]
        found += 1
    return found


@inlined
def _return_best(stack: Stack, choice: int) -> None:
    row, counters = stack.choices[choice], stack.counters
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 0, row[ALL_SURE]
    counters[FOUND_LENGTH] = row[LENGTH]
    assign(stack.value, stack.best[choice])


@nopython
def _return_outside(rules: Rules, stack: Stack, choice: int, best: bool, kind: int) -> None:
    """Return that a choice has the best value, or one of the options of a kind."""
    row, counters = stack.choices[choice], stack.counters
    counters[IS_OUTSIDE], counters[FOUND_SURE] = 1, row[ALL_SURE]
    counters[FOUND_LENGTH] = 0
    assign(stack.box, stack.boxes[choice])
    clear(rules, stack.rows)
    for slot in range(row[SLOT], row[SLOT] + row[COUNT]):
        if stack.slots[slot] == kind:
            unite(rules, stack.rows, stack.slot_rows[slot])
    if best:
        add_value(rules, stack.rows, stack.best[choice])


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
def count_rule(
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
    if not is_within(rules, rules.everything, box):
        stack.counters[SHALLOW] += 1
    elif is_within(rules, possible, box):
        stack.counters[OWN_RULE] += 1
    else:
        stack.counters[BRANCH_AND_BOUND] += 1
