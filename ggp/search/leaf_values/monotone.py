"""Which rows of the leaf-value table are still possible below a state: level 3.

Some facts only ever come, some only go, a counter only counts up: what is true now says what can
be true at the end. Where the goals rest on such facts, rows drop out long before the end.
Sturtevant (2005) bounds each player's tricks in this way (`heuristicUB`, Figure 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from ggp.kif import Term
from ggp.search.leaf_values.table import LeafValueTable, Link, bitset

__all__ = ["Possible", "RowFilter"]

#: "exact" asks of each row whether some leaf with it can follow. The others ask for upper bounds
#: only, and keep every row within them: "upper" bounds the rank that each role can still get,
#: "literal" the value that each group of facts can still have, such as the tricks that a player
#: takes. The latter is what the paper's Figure 9 does.
RowFilter: TypeAlias = Literal["exact", "upper", "literal"]

#: The number of answers that are cached.
_MEMORY = 100_000


class Possible:
    """Says which rows of a table the leaves below a state can have.

    It is right for every state that can be reached from the initial one, and for no other.
    """

    def __init__(self, table: LeafValueTable, *, row_filter: RowFilter = "exact") -> None:
        """Prepare to answer for the states of one game. The table must be enumerated."""
        self._table = table
        self._row_filter = row_filter
        #: The groups that matter, each once.
        self.groups = tuple(dict.fromkeys(group for link in table.links for group in link.groups))
        self._absent = [len(group.facts) for group in self.groups]
        self._places = {
            fact: (number, value)
            for number, group in enumerate(self.groups)
            for value, fact in enumerate(group.facts)
        }
        literal = row_filter == "literal"
        self._filters = [
            (tuple(map(self.groups.index, link.groups)), _Filter(link, literal=literal))
            for link in table.links
        ]
        self._known: dict[tuple[int, ...], int] = {}

    @classmethod
    def exact(cls, table: LeafValueTable) -> Possible | None:
        """Return the exact filter of a table, or None where it knows nothing of states."""
        return cls(table) if table.is_enumerated and table.links else None

    def __call__(self, facts: Iterable[Term]) -> int:
        """Return, as a set, the rows that leaves below the state with these facts can have."""
        values = self._absent.copy()
        for fact in facts:
            if (place := self._places.get(fact)) is not None:
                group, value = place
                values[group] = value
        return self.below(tuple(values))

    def below(self, values: tuple[int, ...]) -> int:
        """Return the same, given the value of each of the groups."""
        if (known := self._known.get(values)) is None:
            if len(self._known) >= _MEMORY:
                self._known.clear()
            known = self._known[values] = self._find(values)
        return known

    def _find(self, values: tuple[int, ...]) -> int:
        found = self._table.everything
        for places, link in self._filters:
            found &= link.rows([values[place] for place in places])
        return self._within_bounds(found) if self._row_filter == "upper" else found

    def _within_bounds(self, found: int) -> int:
        """Return the rows in which no role has more than in the best of the rows for it."""
        within = self._table.everything
        for role, goals in enumerate(self._table.goals):
            for rank in range(-1, len(goals)):
                if not found & (above := self._table.above(role, rank)):
                    within &= ~above
                    break
        return within


class _Filter:
    """Says which rows one link leaves possible."""

    def __init__(self, link: Link, *, literal: bool) -> None:
        self._literal = literal
        self._rows = [row for _, row in link.assignments]
        # For each group and value now, the assignments whose value may still follow, as a bitset.
        self._masks = [
            [
                bitset(bool(later >> values[place] & 1) for values, _ in link.assignments)
                for later in group.later
            ]
            for place, group in enumerate(link.groups)
        ]

    def rows(self, values: Sequence[int]) -> int:
        left = (1 << len(self._rows)) - 1
        for masks, value in zip(self._masks, values, strict=True):
            left &= masks[value]
        if self._literal:
            left = self._within_bounds(left)
        digits = reversed(f"{left:b}")
        rows = {row for row, digit in zip(self._rows, digits, strict=False) if digit == "1"}
        return sum(1 << row for row in rows)

    def _within_bounds(self, left: int) -> int:
        """Return the assignments in which no group is further than in all those that are left.

        A value is too far if none of those that are left can follow it; then so are the values
        that come after it.
        """
        within = (1 << len(self._rows)) - 1
        for masks in self._masks:
            for mask in masks:
                if not left & mask:
                    within &= ~mask
        return within
