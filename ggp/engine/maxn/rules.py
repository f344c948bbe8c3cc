"""A rule of max-n pruning, its classifier and the leaf-value table, in arrays for the loop."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.engine.layout import new_record
from ggp.engine.maxn.layout import (
    LAST_BRANCH,
    LINEAR,
    MEANS,
    PLAIN,
    SHALLOW,
    SPECULATIVE,
    TABLE,
    UNCLASSIFIED,
    RuleNumbers,
    Rules,
)
from ggp.engine.maxn.row_sets import BEYOND
from ggp.engine.row_filter import bits_of, firsts, new_links
from ggp.gdl import HIGHEST_GOAL
from ggp.native.numba_support import Words
from ggp.search import BranchAndBound, LastBranch, MaxN, Shallow, Speculative
from ggp.search.classifiers import tested_normals
from ggp.search.leaf_values import LeafValueTable, Possible
from ggp.search.settings import SearchSettings

__all__ = ["new_rules", "stored_words"]

_RULES = {
    MaxN.algorithm: PLAIN,
    Shallow.algorithm: SHALLOW,
    BranchAndBound.algorithm: SHALLOW,
    LastBranch.algorithm: LAST_BRANCH,
    Speculative.algorithm: SPECULATIVE,
}

#: The classifiers for which each rule asks what is still possible below a state.
_FILTERED = {
    rule.algorithm: rule.filtered
    for rule in (MaxN, Shallow, BranchAndBound, LastBranch, Speculative)
}

# The error that a sum of means may have, and a number above it that is less than the difference of
# two means: they are multiples of 1 / 60^5, as near as floating-point numbers come to them.
_ROUNDING, _DIFFERENCE = 1e-11, 1e-10

# The words of a set that is stored in the transposition table, at most.
_MAX_STORED = 8

# The words that the memory of recent sets may take, and the most sets in it.
_MEMO_WORDS, _MAX_MEMO = 1 << 19, 1 << 12


def new_rules(settings: SearchSettings, circuit: Circuit, *, at_leaves: bool) -> Rules:
    """Return how a search prunes.

    Args:
        settings: name the rule, the classifier and the table.
        circuit: the game.
        at_leaves: whether the search goes to the end of the game, so that all values are of leaves.
    """
    table, roles = settings.leaf_values, len(circuit.roles)
    chance = () if settings.chance is None else (settings.chance,)
    kind = _kind(settings, at_leaves=at_leaves)
    asked = settings.row_filter if settings.classifier in _FILTERED[settings.algorithm] else None
    row_filter, hull = asked if at_leaves else None, table.hull
    possible: Possible | None = None
    if not at_leaves:
        possible = Possible.exact(table)  # estimates need it, whatever the rule asks
    elif row_filter is not None:
        possible = Possible(table, row_filter=row_filter)
    # Searches to the end need no heights.
    heights = hull.row_heights if possible and not at_leaves else [[0]]
    has_rows = kind == TABLE or possible is not None
    vectors = np.array(table.vectors if has_rows else [], np.int64).reshape(-1, roles)
    words = len(vectors) // 64 + 1
    above_counts = [len(goals) + 1 for goals in table.goals] if has_rows else []
    above = [
        bits_of(table.above(role, rank) | 1 << len(vectors), words)
        for role, count in enumerate(above_counts)
        for rank in range(-1, count - 1)
    ]
    everything, anything = _sets(
        table, kind, words, sum_only=settings.classifier == "sum", at_leaves=at_leaves
    )
    memo = _memo_size(len(everything)) if possible else 1
    numbers = new_record(RuleNumbers)
    numbers.classifier, numbers.rule = kind, _RULES[settings.algorithm]
    numbers.is_discrete, numbers.at_leaves = settings.discrete, at_leaves
    numbers.is_filtered = possible is not None and asked is not None
    numbers.is_upper, numbers.is_literal = row_filter == "upper", row_filter == "literal"
    numbers.knows_more = possible is not None
    numbers.tested = tested_normals(table, settings.classifier)
    numbers.stored = stored_words(settings) if at_leaves else 0
    numbers.chance = -2 if settings.chance is None else settings.chance
    if chance:
        numbers.rounding, numbers.difference = _ROUNDING, _DIFFERENCE
    return Rules(
        numbers=numbers,
        order=np.array(settings.choosers + chance, np.int64),
        normals=np.array(hull.normals, np.int64),
        row_heights=np.array(heights, np.int64),
        ranks=np.array(
            [
                [bisect_right(goals, goal) - 1 for goal in range(HIGHEST_GOAL + 1)]
                for goals in table.goals
            ],
            np.int64,
        ),
        everything=everything,
        anything=anything,
        above=np.array(above, np.uint64).reshape(-1, words),
        first_above=firsts(above_counts),
        vectors=vectors,
        links=new_links(table, possible, circuit, rows=len(vectors), memo=memo),
        memo=np.zeros((memo, len(everything)), np.uint64),
        values=np.zeros(roles, np.int64),
        some_bounds=np.zeros(roles),
    )


def stored_words(settings: SearchSettings) -> int:
    """Return how many words of a set of rows the transposition table stores with bounds."""
    if settings.chance is not None:
        return 0
    kind, words = _kind(settings, at_leaves=True), 0
    if kind == TABLE:
        words = len(settings.leaf_values) // 64 + 1
    elif kind == LINEAR:
        words = 2 * len(settings.leaf_values.roles) + 1
    return words if words <= _MAX_STORED else 0


def _kind(settings: SearchSettings, *, at_leaves: bool) -> int:
    """Return the classifier that decides, as `decisive` of the reference does."""
    if settings.classifier == "none":
        return UNCLASSIFIED
    if not at_leaves:
        return MEANS
    if settings.classifier == "lvt" and settings.leaf_values.is_enumerated:
        return TABLE
    return LINEAR


def _sets(
    table: LeafValueTable, kind: int, words: int, *, sum_only: bool, at_leaves: bool
) -> tuple[Words, Words]:
    """Return the set of every row, and that of every row and every other value."""
    if not at_leaves:
        heights = np.array(table.hull.heights, np.int64).view(np.uint64)
        return heights, heights
    if kind == TABLE:
        every = table.everything
        return bits_of(every, words), bits_of(every << 1 | 1, words)
    if kind != LINEAR:
        return np.ones(1, np.uint64), np.ones(1, np.uint64)
    lowest = [-(r in table.may_miss and goals[0] > 0) for r, goals in enumerate(table.goals)]
    highest = [BEYOND if sum_only else len(goals) - 1 for goals in table.goals]
    summary = np.array([*lowest, *highest, table.maxsum], np.int64).view(np.uint64)
    return summary, summary


def _memo_size(words: int) -> int:
    """Return how many recent sets to keep: a power of 2."""
    return max(1, min(_MAX_MEMO, 1 << (_MEMO_WORDS // words).bit_length() - 1))
