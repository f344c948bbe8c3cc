"""What a game can end with, by answer sets: level 2 of the leaf-value table, and its links.

A leaf is the state after a step, from a state that satisfies the invariants of `invariants`, in
which the game is over. clingo enumerates the goals that such states have, and the values that
groups of facts have with them. What values a group may still come to is found from the same steps.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import TypeAlias

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.evaluate import answers
from ggp.deadline import TimeUp
from ggp.gdl import GoalVector, relation_of
from ggp.search.leaf_values.candidate_invariants import Facts
from ggp.search.leaf_values.gates import facts_below
from ggp.search.leaf_values.invariants import InvariantSearch, Packed
from ggp.search.leaf_values.program import holds
from ggp.search.leaf_values.table import Group, LeafValue, LeafValueTable, Link
from ggp.search.leaf_values.transitions import Transitions

__all__ = ["Changes", "Outcomes", "TooManyOutcomes"]

#: Literals of which exactly one holds.
Column: TypeAlias = list[int]
#: For each column the index of the literal that holds.
Choice: TypeAlias = tuple[int, ...]

# A link with more assignments than this is not made, nor tried where far more are conceivable.
_MAX_ASSIGNMENTS = 5_000
_MAX_COMBINATIONS = 10**7
# A group with more values than this is left out.
_MAX_VALUES = 100
# Steps whose facts are looked at together.
_ROWS = 4096
# How many steps are found before plays go on from there.
_MODELS = 8
# Pairs of values of groups that are looked at together. clingo cannot be interrupted while it
# prepares a program, and far more take minutes.
_MAX_CHANGES = 100_000
# Of the time that is left, the share that the invariants may take, and each step after them, the
# first time and again.
_SHARE_OF_INVARIANTS, _SHARE, _SHARE_AGAIN = 0.6, 0.4, 0.8


@dataclass(frozen=True, slots=True)
class Changes:
    """Steps of which no play has infinitely many."""

    #: The literal of the transitions that a step is one of them: it changes a group of `groups`.
    some: int
    #: Groups that never come back to a value that they have left; for each value the bitset of
    #: those that it may have then or later. A value is the place of the fact that is true, or the
    #: number of facts where none is.
    groups: tuple[tuple[Facts, tuple[int, ...]], ...]


class TooManyOutcomes(Exception):
    """There are more than were asked for."""


class Outcomes:
    """Enumerates what leaves of a game can be like."""

    def __init__(
        self, circuit: Circuit, *, due: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Make the program, and find the invariants that its states satisfy.

        Args:
            circuit: the rules, without loops.
            due: the time, by the clock, at which to give up.
            clock: returns the time in seconds.
        """
        self._circuit = circuit
        self._due, self._share = due, _SHARE
        #: Whether something was given up for lack of time since the last `improve`.
        self._gave_up = False
        #: The steps of the game.
        self.transitions = Transitions(circuit, clock=clock)
        self._search = InvariantSearch(circuit, self.transitions)
        self._search.run(due=self._soon(_SHARE_OF_INVARIANTS))
        #: What holds in every state that can be reached.
        self.invariants = self._search.invariants
        initial = frozenset(circuit.initial.tolist())
        (answer,) = answers(circuit, [initial])
        #: The initial state and its goals, if the game is over there.
        self._over_at_once = [(initial, answer.goals)] if answer.terminal else []
        with self.transitions.adding():
            columns = [self._goal_column(role) for role in range(len(circuit.roles))]
        self._goal_columns = [column for _, column in columns]
        self._goals = [goals for goals, _ in columns]

    @property
    def is_complete(self) -> bool:
        """Whether more time could find no more, neither now nor in what was asked so far."""
        return self._search.is_complete and not self._gave_up

    def go_on(self) -> bool:
        """Use the time that is left to find what was given up; return whether there is any."""
        left = self._due - self.transitions.clock()
        if left > 0:
            self._gave_up, self._share = False, _SHARE_AGAIN
            self.improve(due=self._soon())
        return left > 0

    def improve(self, *, due: float) -> bool:
        """Look for more invariants until a time of the clock; return whether there are."""
        if self._search.is_complete:
            return False
        before = len(self.invariants.found)
        self._search.run(due=due)
        self.invariants = self._search.invariants
        return len(self.invariants.found) > before

    def table(self, *, max_rows: int) -> LeafValueTable | None:
        """Return the table of level 2, without links; None if the game can never be over.

        Raises:
            TimeUp: the time was not enough.
            TooManyOutcomes: there are more rows than this.
        """
        try:
            choices = self._assignments(self._goal_columns, limit=max_rows, due=self._due)
        except TimeUp:
            self._gave_up = True
            raise
        vectors = {self._goal_vector(choice) for choice in choices}
        vectors.update(goals for _, goals in self._over_at_once)
        return _table(self._circuit, vectors) if vectors else None

    def links(self, table: LeafValueTable) -> Iterator[LeafValueTable]:
        """Yield the table with more and more links, as long as there is time."""
        if len(table) < 2:
            return
        try:
            groups = self._telling_groups()
            if not groups:
                return
            row_of = {row.goals: number for number, row in enumerate(table)}
            if (link := self._link(list(groups.items()), row_of)) is not None:
                yield _with_outcomes(replace(table, links=(link,)), link)
                return
            families: defaultdict[str, list[tuple[Facts, Group]]] = defaultdict(list)
            for facts, group in groups.items():
                families[str(relation_of(group.facts[0]))].append((facts, group))
            for members in families.values():
                link = self._link(members, row_of) if len(families) > 1 else None
                found = [link] if link else [self._link([member], row_of) for member in members]
                table = replace(table, links=(*table.links, *filter(None, found)))
                yield table
        except TimeUp:
            self._gave_up = True

    def always_ends(self) -> bool:
        """Return whether every play is seen to end.

        That is so if each step changes some group that never has a value again that it has left.
        """
        made = self.transitions
        try:
            stays = [*self.invariants.assumptions, -self.changes_for_good(due=self._soon()).some]
            return not any(True for _ in made.models(stays, due=self._due))
        except TimeUp:
            self._gave_up = True
            return False

    def takes_turns(self) -> bool:
        """Return whether it is proved that in no state two roles have a choice."""
        several = [*self.invariants.assumptions, self.transitions.several_choose]
        try:
            return not any(True for _ in self.transitions.models(several, due=self._soon()))
        except TimeUp:
            self._gave_up = True
            return False

    def changes_for_good(self, *, due: float, are_all: bool = True) -> Changes:
        """Return the steps in which some group leaves a value that it never has again.

        Args:
            due: the time, by the clock, at which to give up.
            are_all: whether to look at all groups, and not only at those of facts with one
                argument, such as counters of steps.

        Raises:
            TimeUp: the time was not enough.
        """
        made, exclusive = self.transitions, self.invariants.exclusive
        groups = [group for group in exclusive if 1 < len(group) < _MAX_VALUES]
        if are_all:
            groups += [(fact,) for fact in range(len(self._circuit.facts))]
        else:
            facts = self._circuit.facts
            groups = [g for g in groups if all(relation_of(facts[fact]).arity == 1 for fact in g)]
        groups.sort(key=len)
        sizes = accumulate((len(group) + 1) ** 2 for group in groups)
        groups = groups[: sum(size <= _MAX_CHANGES for size in sizes)]
        later = self._later(groups, due=due)
        found = [
            (group, tuple(values))
            for group, values in zip(groups, later, strict=True)
            if _never_returns(values)
        ]
        going = {fact for group, _ in found for fact in group}
        with made.adding():
            changes = [
                literal
                for before, after in ((made.before[fact], made.after[fact]) for fact in going)
                for literal in (made.both(before, -after), made.both(-before, after))
            ]
            return Changes(made.any_of(changes), tuple(found))

    def _soon(self, share: float | None = None) -> float:
        """Return the deadline of a step that may take a share of the time that is left."""
        now = self.transitions.clock()
        return now + (share or self._share) * (self._due - now)

    # Goals

    def _goal_column(self, role: int) -> tuple[list[int | None], Column]:
        """Return the goals that a role may have in a leaf, each with its literal."""
        made = self.transitions
        goals, literals = zip(*made.goals[role], strict=True) if made.goals[role] else ((), ())
        several = made.at_least(2, [(lit, 1) for lit in (*literals, made.bad_goals[role])])
        missing = made.any_of([several, -made.any_of(literals)])
        return [*goals, None], [*(made.both(lit, -several) for lit in literals), missing]

    def _goal_vector(self, choice: Choice) -> GoalVector:
        return tuple(goals[index] for goals, index in zip(self._goals, choice, strict=True))

    # Groups

    def _telling_groups(self) -> dict[Facts, Group]:
        """Return the groups on which goals rest, and whose value now says what it can be later."""
        circuit = self._circuit
        goals = [literal for of_role in circuit.goals for _, literal in of_role]
        relevant = facts_below(circuit, [*goals, *circuit.bad_goals.tolist()])
        used: set[int] = set()
        groups: list[Facts] = []
        for exclusive in sorted(self.invariants.exclusive, key=len, reverse=True):
            group = tuple(fact for fact in exclusive if fact not in used)
            if relevant.intersection(group) and len(group) < _MAX_VALUES:
                used.update(group)
                groups.append(group)
        found = {}
        initial = frozenset(self._circuit.initial.tolist())
        for group, later in zip(groups, self._later(groups, due=self._soon()), strict=True):
            # What the initial value does not lead to never occurs, and so says nothing.
            ever = later[_value(group, initial)]
            for value in range(len(later)):
                if not ever >> value & 1:
                    later[value] = ever
            if len(set(later)) > 1:
                facts = tuple(self._circuit.facts[fact] for fact in group)
                found[group] = Group(facts, tuple(later))
        return found

    def _later(self, groups: Sequence[Facts], *, due: float) -> list[list[int]]:
        """Return, for each group and value, the values that it may have then or later."""
        made = self.transitions
        with made.adding():
            unseen = {
                made.both(before, after): (number, old, new)
                for number, group in enumerate(groups)
                for old, before in enumerate(self._column(group, made.before))
                for new, after in enumerate(self._column(group, made.after))
                if old != new
            }
        later = [[1 << value for value in range(len(group) + 1)] for group in groups]
        literals = {change: literal for literal, change in unseen.items()}
        # Random plays show most of what there is, and clingo finds states to play on from.
        played = self._search.steps
        while True:
            for number, old, new in _played(groups, played):
                later[number][old] |= 1 << new
                unseen.pop(literals.get((number, old, new), 0), None)
            with made.adding():
                some_change = made.any_of(unseen)
            starts: list[list[bool]] = []
            for model in made.models([*self.invariants.assumptions, some_change], due=due):
                for literal in [literal for literal in unseen if holds(model, literal)]:
                    number, old, new = unseen.pop(literal)
                    later[number][old] |= 1 << new
                starts.append([holds(model, literal) for literal in made.before])
                if len(starts) == _MODELS:
                    break
                model.context.add_clause(list(unseen))
            if len(starts) < _MODELS:
                return [_closed(steps) for steps in later]
            played = self._search.steps_from(np.array(starts))

    def _column(self, group: Facts, state: Sequence[int]) -> Column:
        """Return a literal for each value of a group: one of its facts, or none of them."""
        literals = [state[fact] for fact in group]
        return [*literals, -self.transitions.any_of(literals)]

    # Terminal assignments

    def _link(
        self, groups: Sequence[tuple[Facts, Group]], row_of: dict[tuple[int, ...], int]
    ) -> Link | None:
        """Return what the groups say together; None if that is too much, or nothing at all."""
        if prod(len(facts) + 1 for facts, _ in groups) > _MAX_COMBINATIONS:
            return None
        with self.transitions.adding():
            columns = [self._column(facts, self.transitions.after) for facts, _ in groups]
        columns += self._goal_columns
        try:
            choices = self._assignments(columns, limit=_MAX_ASSIGNMENTS, due=self._soon())
        except TooManyOutcomes:
            return None
        except TimeUp:
            self._gave_up = True
            if self.transitions.clock() >= self._due:
                raise
            return None
        pairs = {
            (choice[: len(groups)], self._goal_vector(choice[len(groups) :])) for choice in choices
        }
        pairs |= {
            (tuple(_value(facts, state) for facts, _ in groups), goals)
            for state, goals in self._over_at_once
        }
        assignments = {(values, row_of[_zeroed(goals)]) for values, goals in pairs}
        link = Link(
            tuple(group for _, group in groups), tuple(sorted(assignments, key=lambda e: e[::-1]))
        )
        return link if _says_something(link, len(row_of)) else None

    def _assignments(self, columns: Sequence[Column], *, limit: int, due: float) -> set[Choice]:
        """Return what leaves after a step have in the columns."""
        found: set[Choice] = set()
        assumptions = [*self.invariants.assumptions, self.transitions.over]
        for model in self.transitions.models(assumptions, due=due):
            choice = tuple(
                next(index for index, literal in enumerate(column) if holds(model, literal))
                for column in columns
            )
            found.add(choice)
            if len(found) > limit:
                raise TooManyOutcomes
            chosen = zip(columns, choice, strict=True)
            model.context.add_clause([-column[index] for column, index in chosen])
        return found


