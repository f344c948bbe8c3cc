"""Splits long rules into small joins: bucket elimination of the variables of a body.

A rule is grounded once for every value of all its variables together. Where a variable stands in
only some literals of the body, these can be joined first and the variable projected away: Dechter
(1999) "Bucket elimination"; for grounding, Morak and Woltran (2012) "Preprocessing of complex
non-ground rules in answer set programming". What is split off is shared between the rules that
have it in common, and so are the gates that it becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import NamedTuple

from ggp.compiler.rewriting.alternatives import without_denied
from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    Auxiliaries,
    binds,
    is_guard,
    variables_of,
)
from ggp.compiler.rewriting.relaxation import stepping
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule
from ggp.kif import Symbol, variables

__all__ = ["guards_of", "is_test", "joins", "split"]

#: A relation that may have more atoms than this is not made for the sake of its negation alone.
_MANY = 100_000
#: A rule stays whole if that has less than this part of the instances of its parts, which other
#: rules may share.
_WORTH = 0.5
#: Stands for as many atoms as there may be.
_ALL = 1e30


def split(game: Rules) -> Rules:
    """Split off parts of long bodies, and estimate how many instances the rules then have.

    Relations that may have many atoms are not made for the sake of their negation alone
    (`without_denied`).
    """
    auxiliaries, keeping = game.auxiliaries(), stepping(game)
    instances = relaxed_instances = 0.0
    made_of: list[Rule] = []
    for rule in (*game.rules, *game.guards):
        body = _Body.of(rule, game)
        whole, parts = body.whole(), body.in_parts()
        instances += min(whole, parts)
        relaxed_instances += min(whole, parts) * (rule.relation in keeping)
        stays = whole < _WORTH * parts
        made_of.append(rule if stays else _split(rule, body, game, auxiliaries))
    large = {relation for relation in game.defining if game.sizes.of_relation(relation) > _MANY}
    rules, guards = made_of[: len(game.rules)], made_of[len(game.rules) :]
    made = without_denied(game.changed(rules, auxiliaries, guards=guards), large=large)
    return replace(made, instances=instances, relaxed_instances=relaxed_instances)


def _split(rule: Rule, body: _Body, game: Rules, auxiliaries: Auxiliaries) -> Rule:
    """Return a rule, whose variables all stand in literals that bind them, with parts split off."""

    def part(join: _Join, bucket: Sequence[Literal], outside: Sequence[Literal]) -> Literal:
        guards = guards_of(bucket, outside, join.names, static=game.static, auxiliaries=auxiliaries)
        return auxiliaries.define([*bucket, *guards], join.kept)

    left, _ = body.eliminated(part)
    return Rule(rule.head, left)


def joins(rule: Rule, game: Rules) -> float:
    """Estimate how many instances a rule has when it is split, if that makes them fewer."""
    body = _Body.of(rule, game)
    return min(body.in_parts(), body.whole())


@dataclass(frozen=True, slots=True)
class _Body:
    """The literals of a rule's body as tables."""

    head: frozenset[Symbol]
    tables: Mapping[Literal, _Table]
    #: The weights of the numbers of values of its variables, as far as the whole body tells.
    weight: Mapping[Symbol, int]
    #: The weights of joins that have been computed: most come again after a variable has been
    #: eliminated, and all of them when the body is taken apart a second time.
    known: dict[tuple[_Table, ...], int] = field(default_factory=dict)

    @classmethod
    def of(cls, rule: Rule, game: Rules) -> _Body:
        """Return the body of a rule."""
        tables = {literal: _Table.of(literal, game) for literal in rule.body}
        names = variables_of(rule.body)
        weight = {name: _weight(game.sizes.of_variable(name, rule)) for name in names}
        return cls(frozenset(variables(rule.head)), tables, weight)

    def whole(self) -> float:
        """Estimate how many instances the rule has as it is."""
        return _instances(_joined([*self.tables.values()], self.weight))

    def in_parts(self) -> float:
        """Estimate how many instances the rule has in parts, all joins together."""
        _, instances = self.eliminated(lambda join, _bucket, _outside: Literal(join.chosen))
        return instances

    def eliminated(
        self, part: Callable[[_Join, Sequence[Literal], Sequence[Literal]], Literal]
    ) -> tuple[tuple[Literal, ...], float]:
        """Eliminate variables as long as that makes joins smaller.

        Return what is left of the body, and an estimate of how many instances all joins have.
        `part` makes the literal that stands for a join, of what is joined and what is left. What is
        static is joined early: that costs nothing.
        """
        body = dict(self.tables)
        instances = 0.0
        while join := self._next_join([*body.values()]):
            bucket = [literal for literal, table in body.items() if join.takes(table)]
            outside = [literal for literal in body if literal not in bucket]
            made = part(join, bucket, outside)
            values = _values([body[literal] for literal in bucket])
            body = {literal: body[literal] for literal in outside}
            told = ((v, value) for v, value in values.items() if v in join.kept)
            body[made] = _Table(join.kept, join.weight, frozenset(told))
            instances += _instances(join.weight)
        return tuple(body), instances + _instances(_joined([*body.values()], self.weight))

    def _next_join(self, tables: Sequence[_Table]) -> _Join | None:
        """Return the variable to eliminate next, with the join that this takes."""
        everything = frozenset[Symbol]().union(*(table.names for table in tables))
        found: list[_Join] = []
        for variable in everything.difference(self.head):
            names = frozenset[Symbol]().union(*(t.names for t in tables if variable in t.names))
            if names == everything:
                continue
            within = tuple(t for t in tables if _is_joined(t, variable, names))
            if within not in self.known:
                self.known[within] = _joined(within, self.weight)
            outside = (t.names for t in tables if not _is_joined(t, variable, names))
            kept = names & self.head.union(*outside)
            found.append(_Join(variable, names, kept, self.known[within]))
        return min(found, key=lambda join: (join.weight, join.chosen.text), default=None)


