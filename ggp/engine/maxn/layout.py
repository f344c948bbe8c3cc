"""What a max-n search of the engine has in its stack, and what it knows of rules and rows.

Above the frames stands a second stack, of *choices*: of the roles that have a choice in a node each
has one, in the order in which they choose; last comes chance, whose options are all searched and
lead to their mean. A node in which nobody has a choice has one that belongs to nobody. Choice 0 is
above the root. The path with which a choice is searched (its box, and its last entries) stands in
its own row, so that who is above writes there before it is known whether there will be a choice at
all.

What was found last is in `Stack.value`, or, if nothing but that it is outside of a box, in
`Stack.rows` and `Stack.box`.

A set of rows of the leaf-value table takes some words, in a form that depends on the classifier:

- TABLE: one bit for each row, and one more for a value that is no row;
- LINEAR: what the linear test uses of a set, and all it needs of a union: each role's lowest rank,
  each role's highest rank, the highest sum, as integers with a sign;
- UNCLASSIFIED and GOAL_SUM: 1, or 0 for the empty set.

A box is each role's strict lower bound, in goals; -inf for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import COMMON_COUNTERS, COMMON_FIELDS
from ggp.reasoner.compiled import Words

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
]

#: The classifiers.
UNCLASSIFIED, LINEAR, TABLE, GOAL_SUM = range(4)
#: With which bounds a child is searched: none, the parent's, all while at the last child, the last.
PLAIN, PARENT, LAST_BRANCH, SPECULATIVE = range(4)

# Places in `Rules.numbers`;
(KIND, IS_DISCRETE, RULE, IS_FILTERED, IS_UPPER, AT_LEAVES, STORED, NATURE,
 RULE_NUMBERS) = range(9)  # fmt: skip
# in a row of `Stack.choices`: the frame, who chooses (-1 for nobody), how many options there are
# and what each adds to the number of the joint move, and so on;
(NODE, CHOOSER, COUNT, STRIDE, CHOSEN, AT, BEST_OPTION, INSIDE, ALL_SURE, IS_AGAIN, SLOT, PLACE,
 NEXT_PLACE, IS_FIRST, LENGTH, PATH_LENGTH, CHOICE_FIELDS) = range(17)  # fmt: skip
# and in `Stack.counters`, after those of all searches.
(CHOICE, RESEARCHING, IMMEDIATE, SHALLOW, BRANCH_AND_BOUND, OWN_RULE, IS_OUTSIDE, NEEDED_SLOTS,
 COUNTERS) = range(COMMON_COUNTERS, COMMON_COUNTERS + 9)  # fmt: skip

#: A row of `Stack.frames` has what it has in all searches.
FRAME_FIELDS = COMMON_FIELDS

#: What is known of an option that was pruned: that it is, or also that it may be preferred.
PRUNED, RIVAL = 1, 2


class Rules(NamedTuple):
    """A rule of pruning with its classifier, and what it knows of the game."""

    #: int64[RULE_NUMBERS]: see the names above.
    numbers: NDArray[np.int64]
    #: int64[roles]: the roles in the order in which they choose; chance is the last.
    order: NDArray[np.int64]
    #: float64[roles]: each role's highest goal.
    highest: NDArray[np.float64]
    #: float64[1]: the highest sum of goals in a leaf.
    most: NDArray[np.float64]
    #: float64[2]: by how much sums of values may be wrong, and, more than that, but less than what
    #: two values differ by; 0 where values are not rounded.
    rounding: NDArray[np.float64]
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

    #: As in `ggp.engine.layout.Frames`.
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
    #: float64[choices, roles]: the box of the path, and the best value so far, or chance's sum.
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