def _table(circuit: Circuit, vectors: Iterable[GoalVector]) -> LeafValueTable:
    """Return the table whose leaves have these goals."""
    merged: defaultdict[tuple[int, ...], list[GoalVector]] = defaultdict(list)
    for vector in vectors:
        merged[_zeroed(vector)].append(vector)
    goals = tuple(tuple(sorted(set(of_role))) for of_role in zip(*merged, strict=True))
    table = LeafValueTable(circuit.roles, goals)
    rows = []
    for zeroed, variants in sorted(merged.items()):
        # None only where the goal is missing in all of them.
        named = tuple(
            goal if any(variant[role] == goal for variant in variants) else None
            for role, goal in enumerate(zeroed)
        )
        rows.append(LeafValue(table.outcome(named), zeroed, table.ranks(zeroed)))
    return replace(table, found=tuple(rows))


def _with_outcomes(table: LeafValueTable, link: Link) -> LeafValueTable:
    """Return the table with those facts added to each row that all its leaves have."""
    assert table.found is not None
    common: dict[int, dict[str, None]] = {}
    for values, row in link.assignments:
        pairs = zip(link.groups, values, strict=True)
        facts = [str(g.facts[value]) for g, value in pairs if value < len(g.facts)]
        kept = common.setdefault(row, dict.fromkeys(facts))
        common[row] = {fact: None for fact in kept if fact in facts}
    rows = (
        replace(row, outcome=" ".join([*common.get(number, ()), row.outcome]))
        for number, row in enumerate(table.found)
    )
    return replace(table, found=tuple(rows))