class _Table(NamedTuple):
    """The variables of a literal, and the weight of the number of its atoms."""

    names: frozenset[Symbol]
    weight: int
    #: The weights of the numbers of values that its variables have, as far as it tells.
    values: frozenset[tuple[Symbol, int]]
    is_test: bool = False

    @classmethod
    def of(cls, literal: Literal, game: Rules) -> _Table:
        """Return the table of a literal; one that binds nothing may have all atoms there are."""
        atoms = game.sizes.of_relation(literal.relation) if binds(literal) else _ALL
        names = frozenset(variables(literal.atom))
        told = game.sizes.of_variables([literal]).items()
        values = frozenset((variable, _weight(size)) for variable, size in told)
        return cls(names, _weight(atoms), values, is_test(literal, game.static))


class _Join(NamedTuple):
    """A variable to eliminate."""

    chosen: Symbol
    #: The variables of the literals that are joined, and those that are left of them.
    names: frozenset[Symbol]
    kept: frozenset[Symbol]
    #: The weight of the number of instances.
    weight: int

    def takes(self, table: _Table) -> bool:
        """Return whether a table is joined."""
        return _is_joined(table, self.chosen, self.names)


def _is_joined(table: _Table, chosen: Symbol, names: frozenset[Symbol]) -> bool:
    """Return whether a table is joined to eliminate a variable, among those of these variables."""
    return chosen in table.names or (table.is_test and bool(table.names) and table.names <= names)


def _weight(size: float) -> int:
    """Return the logarithm of a size in thousandths: integers add up alike in every order."""
    return round(1000 * log(size + 1))


def _instances(weight: int) -> float:
    return exp(weight / 1000)


def _joined(tables: Sequence[_Table], weight: Mapping[Symbol, int]) -> int:
    """Return the weight of a join: of tables that cover some variables, and of the others.

    The tables tell how many values a variable has, and `weight` where none of them does.
    """
    weight = {**weight, **_values(tables)}
    names = frozenset[Symbol]().union(*(table.names for table in tables))
    left, total = set(names), 0
    while True:
        saved = [sum(weight[v] for v in t.names & left) - t.weight for t in tables]
        best = max(range(len(tables)), key=saved.__getitem__, default=0)
        if not tables or saved[best] <= 0:
            return total + sum(weight[v] for v in left)
        left -= tables[best].names
        total += tables[best].weight


def _values(tables: Sequence[_Table]) -> dict[Symbol, int]:
    """Return the weights of the numbers of values that variables have in a join."""
    found: dict[Symbol, int] = {}
    for table in tables:
        for variable, value in table.values:
            found[variable] = min(value, found.get(variable, value))
    return found


def is_test(literal: Literal, static: Container[Relation]) -> bool:
    """Return whether a literal's truth never changes."""
    return literal.relation == DISTINCT or literal.relation in static


def guards_of(
    bucket: Sequence[Literal],
    outside: Sequence[Literal],
    names: frozenset[Symbol],
    *,
    static: Container[Relation],
    auxiliaries: Auxiliaries,
) -> list[Literal]:
    """Return guards for a bucket, made of the literals outside.

    They bind what only tests of the bucket mention, and pass on the guards of the rule.
    """
    guards: list[Literal] = []

    def guard_by(binder: Literal) -> None:
        bound = names.intersection(variables(binder.atom))
        guards.append(auxiliaries.define([binder], bound, guard=binder.relation not in static))
        missing.difference_update(bound)

    missing = set(variables_of(bucket)) - set(variables_of(filter(binds, bucket)))
    for literal in outside:
        if is_guard(literal.relation) and not names.isdisjoint(variables(literal.atom)):
            guard_by(literal)
    while missing:
        guard_by(
            max(
                filter(binds, outside),
                key=lambda literal: len(missing.intersection(variables(literal.atom))),
            )
        )
    return guards
