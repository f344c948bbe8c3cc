"""The choices of a max-n search in compiled code: their bounds and their results.

It is `MaxN.choose` of `ggp.search.maxn`, with its recursion unrolled into `Stack.choices`, and
`handed` of each rule of `ggp.search.prunings`, which names the papers. What does the work of
another method of `MaxN` has its name, or names it.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.maxn.layout import (
    LAST_BRANCH,
    PLAIN,
    PRUNED,
    RIVAL,
    SHALLOW,
    UNCLASSIFIED,
    Rules,
    Stack,
)
from ggp.engine.maxn.row_sets import (
    add_value,
    add_within,
    clear,
    excludes,
    is_above,
    is_within,
    restrict,
    unite,
)
from ggp.engine.row_filter import assign
from ggp.native.numba_support import Words, inlined, nopython

__all__ = ["count_rule", "hand_down", "next_place", "open_choice", "take"]

# Means are rounded to a multiple of 1 / 60^5, which the means of five dice in a row are anyway:
# equal means must be equal to the last bit, in whatever order their parts were added up.
_PARTS = 60.0**5

# Whether the other options may matter; if not, because the chooser cannot get more, because of the
# bounds of the path, or because there are none.
_USEFUL, _NO_BETTER, _CUT, _LAST = range(4)


@inlined
def open_choice(
    rules: Rules, stack: Stack, choice: int, frame: int, place: int, chosen: int, slot: int
) -> None:
    """Prepare a choice of the role at a place in the order for its first option."""
    row, roles = stack.choices[choice], len(rules.order)
    row.frame, row.chosen, row.slot, row.place = frame, chosen, slot, place
    if place < roles:
        chooser = rules.order[place]
        row.chooser = chooser
        row.count, row.stride = (
            stack.counts[frame, chooser],
            stack.strides[frame, chooser],
        )
    else:
        row.chooser, row.count, row.stride = -1, 1, 0
    row.next_place = next_place(rules, stack, frame, place + 1)
    row.at = row.inside = row.is_again = row.length = 0
    row.best_option, row.all_proven = -1, 1
    if row.chooser == rules.numbers.chance:
        stack.best[choice, :] = 0.0
    stack.choices[choice].held = -np.inf
    for option in range(slot, slot + row.count):
        stack.slots[option] = 0


@inlined
def next_place(rules: Rules, stack: Stack, frame: int, place: int) -> int:
    """Return the first place, from this on, of a role that has a choice."""
    while place < len(rules.order) and stack.counts[frame, rules.order[place]] < 2:
        place += 1
    return min(place, len(rules.order))


@inlined
def hand_down(rules: Rules, stack: Stack, choice: int) -> None:
    """Write the path with which the current option is searched into the row of the next choice.

    It is `handed` of the rule: of `MaxN`, `Shallow`, `LastBranch` or `Speculative`. A rival gets
    the path with which `MaxN.choose` searches it again.
    """
    row, below = stack.choices[choice], choice + 1
    chooser, rule = row.chooser, rules.numbers.rule
    if rules.numbers.classifier == UNCLASSIFIED:
        # without a classifier bounds prune nothing
        stack.choices[below].path_length = 0
        return
    if chooser < 0:
        _copy_path(stack, choice, below)
    elif chooser == rules.numbers.chance:
        # a mean needs exact values
        stack.choices[below].path_length = 0
        stack.bounds[below, :] = -np.inf
    elif row.is_again:
        _own_path(stack, below, chooser, stack.slot_bounds[row.slot + row.at, chooser])
    elif rule == PLAIN:
        stack.choices[below].path_length = 0
        stack.bounds[below, :] = -np.inf
    elif (
        rule == SHALLOW
        or row.inside
        or (rule == LAST_BRANCH and row.at + 1 < row.count)
        or row.path_length == 0
    ):
        _own_path(stack, below, chooser, stack.choices[choice].held)
    else:
        _longer_path(rules, stack, choice)


@inlined
def _own_path(stack: Stack, choice: int, chooser: int, held: float) -> None:
    """Write a path of one entry."""
    stack.bounds[choice, :] = -np.inf
    stack.bounds[choice, chooser] = held
    stack.choices[choice].path_length = 1
    stack.path_roles[choice, 0], stack.path_held[choice, 0] = chooser, held


@inlined
def _copy_path(stack: Stack, source: int, target: int) -> None:
    stack.choices[target].path_length = stack.choices[source].path_length
    assign(stack.bounds[target], stack.bounds[source])
    for i in range(stack.choices[source].path_length):
        stack.path_roles[target, i] = stack.path_roles[source, i]
        stack.path_held[target, i] = stack.path_held[source, i]


@inlined
def _longer_path(rules: Rules, stack: Stack, choice: int) -> None:
    """Write the path of a choice, with the chooser's bound, for the next; long ones are cut.

    The entries that are cut, the first ones, are forgotten; last-branch pruning keeps their bounds.
    """
    below, held = choice + 1, stack.choices[choice].held
    chooser, length = stack.choices[choice].chooser, stack.choices[choice].path_length
    cut = max(0, length + 1 - stack.path_roles.shape[1])
    for i in range(cut, length):
        stack.path_roles[below, i - cut] = stack.path_roles[choice, i]
        stack.path_held[below, i - cut] = stack.path_held[choice, i]
    last = length - cut
    stack.path_roles[below, last], stack.path_held[below, last] = chooser, held
    stack.choices[below].path_length = last + 1
    if rules.numbers.rule == LAST_BRANCH:
        assign(stack.bounds[below], stack.bounds[choice])
        stack.bounds[below, chooser] = max(stack.bounds[below, chooser], held)
        return
    stack.bounds[below, :] = -np.inf
    for i in range(last + 1):
        role = stack.path_roles[below, i]
        stack.bounds[below, role] = max(stack.bounds[below, role], stack.path_held[below, i])


@inlined
def take(rules: Rules, stack: Stack, choice: int) -> bool:
    """Take what was found for the current option; return whether there is another one to visit.

    If not, what was found last is the value of the choice. It is the body of the loop of
    `MaxN.choose`, and what follows the loop.
    """
    row, counters = stack.choices[choice], stack.counters
    chooser = row.chooser
    if chooser < 0:
        if not counters.is_pruned:
            _take_line(rules, stack, choice)
            counters.found_length = row.length
        return False
    row.all_proven &= counters.found_proven
    if chooser == rules.numbers.chance:
        return _add_to_mean(stack, choice)
    if row.is_again:
        return _answer_again(rules, stack, choice)
    slot, is_better = row.slot + row.at, False
    if counters.is_pruned:
        stack.slots[slot] = PRUNED
        assign(stack.slot_rows[slot], stack.rows)
        assign(stack.slot_bounds[slot], stack.value_bounds)
    elif stack.value[chooser] > stack.choices[choice].held:
        is_better = True
        stack.choices[choice].held, row.best_option = stack.value[chooser], row.at
        row.inside = 1
        for role in range(len(stack.value)):
            stack.best[choice, role] = stack.value[role]
            if rules.numbers.classifier != UNCLASSIFIED:
                row.inside &= stack.value[role] > stack.bounds[choice, role]
        _take_line(rules, stack, choice)
    if rules.numbers.classifier == UNCLASSIFIED:
        row.at += 1
        if row.at < row.count:
            return True
        _return_best(stack, choice)
        return False
    return _next_option(rules, stack, choice, is_better)


@inlined
def _add_to_mean(stack: Stack, choice: int) -> bool:
    """Take what was found for a move of chance, as `take` does; the line ends before it.

    It is `MaxN.expected`.
    """
    row, total, counters = stack.choices[choice], stack.best[choice], stack.counters
    for role in range(len(total)):
        total[role] += stack.value[role]
    row.at += 1
    if row.at < row.count:
        return True
    for role in range(len(total)):
        stack.value[role] = np.rint(total[role] / row.count * _PARTS) / _PARTS
    stack.lines[choice, 0] = row.chosen
    row.length = counters.found_length = 1
    counters.found_proven = row.all_proven
    return False


@inlined
def _next_option(rules: Rules, stack: Stack, choice: int, is_better: bool) -> bool:
    """Go on to the next option, unless none is needed; return whether there is one to visit.

    If the chooser can get no more than it holds, none is: immediate pruning (Korf 1991). Where the
    last option is not better than those before it, the others are still of use.
    """
    row, counters, rivals = stack.choices[choice], stack.counters, 0
    has_best = row.best_option >= 0
    what = _LAST
    if row.at + 1 < row.count:
        what = _USEFUL
        if is_better or row.at == 0:
            held = stack.choices[choice].held
            if not is_above(rules, stack.possible[row.frame], row.chooser, held):
                what = _NO_BETTER
            elif has_best and _is_cut(rules, stack, choice):
                what = _CUT
    if what == _USEFUL:
        row.at += 1
        return True
    counters.immediate += what == _NO_BETTER
    if what != _CUT and has_best:
        rivals = _find_rivals(rules, stack, choice)
    if what == _CUT:
        _return_cut(rules, stack, choice)
    elif not has_best:
        _return_pruned(rules, stack, choice, False, PRUNED)
    elif rivals and not row.inside:
        _return_pruned(rules, stack, choice, True, RIVAL)
    elif not rivals:
        _return_best(stack, choice)
    else:
        row.is_again, row.at = 1, _next_rival(stack, choice, 0)
        counters.researching += 1
        return True
    return False


@inlined
def _is_cut(rules: Rules, stack: Stack, choice: int) -> bool:
    """Return whether nothing that can still become of a choice is inside the bounds.

    They are those of its path and of its chooser, and the best value must not be inside, either. It
    is `MaxN.is_cut` (Sturtevant 2005, Figure 9).
    """
    row, bounds, cut = stack.choices[choice], stack.some_bounds, False
    if not row.inside:
        assign(bounds, stack.bounds[choice])
        bounds[row.chooser] = max(bounds[row.chooser], stack.choices[choice].held)
        cut = not is_within(rules, stack.possible[row.frame], bounds)
    return cut


@nopython
def _return_cut(rules: Rules, stack: Stack, choice: int) -> None:
    """Return that no value that a choice can still have is inside its bounds."""
    row, bounds, held = stack.choices[choice], stack.some_bounds, stack.choices[choice].held
    possible, chooser = stack.possible[row.frame], row.chooser
    count_rule(rules, stack, choice, possible, chooser, held)
    _find_rivals(rules, stack, choice)
    _return_pruned(rules, stack, choice, True, RIVAL)
    bounds[:] = -np.inf
    bounds[chooser] = held
    add_within(rules, stack.rows, possible, bounds)


@inlined
def _answer_again(rules: Rules, stack: Stack, choice: int) -> bool:
    """Take what was found for a rival, which is searched again, as `take` does."""
    row, slot, bounds = stack.choices[choice], stack.choices[choice].slot, stack.some_bounds
    chooser = row.chooser
    bounds[:] = -np.inf
    bounds[chooser] = stack.slot_bounds[slot + row.at, chooser]
    excluded = stack.value[chooser] <= bounds[chooser]
    if stack.counters.is_pruned:
        excluded = excludes(rules, stack.rows, stack.value_bounds, bounds)
    if not excluded:
        stack.counters.researching -= 1
        _return_pruned(rules, stack, choice, False, RIVAL)
        return False
    stack.slots[slot + row.at] = 0
    row.at = _next_rival(stack, choice, row.at)
    if row.at < row.count:
        return True
    stack.counters.researching -= 1
    _return_best(stack, choice)
    return False


@inlined
def _next_rival(stack: Stack, choice: int, option: int) -> int:
    """Return the first rival from an option on, or the number of options."""
    row = stack.choices[choice]
    while option < row.count and stack.slots[row.slot + option] != RIVAL:
        option += 1
    return option


@nopython
def _find_rivals(rules: Rules, stack: Stack, choice: int) -> int:
    """Find the pruned options that the chooser may prefer to its best; return how many there are.

    The other options are forgotten. It is `MaxN.rivals`.
    """
    row, bounds, found = stack.choices[choice], stack.some_bounds, 0
    held = row.held
    chooser = row.chooser
    bounds[:] = -np.inf
    for option in range(row.count):
        slot = row.slot + option
        if stack.slots[slot] == 0:
            continue
        # left of the best, an option that gives as much is preferred, too
        bounds[chooser] = held
        if option < row.best_option:
            bounds[chooser] = min(np.nextafter(held, -np.inf), held - rules.numbers.difference)
        if excludes(rules, stack.slot_rows[slot], stack.slot_bounds[slot], bounds):
            stack.slots[slot] = 0
            continue
        stack.slots[slot] = RIVAL
        restrict(rules, stack.slot_rows[slot], bounds)
        stack.slot_bounds[slot, chooser] = bounds[chooser]
        found += 1
    return found


@inlined
def _return_best(stack: Stack, choice: int) -> None:
    row, counters = stack.choices[choice], stack.counters
    counters.is_pruned, counters.found_proven = 0, row.all_proven
    counters.found_length = row.length
    assign(stack.value, stack.best[choice])


@nopython
def _return_pruned(rules: Rules, stack: Stack, choice: int, best: bool, kind: int) -> None:
    """Return that a choice was pruned: it has the best value, or one of the options of a kind.

    It is `MaxN.pruned`.
    """
    row, counters = stack.choices[choice], stack.counters
    counters.is_pruned, counters.found_proven = 1, row.all_proven
    counters.found_length = 0
    assign(stack.value_bounds, stack.bounds[choice])
    clear(rules, stack.rows)
    for slot in range(row.slot, row.slot + row.count):
        if stack.slots[slot] == kind:
            unite(rules, stack.rows, stack.slot_rows[slot])
    if best:
        add_value(rules, stack.rows, stack.best[choice])


@inlined
def _take_line(rules: Rules, stack: Stack, choice: int) -> None:
    """Make the current option's line the best; the last chooser puts the joint move before it."""
    row, length, at = stack.choices[choice], stack.counters.found_length, 0
    if row.next_place == len(rules.order):
        stack.lines[choice, 0] = row.chosen + row.at * row.stride
        at = 1
    for i in range(length):
        stack.lines[choice, at + i] = stack.lines[choice + 1, i]
    row.length = at + length


@nopython
def count_rule(
    rules: Rules, stack: Stack, choice: int, possible: Words, chooser: int, held: float
) -> None:
    """Count a prune for the simplest rule that cuts here, as the reference's `_rule` finds it.

    The chooser and what it holds make one more bound with those of the path; -1 for none.
    """
    bounds, length = stack.some_bounds, stack.choices[choice].path_length
    bounds[:] = -np.inf
    if length:
        bounds[stack.path_roles[choice, length - 1]] = stack.path_held[choice, length - 1]
    if chooser >= 0:
        bounds[chooser] = max(bounds[chooser], held)
    if not is_within(rules, rules.everything, bounds):
        stack.counters.shallow += 1
    elif is_within(rules, possible, bounds):
        stack.counters.own_rule += 1
    else:
        stack.counters.branch_and_bound += 1