def _zeroed(goals: GoalVector) -> tuple[int, ...]:
    return tuple(goal or 0 for goal in goals)


def _value(group: Facts, state: frozenset[int]) -> int:
    return next((value for value, fact in enumerate(group) if fact in state), len(group))


def _says_something(link: Link, rows: int) -> bool:
    """Return whether some values of the groups rule out some row."""
    if len(link.groups) > 1:
        return True
    (group,) = link.groups
    return any(
        len({row for (value,), row in link.assignments if later >> value & 1}) < rows
        for later in group.later
    )


def _closed(steps: list[int]) -> list[int]:
    """Return the transitive closure of a relation: for each value a bitset of values."""
    reached = steps.copy()
    for via in range(len(reached)):
        for value, known in enumerate(reached):
            if known >> via & 1:
                reached[value] |= reached[via]
    return reached


def _never_returns(later: Sequence[int]) -> bool:
    """Return whether no value that was left can come again."""
    return not any(
        later[one] >> other & 1 and later[other] >> one & 1
        for other in range(len(later))
        for one in range(other)
    )


def _played(
    groups: Sequence[Facts], steps: tuple[Packed, Packed]
) -> Iterator[tuple[int, int, int]]:
    """Yield what changes in steps: a group, and its values before and after."""
    before, after = steps
    chunks = range(0, len(before), _ROWS)
    flips = (
        np.unpackbits(before[at : at + _ROWS] ^ after[at : at + _ROWS], axis=1) for at in chunks
    )
    pairs = [np.argwhere(flip) + np.array([at, 0]) for at, flip in zip(chunks, flips, strict=True)]
    changed = np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64)
    changed = changed[np.argsort(changed[:, 1], kind="stable")]
    ends = np.searchsorted(changed[:, 1], np.arange(8 * before.shape[1] + 1))
    for number, group in enumerate(groups):
        rows = np.unique(
            np.concatenate([changed[ends[fact] : ends[fact + 1], 0] for fact in group])
        )
        facts, none = np.array(group), len(group)
        values = []
        for packed in (before[rows], after[rows]):
            held = packed[:, facts >> 3] >> (7 - (facts & 7)) & 1
            values.append(np.where(held.any(axis=1), held.argmax(axis=1), none))
        for change in np.unique(values[0] * (none + 1) + values[1]).tolist():
            yield (number, *divmod(change, none + 1))
