"""A rule of max-n pruning, its classifier and the leaf-value table as arrays for the loop."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ggp.engine import loops, maxn_loops
from ggp.engine.game import GameCode
from ggp.reasoner import MAX_JOINT_MOVES
from ggp.reasoner.compiled.assemble import POINTER_ROW
from ggp.reasoner.compiled.circuit import Circuit
from ggp.reasoner.compiled.loops import Words
from ggp.search import BranchAndBound, GoalsAndMobility, LastBranch, MaxN, Shallow, Speculative
from ggp.search.classifiers import highest_sum
from ggp.search.leaf_values import Form, LeafValueTable, Link, Possible, bitset
from ggp.search.recursion import MAX_PLIES

__all__ = ["MaxNCode", "new_rules", "stored_words"]

_RULES: dict[type[MaxN], int] = {
    MaxN: maxn_loops.PLAIN,
    Shallow: maxn_loops.PARENT,
    BranchAndBound: maxn_loops.PARENT,
    LastBranch: maxn_loops.LAST_BRANCH,
    Speculative: maxn_loops.SPECULATIVE,
}

_HIGHEST_GOAL = 100

# What `goals_or_middle` says where there is no goal.
_MIDDLE = 50.0

# The random bits in the keys of large states: any, but the same for all states of a search.
_SEED = 0x6767

# Sets of no more words than this are kept in the transposition table.
_MAX_STORED = 8

# Words that sets may take which were found lately, and the most that are kept.
_MEMO_WORDS, _MAX_MEMO = 1 << 19, 1 << 12


class MaxNCode(GameCode):
    """The machine code of a game, for searches in which everybody is for themselves."""

    def seen_by_all(self, search: MaxN, *, has_table: bool) -> loops.Game:
        """Return the game as a search sees it."""
        circuit, words = self._circuit, self._words
        numbers = np.zeros(loops.NUMBERS, np.int64)
        numbers[loops.VIEW] = self._view.addresses["view"]
        numbers[loops.NEXT] = self._next.addresses["next"]
        numbers[loops.WORDS] = words
        numbers[loops.FACTS] = len(circuit.facts)
        numbers[loops.MOVES] = self.moves
        numbers[loops.ROLES] = len(circuit.roles)
        numbers[loops.INPUTS] = self._inputs
        numbers[loops.ROLE] = search.role
        numbers[loops.CHANCE] = -1
        numbers[loops.MOBILITY] = isinstance(search.evaluation, GoalsAndMobility)
        numbers[loops.MAX_PLIES] = MAX_PLIES
        numbers[loops.MAX_CHILDREN] = MAX_JOINT_MOVES
        numbers[loops.SCRATCH] = self.scratch
        numbers[loops.HAS_TABLE] = has_table
        numbers[loops.POINTER] = int(self._view.buffer[POINTER_ROW * words])
        numbers[loops.SHIFT] = (64 * words).bit_length() - 1
        numbers[loops.BLOCK] = self.block
        floats = np.zeros(loops.FLOATS)
        floats[loops.MIDDLE] = _MIDDLE
        floats[loops.SHARE] = GoalsAndMobility.MOBILITY
        random = np.random.default_rng(_SEED)
        return loops.Game(
            numbers,
            floats,
            np.array([0, *accumulate(map(len, circuit.moves))], np.int64),
            np.array([0, *accumulate(map(len, circuit.goals))], np.int64),
            np.array([goal for goals in circuit.goals for goal, _ in goals], np.float64),
            self._sets,
            random.integers(0, 2**64, (2, len(circuit.facts)), np.uint64),
            self._next.buffer,
        )


def new_rules(
    search: MaxN, circuit: Circuit, *, at_leaves: bool, form: Form, discrete: bool
) -> maxn_loops.Rules:
    """Return how a search prunes.

    Args:
        search: the reference; it names the rule, the classifier and the table.
        circuit: the game.
        at_leaves: whether it goes to the end of the game, so that all values are of leaves.
        form: as for `MaxN`.
        discrete: as for `MaxN`.
    """
    table, roles = search.leaf_values, len(circuit.roles)
    kind = _kind(search, at_leaves=at_leaves)
    possible = search.filter if at_leaves and isinstance(search.filter, Possible) else None
    has_rows = kind == maxn_loops.TABLE or possible is not None
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
    numbers = np.zeros(maxn_loops.RULE_NUMBERS, np.int64)
    numbers[maxn_loops.KIND] = kind
    numbers[maxn_loops.IS_DISCRETE] = discrete
    numbers[maxn_loops.RULE] = _RULES[type(search)]
    numbers[maxn_loops.IS_FILTERED] = possible is not None
    numbers[maxn_loops.IS_UPPER] = possible is not None and form == "upper"
    numbers[maxn_loops.AT_LEAVES] = at_leaves
    numbers[maxn_loops.STORED] = stored_words(search) if at_leaves else 0
    return maxn_loops.Rules(
        numbers=numbers,
        order=np.array(search.choosers, np.int64),
        highest=_highest(table),
        promised=_promised(search, roles),
        most=np.array([highest_sum(table)], np.float64),
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
    match _kind(search, at_leaves=True):
        case maxn_loops.TABLE:
            words = len(search.leaf_values) // 64 + 1
        case maxn_loops.LINEAR:
            words = 2 * len(search.leaf_values.roles) + 1
        case _:
            return 0
    return words if words <= _MAX_STORED else 0


def _kind(search: MaxN, *, at_leaves: bool) -> int:
    """Return the classifier, as `MaxN` chooses it."""
    if search.classifier == "none":
        return maxn_loops.UNCLASSIFIED
    if not at_leaves:
        return maxn_loops.GOAL_SUM
    if search.classifier == "lvt" and search.leaf_values.is_enumerated:
        return maxn_loops.TABLE
    return maxn_loops.LINEAR


def _sets(table: LeafValueTable, kind: int, words: int) -> tuple[Words, Words]:
    """Return the set of every row, and that of every row and every other value."""
    if kind == maxn_loops.TABLE:
        every = table.everything
        return _bits(every, words), _bits(every << 1 | 1, words)
    if kind != maxn_loops.LINEAR:
        return np.ones(1, np.uint64), np.ones(1, np.uint64)
    lowest = [-(r in table.may_miss and goals[0] > 0) for r, goals in enumerate(table.goals)]
    highest = [len(goals) - 1 for goals in table.goals]
    summary = np.array([*lowest, *highest, table.maxsum], np.int64).view(np.uint64)
    return summary, summary


def _promised(search: MaxN, roles: int) -> NDArray[np.float64]:
    """Return what the evaluation takes for the highest goals."""
    if isinstance(search.evaluation, GoalsAndMobility):
        return _highest(search.evaluation._leaf_values)
    return np.zeros(roles)


def _highest(table: LeafValueTable) -> NDArray[np.float64]:
    return np.array([table.highest(role) for role in range(len(table.goals))], np.float64)


def _memo_size(words: int) -> int:
    """Return how many sets to keep: a power of 2."""
    return max(1, min(_MAX_MEMO, 1 << (_MEMO_WORDS // words).bit_length() - 1))


def _bits(rows: int, words: int) -> Words:
    """Return a set of rows as words."""
    return np.frombuffer(rows.to_bytes(8 * words, "little"), np.uint64).copy()


class _Links:
    """The links of a leaf-value table, as `Rules` has them."""

    def __init__(self, links: Sequence[Link], possible: Possible | None, circuit: Circuit) -> None:
        groups = possible.groups if possible else ()
        numbers = {fact: number for number, fact in enumerate(circuit.facts)}
        facts = [numbers.get(fact, -1) for group in groups for fact in group.facts]
        self.first_fact = _firsts(len(group.facts) for group in groups)
        self.group_facts = np.array(facts, np.int64)
        self.first_group = _firsts(len(link.groups) for link in links)
        self.first_ending = _firsts(len(link.endings) for link in links)
        self.link_groups = np.array(
            [groups.index(group) for link in links for group in link.groups], np.int64
        )
        self.ending_rows = np.array([row for link in links for _, row in link.endings], np.int64)
        first_mask: list[int] = []
        masks: list[Words] = [np.zeros(0, np.uint64)]
        self.most_words = 0
        for link in links:
            words = -(-len(link.endings) // 64)
            self.most_words = max(self.most_words, words)
            for place, group in enumerate(link.groups):
                first_mask.append(sum(map(len, masks)))
                masks += (
                    _bits(
                        bitset(bool(later >> values[place] & 1) for values, _ in link.endings),
                        words,
                    )
                    for later in group.later
                )
        self.first_mask = np.array(first_mask, np.int64)
        self.masks = np.concatenate(masks)


def _firsts(counts: Iterable[int]) -> NDArray[np.int64]:
    return np.array([0, *accumulate(counts)], np.int64)
