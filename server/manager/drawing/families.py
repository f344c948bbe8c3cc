"""Families: all facts of one form, as observed in lines of play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from ggp.kif import Term
from ggp.server.manager.drawing.forms import name_of, take_apart

__all__ = ["Family", "Row", "families_of", "is_thing", "move_columns"]

Row = tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """The facts of one form, which differ in the values of their columns."""

    form: str
    #: For each observed state its rows, one for each fact.
    states: tuple[tuple[Row, ...], ...]
    #: The possible values of each column according to the rules; None without rules.
    domain: tuple[frozenset[str], ...] | None = None

    @property
    def name(self) -> str:
        """The name to show."""
        return name_of(self.form)

    @cached_property
    def width(self) -> int:
        """The number of columns."""
        if self.domain is not None:
            return len(self.domain)
        return next(len(row) for rows in self.states for row in rows)

    @cached_property
    def seen(self) -> tuple[frozenset[str], ...]:
        """The observed values of each column."""
        rows = [row for rows in self.states for row in rows]
        return tuple(frozenset(row[i] for row in rows) for i in range(self.width))

    def values(self, column: int) -> frozenset[str]:
        """Return the possible values of a column."""
        return self.seen[column] if self.domain is None else self.domain[column]

    @cached_property
    def most(self) -> int:
        """The largest number of facts in a state."""
        return max(map(len, self.states), default=0)

    @cached_property
    def is_single(self) -> bool:
        """Whether every state has one fact of this form."""
        return all(len(rows) == 1 for rows in self.states)

    @cached_property
    def presence(self) -> float:
        """The share of the states that have facts of this form."""
        return sum(map(bool, self.states)) / max(1, len(self.states))

    def distinct(self, columns: Sequence[int]) -> int:
        """Return the largest number of different values of the columns in a state."""
        return max((len({_pick(row, columns) for row in rows}) for rows in self.states), default=0)

    def reach(self, columns: Sequence[int]) -> int:
        """Return the number of different values of the columns in all states."""
        return len({_pick(row, columns) for rows in self.states for row in rows})

    def is_steady(self, columns: Sequence[int]) -> bool:
        """Return whether the columns have the same values in every state, at least two states."""
        found = {frozenset(_pick(row, columns) for row in rows) for rows in self.states}
        return len(found) == 1 and len(self.states) > 1

    def share_decided(self, key: Sequence[int], rest: Sequence[int]) -> float:
        """Return the share of the values of some columns that determine others in their state."""
        decided = found = 0
        for rows in self.states:
            known: dict[Row, set[Row]] = {}
            for row in rows:
                known.setdefault(_pick(row, key), set()).add(_pick(row, rest))
            found += len(known)
            decided += sum(len(values) == 1 for values in known.values())
        return decided / max(1, found)

    def decides(self, key: Sequence[int], rest: Sequence[int]) -> bool:
        """Return whether some columns determine others in every state."""
        for rows in self.states:
            known: dict[Row, Row] = {}
            for row in rows:
                value = _pick(row, rest)
                if known.setdefault(_pick(row, key), value) != value:
                    return False
        return True


def is_thing(family: Family, shape: str, lengths: Sequence[int]) -> bool:
    """Return whether facts without contents are things on a board, and no marks of its cells.

    Things move, or are picked up one by one.

    Args:
        family: the facts.
        shape: that of the board.
        lengths: the number of states of each line of play.
    """
    if family.is_single:
        return shape == "round" or family.reach(range(family.width)) > 1
    if not family.states[0]:
        return False
    starts = {0, *accumulate(lengths)}
    pairs = [
        (len(before), len(set(before) - set(after)))
        for n, (before, after) in enumerate(pairwise(family.states), start=1)
        if n not in starts
    ]
    return any(gone for _, gone in pairs) and all(2 * gone <= count + 1 for count, gone in pairs)


def _pick(row: Row, columns: Sequence[int]) -> Row:
    return tuple(row[column] for column in columns)


def families_of(
    states: Iterable[Iterable[Term]], domain: Mapping[str, tuple[frozenset[str], ...]]
) -> list[Family]:
    """Group the facts of states by form; include the forms that the rules allow."""
    taken_apart = [[take_apart(fact) for fact in facts] for facts in states]
    forms = dict.fromkeys([*(form for facts in taken_apart for form, _ in facts), *domain])
    rows: dict[str, list[list[Row]]] = {form: [[] for _ in taken_apart] for form in forms}
    for number, facts in enumerate(taken_apart):
        for form, values in facts:
            rows[form][number].append(values)
    return [
        Family(form, tuple(map(tuple, by_state)), _admitting(domain.get(form), by_state))
        for form, by_state in sorted(rows.items())
    ]


def _admitting(
    domain: tuple[frozenset[str], ...] | None, by_state: Iterable[Iterable[Row]]
) -> tuple[frozenset[str], ...] | None:
    """Return the domain with the observed values added: records may violate the rules."""
    if domain is None:
        return None
    seen: list[set[str]] = [set(column) for column in domain]
    for rows in by_state:
        for row in rows:
            for column, value in zip(seen, row, strict=True):
                column.add(value)
    return tuple(map(frozenset, seen))


def move_columns(moves: Iterable[Term]) -> dict[str, tuple[frozenset[str], ...]]:
    """Return the observed values of the columns of each form of move."""
    columns: defaultdict[str, list[set[str]]] = defaultdict(list)
    for move in set(moves):
        form, values = take_apart(move)
        if not columns[form]:
            columns[form] = [set() for _ in values]
        for column, value in zip(columns[form], values, strict=True):
            column.add(value)
    return {form: tuple(map(frozenset, found)) for form, found in sorted(columns.items())}
