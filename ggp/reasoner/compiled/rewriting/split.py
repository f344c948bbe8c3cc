"""Splits long rules into small joins: bucket elimination of the variables of a body.

A rule is grounded once for every value of all its variables together. Where a variable stands in
only some literals of the body, these can be joined first and the variable projected away: Dechter
(1999) "Bucket elimination"; for grounding, Morak and Woltran (2012) "Preprocessing of complex
non-ground rules in answer set programming". What is split off is shared between the rules that
have it in common, and so are the gates that it becomes.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from math import exp, log
from typing import NamedTuple, TypeAlias

from ggp.gdl import Literal, Relation, Rule
from ggp.kif import Symbol, variables
from ggp.reasoner.compiled.rewriting.clauses import (
    DISTINCT,
    Auxiliaries,
    binds,
    is_guard,
    variables_of,
)
from ggp.reasoner.compiled.rewriting.sizes import Sizes

__all__ = ["guards_of", "is_test", "joins", "split_rule"]

#: Stands for as many atoms as there may be.
_ALL = 1e30


def split_rule(
    rule: Rule, *, auxiliaries: Auxiliaries, static: Container[Relation], sizes: Sizes
) -> Rule:
    """Return the rule with parts of its body split off into auxiliary relations.

    Args:
        rule: a rule whose variables all stand in literals that bind them.
        auxiliaries: where the new relations go.
        static: the relations whose truth never changes: joining them early costs nothing.
        sizes: how many values variables have, and how many atoms relations.
    """
    head = set(variables(rule.head))
    body = {literal: _Table.of(literal, sizes) for literal in rule.body}
    weight = {v: _weight(sizes.of_variable(v, rule)) for v in variables_of(body)}
    known: _Weights = {}
    while join := _next_join([*body.values()], head, weight, known):
        bucket = [
            literal
            for literal, table in body.items()
            if join.chosen in table.names
            or (table.names and table.names <= join.names and is_test(literal, static))
        ]
        outside = [literal for literal in body if literal not in bucket]
        kept = join.names & head.union(*(body[literal].names for literal in outside))
        guards = guards_of(bucket, outside, join.names, static=static, auxiliaries=auxiliaries)
        part = auxiliaries.define([*bucket, *guards], kept)
        body = {literal: body[literal] for literal in outside}
        body[part] = _Table(kept, join.weight)
    return Rule(rule.head, tuple(body))


def joins(rule: Rule, *, sizes: Sizes) -> float:
    """Estimate how many instances the rule has when it is split."""
    head = frozenset(variables(rule.head))
    tables = [_Table.of(literal, sizes) for literal in rule.body]
    weight = {v: _weight(sizes.of_variable(v, rule)) for v in variables_of(rule.body)}
    known: _Weights = {}
    total = 0.0
    while join := _next_join(tables, head, weight, known):
        total += _instances(join.weight)
        left = [t for t in tables if join.chosen not in t.names and not t.names <= join.names]
        kept = join.names & head.union(*(table.names for table in left))
        tables = [*left, _Table(kept, join.weight)]
    return total + _instances(_joined(tables, weight))


class _Table(NamedTuple):
    """The variables of a literal, and the weight of the number of its atoms."""

    names: frozenset[Symbol]
    weight: int

    @classmethod
    def of(cls, literal: Literal, sizes: Sizes) -> _Table:
        """Return the table of a literal; one that binds nothing may have all atoms there are."""
        atoms = sizes.of_relation(literal.relation) if binds(literal) else _ALL
        return cls(frozenset(variables(literal.atom)), _weight(atoms))


class _Join(NamedTuple):
    """A variable to eliminate, all that its literals mention, and the weight of their join."""

    chosen: Symbol
    names: frozenset[Symbol]
    weight: int


def _weight(size: float) -> int:
    """Return the logarithm of a size in thousandths: integers add up alike in every order."""
    return round(1000 * log(size + 1))


def _instances(weight: int) -> float:
    return exp(weight / 1000)


def _joined(tables: Sequence[_Table], weight: Mapping[Symbol, int]) -> int:
    """Return the weight of a join: of tables that cover some variables, and of the others."""
    names = frozenset[Symbol]().union(*(table.names for table in tables))
    left, total = set(names), 0
    while True:
        saved = [sum(weight[v] for v in t.names & left) - t.weight for t in tables]
        best = max(range(len(tables)), key=saved.__getitem__, default=0)
        if not tables or saved[best] <= 0:
            return total + sum(weight[v] for v in left)
        left -= tables[best].names
        total += tables[best].weight


#: The weights of joins of one rule: most are the same after a variable has been eliminated.
_Weights: TypeAlias = dict[tuple[_Table, ...], int]


def _next_join(
    tables: Sequence[_Table],
    head: Collection[Symbol],
    weight: Mapping[Symbol, int],
    known: _Weights,
) -> _Join | None:
    """Return the variable to eliminate next, with the join that this takes."""
    everything = frozenset[Symbol]().union(*(table.names for table in tables))
    found = []
    for variable in everything.difference(head):
        bucket = [table for table in tables if variable in table.names]
        names = frozenset[Symbol]().union(*(table.names for table in bucket))
        if names != everything:
            within = tuple(table for table in tables if table.names <= names)
            if within not in known:
                known[within] = _joined(within, weight)
            found.append(_Join(variable, names, known[within]))
    return min(found, key=lambda join: (join.weight, join.chosen.text), default=None)


def is_test(literal: Literal, static: Container[Relation]) -> bool:
    """Return whether a literal's truth never changes."""
    return literal.relation == DISTINCT or literal.relation in static


def guards_of(
    bucket: list[Literal],
    outside: list[Literal],
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
