"""Classifiers: they decide that no value of interest can follow, so that a branch may be skipped.

Max-n pruning asks one question: can a leaf give each of these roles more than it already holds?
What the roles hold are *lower bounds*, and a vector is *inside* if it is above all of them. The
classifiers know different things about the leaves:

- `Unclassified` knows nothing; it skips nothing.
- `LinearTest`: the ranks of a leaf add up to no more than `maxsum` (Korf 1991). By itself, that is
  the classifier "sum"; "linear" also knows the highest rank of each role.
- `TableTest`: the leaf-value table itself (Sturtevant 2005).
- `MeanTest`: where values need not be leaves, but may be means over chance or estimates: weighted
  sums of goals, up to the convex hull of the table's rows.

A set of rows of the leaf-value table is an integer, one bit a row. A classifier that does not work
on rows says `ANY`, and all or nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import NamedTuple, TypeAlias

from ggp.search.leaf_values import Classifier, LeafValueTable, Normal

__all__ = [
    "ANY",
    "ClassifierTest",
    "LinearTest",
    "LowerBounds",
    "MeanTest",
    "Number",
    "Path",
    "PrunedValue",
    "Rows",
    "TableTest",
    "Unclassified",
    "Vector",
    "decisive",
    "is_inside",
    "leaf_test",
    "lower_bounds",
    "mean_test",
    "tested_normals",
]

#: A goal, or an expected or estimated one. Means over chance are exact fractions: rounding would
#: make a difference where there is none, and so break a tie.
Number: TypeAlias = float | Fraction
#: One value per role, in role order.
Vector: TypeAlias = tuple[Number, ...]
#: For each role a strict lower bound, -inf for none: the vectors that are above all of them.
LowerBounds: TypeAlias = tuple[Number, ...]
#: The choices above a node, from the root down: who chooses, and the best that it holds so far,
#: -inf until its first child is resolved.
Path: TypeAlias = tuple[tuple[int, Number], ...]
#: A set of rows of the leaf-value table; bit i is row i.
Rows: TypeAlias = int

#: The number of answers that are cached.
_MEMORY = 100_000

#: Every row, and every value that is not in the table.
ANY: Rows = -1


class PrunedValue(NamedTuple):
    """The value of a pruned node: one of these rows, and not inside these bounds."""

    rows: Rows
    bounds: LowerBounds


def lower_bounds(path: Path, roles: int) -> LowerBounds:
    """Return the lower bounds of a path: for each role the highest that it holds."""
    floors: list[Number] = [-inf] * roles
    for role, held in path:
        floors[role] = max(floors[role], held)
    return tuple(floors)


def is_inside(vector: Vector, bounds: LowerBounds) -> bool:
    """Return whether every role gets more than its bound."""
    return all(value > floor for value, floor in zip(vector, bounds, strict=True))


class ClassifierTest(ABC):
    """A test of which rows are inside lower bounds."""

    #: The rows that are possible in the whole game.
    everything: Rows = ANY

    def row(self, vector: Vector) -> Rows:  # noqa: ARG002 - most do not work on rows
        """Return the row of a value."""
        return ANY

    @abstractmethod
    def within(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return rows among which are all of the given that are inside the bounds: 0 if none is."""

    def excludes(self, value: Vector | PrunedValue, bounds: LowerBounds) -> bool:
        """Return whether the value, as far as it is known, is certainly not inside the bounds."""
        if not isinstance(value, PrunedValue):
            return not is_inside(value, bounds)
        is_covered = all(outer <= inner for outer, inner in zip(value.bounds, bounds, strict=True))
        return is_covered or not self.within(value.rows, bounds)


class Unclassified(ClassifierTest):
    """Anything can follow."""

    def within(self, rows: Rows, bounds: LowerBounds) -> Rows:  # noqa: ARG002
        """Return the rows as they are."""
        return rows


