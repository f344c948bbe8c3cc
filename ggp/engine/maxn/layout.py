"""The stack of a max-n search of the engine, and its rules of pruning.

Beside the frames there is a second stack, of *choices*: in a node each role that has a choice gets
one, in the order in which they choose; chance comes last, and all of its options are searched for
their mean. A node in which no role has a choice gets one that belongs to no role. Choice 0 is above
the root. The path with which a choice is searched (its bounds, and its last entries) is in the row
of that choice: the choice above writes it there before it is known whether there will be a choice.

What was found last is in `Stack.value`; or, if it was pruned, in `Stack.rows` and
`Stack.value_bounds`: the value is among these rows, and not inside these bounds.

A set of rows of the leaf-value table takes some words, in a form that depends on the classifier:

- TABLE: one bit for each row, and one more for a value that is no row;
- LINEAR: what the linear test uses of a set, and all it needs for a union: each role's lowest rank,
  each role's highest rank, the highest sum, as signed integers;
- MEANS, where values may be means or estimates: the most that any row has by each normal of the
  hull, as signed integers; -1 for the empty set.
- UNCLASSIFIED: as MEANS, if there are estimates.

*Lower bounds* are strict, one goal for each role; -inf for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import Counters, Frame, Records
from ggp.engine.row_filter import Links
from ggp.native.numba_support import Words

__all__ = [
    "LAST_BRANCH",
    "LINEAR",
    "MEANS",
    "PLAIN",
    "PRUNED",
    "RIVAL",
    "SHALLOW",
    "SPECULATIVE",
    "TABLE",
    "UNCLASSIFIED",
    "Choice",
    "MaxNCounters",
    "RuleNumbers",
    "Rules",
    "Stack",
]

#: The classifiers.
UNCLASSIFIED, LINEAR, TABLE, MEANS = range(4)
#: With which bounds a child is searched: none, the parent's (branch-and-bound, too), those of
#: ancestors at their last child, or the last ones. They are the classes of `ggp.search.prunings`.
PLAIN, SHALLOW, LAST_BRANCH, SPECULATIVE = range(4)
#: The state of an option that was pruned: only that, or also that it may be preferred.
PRUNED, RIVAL = 1, 2


class RuleNumbers:
    """The rule of pruning and its classifier, by the constants of this module."""

    classifier: int
    rule: int
    is_discrete: int
    #: Whether it asks which rows are possible below a state, and only for upper bounds: of ranks,
    #: or of the values of groups.
    is_filtered: int
    is_upper: int
    is_literal: int
    #: Whether the search goes to the end of the game, so that all values are of leaves.
    at_leaves: int
    #: The words of a set of rows in an entry of the transposition table.
    stored: int
    #: The role that plays chance; -2 without one.
    chance: int
    #: How many of the first normals are asked, and whether estimates ask what is possible.
    tested: int
    knows_more: int
    #: The error that sums of values may have, and a number above it that is less than the
    #: difference of two values; 0 where values are not rounded.
    rounding: float
    difference: float


class Rules(NamedTuple):
    """A rule of pruning with its classifier, and the leaf-value table."""

    numbers: RuleNumbers
    #: int64[roles]: the roles in the order in which they choose; chance is the last.
    order: NDArray[np.int64]
    #: int64[normals, roles] and int64[rows, normals]: those of the hull, and what each makes of
    #: the rows; without rows where nothing is known of the states.
    normals: NDArray[np.int64]
    row_heights: NDArray[np.int64]
    #: int64[roles, 101]: for each number, the rank of a role's highest goal that is not above it.
    ranks: NDArray[np.int64]
    #: Sets: every row; and every value at all, those that are no rows included.
    everything: Words
    anything: Words
    #: As bits: the rows in which a role (at `first_above[role] + rank + 1`) has more than a rank.
    above: Words
    first_above: NDArray[np.int64]
    #: int64[rows, roles]: the ranks of the rows, ascending.
    vectors: NDArray[np.int64]
    #: What facts say about the rows.
    links: Links
    #: The answers of `find_possible`: sets in the classifier's form.
    memo: Words
    #: int64[roles]: working memory for ranks.
    values: NDArray[np.int64]
    #: float64[roles]: working memory for bounds.
    some_bounds: NDArray[np.float64]


class Choice:
    """A role's choice in a node."""

    #: The frame of the node.
    frame: int
    #: The role, -1 for none; its place in the order, and that of the next role with a choice.
    chooser: int
    place: int
    next_place: int
    #: How many options there are, what each adds to the number of the joint move, and what the
    #: choices before it add.
    count: int
    stride: int
    chosen: int
    #: The current option, and the best so far, -1 for none.
    at: int
    best_option: int
    #: Whether the best value is inside the bounds of the path, and all values are proven.
    inside: int
    all_proven: int
    #: Whether pruned options are being searched again.
    is_again: int
    #: Where in `slots` its options begin.
    slot: int
    #: Whether it is the first choice of its node.
    is_first: int
    #: The length of the best line, and the number of entries of the path.
    length: int
    path_length: int
    #: What the chooser holds.
    held: float


class MaxNCounters(Counters):
    """The counters of all searches, the current choice, and the prunes."""

    choice: int
    #: How many choices are searching pruned options again.
    researching: int
    #: How often each rule has pruned.
    immediate: int
    shallow: int
    branch_and_bound: int
    own_rule: int
    #: Whether the value that was found last was pruned.
    is_pruned: int
    #: The slots that the stack must have, if it is FULL.
    needed_slots: int


class Stack(NamedTuple):
    """The state of a search."""

    #: As in `ggp.engine.layout.SearchStack`.
    frames: Records[Frame]
    counts: NDArray[np.int64]
    strides: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: MaxNCounters
    #: uint64[frames, words of a set]: the rows that are possible below.
    possible: Words
    #: [choices]
    choices: Records[Choice]
    #: float64[choices, roles]: the bounds of the path, and the best value so far, or chance's sum.
    bounds: NDArray[np.float64]
    best: NDArray[np.float64]
    #: [choices, any]: the last entries of the path: the role, and what it holds.
    path_roles: NDArray[np.int64]
    path_held: NDArray[np.float64]
    #: int32[choices, frames]: the best line of each choice.
    lines: NDArray[np.int32]
    #: [options of all choices], with words of a set, roles: the state of a pruned option.
    slots: NDArray[np.int8]
    slot_rows: Words
    slot_bounds: NDArray[np.float64]
    #: What was found last.
    value: NDArray[np.float64]
    rows: Words
    value_bounds: NDArray[np.float64]
    #: float64[roles]: working memory for bounds.
    some_bounds: NDArray[np.float64]
