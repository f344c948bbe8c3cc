"""The leaf-value table: every outcome that the game's leaves can have, with goals and ranks.

Sturtevant (2005) "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI.

Level 1, the widest sound table: each role's goal may be any that its `goal` rules can give,
whatever the others get. Level 2: only what the rules let hold together at the end of a game
(`ggp.search.leaf_values.outcomes`).

A rank is a goal replaced by its order among the goals of its role, 0 the worst. What a role
prefers is the same in goals and in ranks; sums of ranks are what the linear test of max-n pruning
compares with `maxsum`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Any, Literal, TypeAlias

from ggp.deadline import Deadline
from ggp.gdl import HIGHEST_GOAL, Description, GoalVector, Relation, Rule, arguments_of
from ggp.kif import Symbol, Term, is_ground
from ggp.printable import table
from ggp.search.leaf_values.enumeration import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
    enumerate_table,
)
from ggp.search.leaf_values.hull import Hull

__all__ = [
    "CLASSIFIERS",
    "Classifier",
    "Group",
    "LeafValue",
    "LeafValueTable",
    "Link",
    "Ranks",
    "Tally",
    "bitset",
]

#: What decides that nothing better can follow: nothing, the highest sum alone, the linear test
#: (the highest sum, and the highest rank of each role), the convex hull of the rows of the
#: leaf-value table, or the table.
Classifier: TypeAlias = Literal["none", "sum", "linear", "hull", "lvt"]
CLASSIFIERS: tuple[Classifier, ...] = ("none", "sum", "linear", "hull", "lvt")

#: One rank per role, in role order.
Ranks: TypeAlias = tuple[int, ...]

# Rows that a notebook shows.
_MAX_SHOWN = 50

_GOAL = Relation("goal", 2)


@dataclass(frozen=True, slots=True)
class LeafValue:
    """One row of the table."""

    #: What holds in such a leaf, in KIF; a goal of 0 may also be missing. A role that is not in it
    #: has no goal, or several.
    outcome: str
    #: In role order; 0 where the goal is missing.
    goals: tuple[int, ...]
    ranks: Ranks


@dataclass(frozen=True, slots=True)
class Group:
    """Facts of which at most one is true in any state that can be reached.

    Their *value* in a state is the index of the one that is true, or `len(facts)` if none is.
    """

    facts: tuple[Term, ...]
    #: For each value those that it may have now or later, as a bitset of values.
    later: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """What some groups of facts say together about the rows."""

    groups: tuple[Group, ...]
    #: Values of the groups, with the number of a row: all combinations that a leaf may have.
    assignments: tuple[tuple[tuple[int, ...], int], ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """What the goal of a role counts, where nothing else depends on the count.

    From states that differ in ignored facts alone, best play adds the same to the count until the
    end. A *count* is the place of a fact in `facts`, and what is added is a number of places.
    """

    #: Exactly one of these facts is true in any state that can be reached.
    facts: tuple[Term, ...]
    #: The role's goal for each of them at the end; None for one that no leaf has. They all rise, or
    #: they all fall.
    goals: tuple[int | None, ...]
    #: The facts on which neither moves rest nor the end, those that count among them.
    ignored: frozenset[Term]

    def goal_after(self, count: int, added: int) -> int | None:
        """Return the goal at the end if `added` is added to a count; None if it has none."""
        last = count + added
        return self.goals[last] if 0 <= last < len(self.goals) else None


@dataclass(frozen=True)
class LeafValueTable:
    """The table of one game. No two rows have the same ranks.

    A set of rows is an integer: row number i is in it if bit i is set. The rows are numbered in
    ascending order of their ranks, the last role's varying fastest.
    """

    roles: tuple[Symbol, ...]
    #: For each role the goals that it can get, ascending; (0,) for a role without a goal rule.
    goals: tuple[tuple[int, ...], ...]
    #: The roles, by number, that may end without a goal, or with several: that counts as 0.
    may_miss: frozenset[int] = frozenset()
    #: The rows that are left at level 2; None at level 1, where every combination is one.
    found: tuple[LeafValue, ...] | None = None
    #: How the facts at the end and the rows hang together, for `monotone.Possible`.
    links: tuple[Link, ...] = ()
    #: For each role what its goal counts; empty where that was not looked for.
    tallies: tuple[Tally | None, ...] = ()
    #: Whether it is proved that in no state two roles have a choice.
    takes_turns: bool = False
    #: Whether all was found, rows, links and the rest, so that more time would change nothing.
    is_complete: bool = False

    @classmethod
    def of(cls, description: Description) -> LeafValueTable:
        """Make the table of level 1, at once, from the form of the rules alone."""
        rules = description.by_relation.get(_GOAL, ())
        goals = tuple(description.goal_values[role] or (0,) for role in description.roles)
        may_miss = frozenset(
            number
            for number, role in enumerate(description.roles)
            if description.goal_values[role] and not _is_constant(role, goals[number], rules)
        )
        return cls(description.roles, goals, may_miss)

    @classmethod
    def enumerate(
        cls,
        description: Description,
        *,
        time_limit: float = DEFAULT_TIME_LIMIT,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
        max_rows: int = MAX_ROWS,
        deadline: Deadline | None = None,
    ) -> LeafValueTable:
        """Make the table of level 2, with what was found for level 3; else that of level 1.

        The work is done in a process of its own, which ends at the limits. A complete table that
        any process has found before is taken from the cache, and so is what took more time.

        Args:
            description: the rules.
            time_limit: seconds of processor time that it may take. On a busy machine that may be
                up to eight times as long.
            memory_limit: bytes that it may use.
            max_rows: how many rows there may be.
            deadline: ends it earlier.
        """
        return enumerate_table(
            cls.of(description),
            description,
            time_limit=time_limit,
            memory_limit=memory_limit,
            max_rows=max_rows,
            deadline=deadline or Deadline(),
        )

    def _repr_html_(self) -> str:
        """Return the first rows as a table, for notebooks."""
        shown = [(*row.goals, " ".join(map(str, row.ranks))) for row in islice(self, _MAX_SHOWN)]
        more = f", {len(self) - len(shown):,} more rows" if len(self) > len(shown) else ""
        caption = f"leaf-value table of level {self.level}: {len(self):,} rows{more}"
        return table([*self.roles, "ranks"], shown, caption=caption)

    @property
    def level(self) -> int:
        """How closely the rows follow the rules: 1 or 2."""
        return 1 if self.found is None else 2

    @property
    def known(self) -> Literal["complete", "incomplete", "level 1"]:
        """How much of the table is known, for records and reports."""
        if self.found is None:
            return "level 1"
        return "complete" if self.is_complete else "incomplete"

    @cached_property
    def is_enumerated(self) -> bool:
        """Whether there are few enough rows to make sets of them.

        If not, only the methods about goals and ranks work, and the classifier "lvt" can do no
        more than the linear one.
        """
        return len(self) <= MAX_ROWS

    def __len__(self) -> int:
        return prod(map(len, self._choices)) if self.found is None else len(self.found)

    def __iter__(self) -> Iterator[LeafValue]:
        """Yield the rows in their order; those of level 1 are made only now."""
        if self.found is not None:
            yield from self.found
            return
        for goals in product(*self._choices):
            yield LeafValue(
                self.outcome(goals), tuple(goal or 0 for goal in goals), self.ranks(goals)
            )

    def outcome(self, goals: GoalVector) -> str:
        """Return the facts that say which goals hold."""
        pairs = zip(self.roles, goals, strict=True)
        return " ".join(f"(goal {role} {goal})" for role, goal in pairs if goal is not None)

    def ranks(self, goals: GoalVector) -> Ranks:
        """Return the rank of each role's goal; a missing goal counts as 0.

        The rank of a 0 that the rules do not name is -1, below all others.
        """
        return tuple(
            bisect_right(ordered, goal or 0) - 1
            for ordered, goal in zip(self.goals, goals, strict=True)
        )

    # Sets of rows

    @cached_property
    def vectors(self) -> tuple[Ranks, ...]:
        """The ranks of all rows, ascending. For a table that is enumerated, as all below."""
        return tuple(row.ranks for row in self)

    @cached_property
    def everything(self) -> int:
        """The set of all rows."""
        return (1 << len(self)) - 1

    def above(self, role: int, rank: int) -> int:
        """Return the rows in which the role has a higher rank than this one (-1 or more)."""
        known = self._above[role]
        return known[rank + 1] if rank + 1 < len(known) else 0

    def row_of(self, ranks: Ranks) -> int:
        """Return the set of the one row with these ranks. Raises `KeyError` if there is none."""
        return 1 << self._numbers[ranks]

    def highest_in(self, rows: int, role: int) -> int:
        """Return the highest goal of a role in some rows; at least 0, and 0 if there are none."""
        for rank in reversed(range(len(self.goals[role]))):
            if rows & self.above(role, rank - 1):
                return max(0, self.goals[role][rank])
        return 0

    @cached_property
    def _above(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(
                bitset(ranks[role] > rank for ranks in self.vectors)
                for rank in range(-1, len(goals))
            )
            for role, goals in enumerate(self.goals)
        )

    @cached_property
    def _numbers(self) -> dict[Ranks, int]:
        return {ranks: number for number, ranks in enumerate(self.vectors)}

    # Bounds

    @cached_property
    def maxsum(self) -> int:
        """The highest sum of ranks that a row has."""
        if self.found is None:
            return sum(len(goals) - 1 for goals in self.goals)
        return max(sum(row.ranks) for row in self.found)

    @cached_property
    def hull(self) -> Hull:
        """The half-spaces around the rows; at level 1, around the highest goals of the roles."""
        if self.found is None:
            return Hull([tuple(goals[-1] for goals in self.goals)], are_exact=False)
        return Hull([row.goals for row in self.found])

    @cached_property
    def constant_sum(self) -> bool:
        """Whether the goals of all rows have the same sum."""
        if self.found is None:
            return len(self) == 1
        return len({sum(row.goals) for row in self.found}) == 1

    def highest(self, role: int, classifier: Classifier = "lvt") -> int:
        """Return the highest goal that the role can get, as the classifier knows it.

        Tests of sums know no more than which goals are named.
        """
        if classifier == "none":
            return HIGHEST_GOAL
        if classifier != "lvt" or self.found is None:
            return self.goals[role][-1]
        return max(row.goals[role] for row in self.found)

    def lowest(self, role: int) -> int:
        """Return the lowest goal that the role can get; a missing one counts as 0."""
        if self.found is None:
            lowest = self.goals[role][0]
            return min(0, lowest) if role in self.may_miss else lowest
        return min(row.goals[role] for row in self.found)

    @cached_property
    def goal_sums(self) -> tuple[int, int]:
        """The lowest and the highest sum of the goals of a row."""
        roles = range(len(self.goals))
        if self.found is None:
            return sum(map(self.lowest, roles)), sum(map(self.highest, roles))
        sums = [sum(row.goals) for row in self.found]
        return min(sums), max(sums)

    @cached_property
    def _choices(self) -> tuple[GoalVector, ...]:
        """For each role its goals, with None before them where that makes a rank of its own."""
        return tuple(
            (None, *goals) if role in self.may_miss and 0 not in goals else goals
            for role, goals in enumerate(self.goals)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values, with all its rows."""
        return {
            "roles": list(map(str, self.roles)),
            "level": self.level,
            "complete": self.is_complete,
            "entries": [
                {"outcome": row.outcome, "goals": list(row.goals), "ranks": list(row.ranks)}
                for row in self
            ],
            "maxsum": self.maxsum,
            "constant_sum": self.constant_sum,
            "takes_turns": self.takes_turns,
        }


def bitset(members: Iterable[bool]) -> int:
    """Return the set, as an integer, of the numbers i for which item i is true.

    >>> bin(bitset([True, False, True, True]))
    '0b1101'
    """
    return int("0" + "".join("01"[member] for member in members)[::-1], 2)


def _is_constant(role: Symbol, goals: tuple[int, ...], rules: Iterable[Rule]) -> bool:
    """Return whether the rules give the role exactly one goal, without a condition."""
    heads = [(arguments_of(rule.head), bool(rule.body)) for rule in rules]
    own = [head for head in heads if head[0][0] == role or not is_ground(head[0][0])]
    return own == [((role, Symbol(str(goals[0]))), False)] * len(own)