class _RankTest(ClassifierTest):
    """A test of ranks, where every value is one of a leaf.

    Its answers are kept, as in Figure 9 of Sturtevant (2005).
    """

    def __init__(self, table: LeafValueTable) -> None:
        self._table = table
        self._known: dict[tuple[Rows, LowerBounds], Rows] = {}

    def within(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return rows among which are all of the given that are inside the bounds: 0 if none is."""
        key = (rows, bounds)
        if (found := self._known.get(key)) is None:
            if len(self._known) >= _MEMORY:
                self._known.clear()
            found = self._known[key] = self.find(rows, bounds)
        return found

    @abstractmethod
    def find(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return what `within` keeps."""

    def ranks(self, bounds: LowerBounds) -> Iterable[int]:
        """Return the highest rank of each role that is not above its bound; -2 for no bound."""
        goals = zip(self._table.goals, bounds, strict=True)
        return (bisect_right(ordered, floor) - 1 if floor >= 0 else -2 for ordered, floor in goals)


class LinearTest(_RankTest):
    """The linear test: nothing is inside if the bounds add up to `maxsum`.

    Roles without a bound count with the least that they can get. Of a set of rows the test uses
    nothing but each role's lowest and highest rank, and the highest sum.

    With `sum_only` the highest rank of a role is not used: a role that holds it may still hope.

    In the discrete form (k roles with a bound) nothing is inside if the bounds add up to
    `maxsum` - (k - 1): each of the k gets at least one rank more than its bound.
    """

    def __init__(
        self, table: LeafValueTable, *, discrete: bool = False, sum_only: bool = False
    ) -> None:
        super().__init__(table)
        self._discrete, self._sum_only = discrete, sum_only
        self._summary = lru_cache(maxsize=10_000)(self._summarised)

    def find(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return all of the rows or none."""
        if not rows:
            return 0
        lowest, highest, maxsum = self._summary(rows)
        ranges = list(zip(self.ranks(bounds), lowest, highest, strict=True))
        if any(rank >= high for rank, _, high in ranges):
            return 0
        if self._discrete:
            is_empty = sum(max(rank + 1, low) for rank, low, _ in ranges) > maxsum
        else:
            is_bounded = any(rank >= low for rank, low, _ in ranges)
            is_empty = is_bounded and sum(max(rank, low) for rank, low, _ in ranges) >= maxsum
        return 0 if is_empty else rows

    def _summarised(self, rows: Rows) -> tuple[tuple[int, ...], tuple[float, ...], int]:
        """Return each role's lowest and highest rank in the rows, and the highest sum."""
        table, unlimited = self._table, (inf,) * len(self._table.goals)
        if rows == ANY:
            numbered = enumerate(table.goals)
            lowest = (-(role in table.may_miss and goals[0] > 0) for role, goals in numbered)
            highest = tuple(len(goals) - 1 for goals in table.goals)
            return tuple(lowest), unlimited if self._sum_only else highest, table.maxsum
        vectors = [ranks for number, ranks in enumerate(table.vectors) if rows >> number & 1]
        by_role = list(zip(*vectors, strict=True))
        highest = tuple(map(max, by_role))
        return (
            tuple(map(min, by_role)),
            unlimited if self._sum_only else highest,
            max(map(sum, vectors)),
        )


class TableTest(_RankTest):
    """The leaf-value table: the rows that lie in the bounds, one by one."""

    def __init__(self, table: LeafValueTable) -> None:
        super().__init__(table)
        self.everything = table.everything
        # A play without end gives every role 0, which need not be a row: it gets a bit of its own.
        self._no_row = table.everything + 1

    def row(self, vector: Vector) -> Rows:
        """Return the row of a leaf's goals."""
        try:
            return self._table.row_of(
                tuple(
                    bisect_right(ordered, goal) - 1
                    for ordered, goal in zip(self._table.goals, vector, strict=True)
                )
            )
        except KeyError:
            return self._no_row

    def find(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return the rows inside the bounds."""
        inside = self._table.everything
        for role, rank in enumerate(self.ranks(bounds)):
            if rank > -2:
                inside &= self._table.above(role, rank)
        return rows & (inside | self._no_row)


class MeanTest(ClassifierTest):
    """The test of goals, where values need not be leaves, but may be means of leaves, or estimates.

    Nothing is inside the bounds if a sum of them, weighted by some normal, reaches the most that
    any row has by it. A role without a bound counts 0: no goal is less. With all normals of the
    hull the answer is exact for sets of leaves of which any mean may follow.

    It is right for estimates, too, if `moved` brings them below the hull.
    """

    def __init__(self, table: LeafValueTable, normals: Iterable[Normal]) -> None:
        """Take the table, and those of the first normals of its hull that are asked."""
        self._hull, self._normals = table.hull, tuple(normals)
        self._has_rows = table.found is not None
        self._known: dict[Rows, tuple[int, ...]] = {}

    def within(self, rows: Rows, bounds: LowerBounds) -> Rows:
        """Return all or nothing."""
        if not rows:
            return 0
        floors = [(role, Fraction(floor)) for role, floor in enumerate(bounds) if floor >= 0]
        for normal, height in zip(self._normals, self._heights(rows), strict=False):
            weighted = [normal[role] * floor for role, floor in floors if normal[role]]
            if weighted and sum(weighted) >= height:
                return 0
        return rows

    def moved(self, vector: tuple[float, ...], rows: Rows) -> tuple[float, ...]:
        """Return an estimate, scaled down where it promises more than any mean of rows.

        Args:
            vector: a goal for each role.
            rows: those that are possible below the state.
        """
        heights = self._heights(rows)
        vector = tuple(map(min, vector, heights[1:]))
        scale = 1.0
        for normal, height in zip(self._hull.normals, heights, strict=True):
            total = sum(weight * value for weight, value in zip(normal, vector, strict=True))
            if total > height:
                scale = min(scale, height / total)
        # The tiny bit less makes up for rounding: no sum must be more.
        return tuple(value * (scale * (1 - 1e-12)) for value in vector) if scale < 1 else vector

    def _heights(self, rows: Rows) -> tuple[int, ...]:
        """Return the most that any of the rows has, by each normal."""
        if rows == ANY or not self._has_rows:
            return self._hull.heights
        if (found := self._known.get(rows)) is None:
            if len(self._known) >= _MEMORY:
                self._known.clear()
            found = self._known[rows] = self._hull.heights_of(rows)
        return found


def decisive(table: LeafValueTable, classifier: Classifier, *, at_leaves: bool) -> Classifier:
    """Return the classifier that decides in place of the one that was asked for.

    The table decides only where every value is one of a leaf, and where its rows are known; where
    values may be means or estimates, the hull of its rows does. The hull is asked nowhere else: a
    search that is to be decided by it takes its values for means.
    """
    if classifier not in ("hull", "lvt"):
        return classifier
    if classifier == "lvt" and at_leaves and table.is_enumerated:
        return classifier
    return "linear" if at_leaves or table.found is None else "hull"


def leaf_test(
    table: LeafValueTable, classifier: Classifier, *, discrete: bool = False
) -> ClassifierTest:
    """Return the test for a search in which every value is one of a leaf.

    A table with too many rows to make sets of them leaves the linear test.
    """
    decides = decisive(table, classifier, at_leaves=True)
    if decides == "none":
        return Unclassified()
    if decides == "lvt":
        return TableTest(table)
    return LinearTest(table, discrete=discrete, sum_only=decides == "sum")


def mean_test(table: LeafValueTable, classifier: Classifier) -> ClassifierTest:
    """Return the test for a search in which values may be means or estimates."""
    if classifier == "none":
        return Unclassified()
    return MeanTest(table, table.hull.normals[: tested_normals(table, classifier)])


def tested_normals(table: LeafValueTable, classifier: Classifier) -> int:
    """Return how many of the first normals of the hull a classifier asks."""
    match decisive(table, classifier, at_leaves=False):
        case "none":
            return 0
        case "sum":
            return 1
        case "linear":
            return 1 + len(table.roles)
    return len(table.hull.normals)
