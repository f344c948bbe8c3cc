"""A rule of max-n pruning, its classifier and the leaf-value table as arrays for the loop."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ggp.engine.game import highest_goals
from ggp.engine.maxn import layout as maxn_layout
from ggp.reasoner.compiled import Circuit, Words, words_of
from ggp.search import BranchAndBound, LastBranch, MaxN, Shallow, Speculative
from ggp.search.classifiers import highest_sum
from ggp.search.leaf_values import LeafValueTable, Link, Possible, RowFilter, bitset

__all__ = ["new_rules", "stored_words"]

_RULES: dict[type[MaxN], int] = {
    MaxN: maxn_layout.PLAIN,
    Shallow: maxn_layout.PARENT,
    BranchAndBound: maxn_layout.PARENT,
    LastBranch: maxn_layout.LAST_BRANCH,
    Speculative: maxn_layout.SPECULATIVE,
}

_HIGHEST_GOAL = 100

# By so much a sum of means may be wrong, and less than what they differ by: they are multiples of
# 1 / 60^5, as near as floating-point numbers come to them.
_ROUNDING = (1e-11, 1e-10)

# Sets of no more words than this are kept in the transposition table.
_MAX_STORED = 8

# Words that sets may take which were found lately, and the most that are kept.
_MEMO_WORDS, _MAX_MEMO = 1 << 19, 1 << 12


def new_rules(
    search: MaxN, circuit: Circuit, *, at_leaves: bool, row_filter: RowFilter, discrete: bool
) -> maxn_layout.Rules:
    """Return how a search prunes.

    Args:
        search: the reference; it names the rule, the classifier and the table.
        circuit: the game.
        at_leaves: whether it goes to the end of the game, so that all values are of leaves.
        row_filter: as for `MaxN`.
        discrete: as for `MaxN`.
    """
    table, roles = search.leaf_values, len(circuit.roles)
    chance = () if search.chance is None else (search.chance,)
    kind = _kind(search, at_leaves=at_leaves)
    possible = search.filter if at_leaves and isinstance(search.filter, Possible) else None
    has_rows = kind == maxn_layout.TABLE or possible is not None
    vectors = np.array(table.vectors if has_rows else [], np.int64).reshape(-1, roles)
    words = len(vectors) // 64 + 1
    links = _Links(table.links if possible else (), possible, circuit)
    above_counts = [len(goals) + 1 for goals in table.goals] if has_rows else []
    above = [
        _bits(table.above(role, rank) | 1 << len(vectors), words)
        for role, count in enumerate(above_counts)
        for rank in range(-1, count - 1)
    ]
    everything, anything = _sets(search.leaf_values, kind, words)
    memo = _memo_size(len(everything)) if possible else 1
    numbers = np.zeros(maxn_layout.RULE_NUMBERS, np.int64)
    numbers[maxn_layout.KIND] = kind
    numbers[maxn_layout.IS_DISCRETE] = discrete
    numbers[maxn_layout.RULE] = _RULES[type(search)]
    numbers[maxn_layout.IS_FILTERED] = possible is not None
    numbers[maxn_layout.IS_UPPER] = possible is not None and row_filter == "upper"
    numbers[maxn_layout.AT_LEAVES] = at_leaves
    numbers[maxn_layout.STORED] = stored_words(search) if at_leaves else 0
    numbers[maxn_layout.NATURE] = -2 if search.chance is None else search.chance
    return maxn_layout.Rules(
        numbers=numbers,
        order=np.array(search.choosers + chance, np.int64),
        highest=highest_goals(table),
        most=np.array([highest_sum(table)], np.float64),
        rounding=np.array(_ROUNDING if chance else (0, 0), np.float64),
        ranks=np.array(
            [
                [bisect_right(goals, goal) - 1 for goal in range(_HIGHEST_GOAL + 1)]
                for goals in table.goals
            ],
            np.int64,
        ),
        everything=everything,
        anything=anything,
        above=np.array(above, np.uint64).reshape(-1, words),
        first_above=_firsts(above_counts),
        vectors=vectors,
        first_fact=links.first_fact,
        group_facts=links.group_facts,
        first_group=links.first_group,
        first_ending=links.first_ending,
        link_groups=links.link_groups,
        first_mask=links.first_mask,
        masks=links.masks,
        ending_rows=links.ending_rows,
        memo_keys=np.full((memo, 2), ~np.uint64(0)),
        memo=np.zeros((memo, len(everything)), np.uint64),
        values=np.zeros(max(roles, len(links.first_fact)), np.int64),
        endings=np.zeros(links.most_words, np.uint64),
        bits=np.zeros(words, np.uint64),
        some_bits=np.zeros(words, np.uint64),
    )


def stored_words(search: MaxN) -> int:
    """Return how many words of a set of rows the transposition table keeps with a box."""
    if search.chance is not None:
        return 0
    match _kind(search, at_leaves=True):
        case maxn_layout.TABLE:
            words = len(search.leaf_values) // 64 + 1
        case maxn_layout.LINEAR:
            words = 2 * len(search.leaf_values.roles) + 1
        case _:
            return 0
    return words if words <= _MAX_STORED else 0


def _kind(search: MaxN, *, at_leaves: bool) -> int:
    """Return the classifier, as `MaxN` chooses it."""
    if search.settings.classifier == "none":
        return maxn_layout.UNCLASSIFIED
    if not at_leaves:
        return maxn_layout.GOAL_SUM
    if search.settings.classifier == "lvt" and search.leaf_values.is_enumerated:
        return maxn_layout.TABLE
    return maxn_layout.LINEAR


def _sets(table: LeafValueTable, kind: int, words: int) -> tuple[Words, Words]:
    """Return the set of every row, and that of every row and every other value."""
    if kind == maxn_layout.TABLE:
        every = table.everything
        return _bits(every, words), _bits(every << 1 | 1, words)
    if kind != maxn_layout.LINEAR:
        return np.ones(1, np.uint64), np.ones(1, np.uint64)
    lowest = [-(r in table.may_miss and goals[0] > 0) for r, goals in enumerate(table.goals)]
    highest = [len(goals) - 1 for goals in table.goals]
    summary = np.array([*lowest, *highest, table.maxsum], np.int64).view(np.uint64)
    return summary, summary


def _memo_size(words: int) -> int:
    """Return how many sets to keep: a power of 2."""
    return max(1, min(_MAX_MEMO, 1 << (_MEMO_WORDS // words).bit_length() - 1))


def _bits(rows: int, words: int) -> Words:
    """Return a set of rows as words."""
    return words_of(rows.to_bytes(8 * words, "little"))


class _Links:
    """The links of a leaf-value table, as `Rules` has them."""

    def __init__(self, links: Sequence[Link], possible: Possible | None, circuit: Circuit) -> None:
        groups = possible.groups if possible else ()
        numbers = {fact: number for number, fact in enumerate(circuit.facts)}
        facts = [numbers.get(fact, -1) for group in groups for fact in group.facts]
        self.first_fact = _firsts(len(group.facts) for group in groups)
        self.group_facts = np.array(facts, np.int64)
        self.first_group = _firsts(len(link.groups) for link in links)
        self.first_ending = _firsts(len(link.assignments) for link in links)
        self.link_groups = np.array(
            [groups.index(group) for link in links for group in link.groups], np.int64
        )
        self.ending_rows = np.array(
            [row for link in links for _, row in link.assignments], np.int64
        )
        first_mask: list[int] = []
        masks: list[Words] = [np.zeros(0, np.uint64)]
        self.most_words = 0
        for link in links:
            words = -(-len(link.assignments) // 64)
            self.most_words = max(self.most_words, words)
            for place, group in enumerate(link.groups):
                first_mask.append(sum(map(len, masks)))
                masks += (
                    _bits(
                        bitset(bool(later >> values[place] & 1) for values, _ in link.assignments),
                        words,
                    )
                    for later in group.later
                )
        self.first_mask = np.array(first_mask, np.int64)
        self.masks = np.concatenate(masks)


def _firsts(counts: Iterable[int]) -> NDArray[np.int64]:
    return np.array([0, *accumulate(counts)], np.int64)
