"""The leaf-value table: every outcome that the game's leaves can have, with goals and ranks.

Level 1, the widest sound table: each role's goal may be any that its `goal` rules can give,
whatever the others get.

A rank is a goal replaced by its order among the goals of its role, 0 the worst. What a role
prefers is the same in goals and in ranks; sums of ranks are what the linear test of max-n pruning
compares with `maxsum`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal, TypeAlias

from ggp.gdl import Description
from ggp.kif import Symbol
from ggp.reasoner import GoalVector

__all__ = ["CLASSIFIERS", "Classifier", "LeafValue", "LeafValueTable"]

#: What decides that nothing better can follow: nothing, the linear test, or the leaf-value table.
Classifier: TypeAlias = Literal["none", "linear", "lvt"]
CLASSIFIERS: tuple[Classifier, ...] = ("none", "linear", "lvt")

_HIGHEST_GOAL = 100


@dataclass(frozen=True, slots=True)
class LeafValue:
    """One row of the table."""

    #: What holds in such a leaf, in KIF.
    outcome: str
    #: In role order.
    goals: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LeafValueTable:
    """The table of one game. It has `len(table)` rows, made only as one iterates over them."""

    roles: tuple[Symbol, ...]
    #: For each role the goals that it can get, ascending; (0,) for a role without a goal rule.
    goals: tuple[tuple[int, ...], ...]

    #: How closely the rows follow the rules.
    LEVEL = 1

    @classmethod
    def of(cls, description: Description) -> LeafValueTable:
        """Make the table of a game from its rules."""
        values = (description.goal_values[role] or (0,) for role in description.roles)
        return cls(description.roles, tuple(values))

    def __len__(self) -> int:
        return prod(map(len, self.goals))

    def __iter__(self) -> Iterator[LeafValue]:
        """Yield the rows in ascending order of their goals, the last role's varying fastest."""
        for goals in product(*self.goals):
            facts = (f"(goal {role} {goal})" for role, goal in zip(self.roles, goals, strict=True))
            yield LeafValue(" ".join(facts), goals, self.ranks(goals))

    def ranks(self, goals: GoalVector) -> tuple[int, ...]:
        """Return the rank of each role's goal; a missing goal counts as 0.

        The rank of a 0 that the rules do not name is -1, below all others.
        """
        return tuple(
            bisect_right(ordered, goal or 0) - 1
            for ordered, goal in zip(self.goals, goals, strict=True)
        )

    @property
    def maxsum(self) -> int:
        """The highest sum of ranks that a row has."""
        return sum(len(goals) - 1 for goals in self.goals)

    @property
    def constant_sum(self) -> bool:
        """Whether the goals of all rows have the same sum."""
        return all(len(goals) == 1 for goals in self.goals)

    def highest(self, role: int, classifier: Classifier = "lvt") -> int:
        """Return the highest goal that the role can get, as the classifier knows it.

        At level 1 the linear test and the table know the same: the highest goal that is named.
        Of the lowest neither knows anything, for a goal that is missing at the end counts as 0.
        """
        return _HIGHEST_GOAL if classifier == "none" else self.goals[role][-1]

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values, with all its rows."""
        return {
            "roles": list(map(str, self.roles)),
            "level": self.LEVEL,
            "entries": [
                {"outcome": row.outcome, "goals": list(row.goals), "ranks": list(row.ranks)}
                for row in self
            ],
            "maxsum": self.maxsum,
            "constant_sum": self.constant_sum,
        }
