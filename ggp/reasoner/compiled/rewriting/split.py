"""Splits long rules into small joins: bucket elimination of the variables of a body.

A rule is grounded once for every value of all its variables together. Where a variable stands in
only some literals of the body, these can be joined first and the variable projected away: Dechter
(1999) "Bucket elimination"; for grounding, Morak and Woltran (2012) "Preprocessing of complex
non-ground rules in answer set programming". What is split off is shared between the rules that
have it in common, and so are the gates that it becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from math import exp, log

from ggp.gdl import Literal, Relation, Rule
from ggp.kif import Symbol, variables
from ggp.reasoner.compiled.rewriting.clauses import (
    DISTINCT,
    Auxiliaries,
    binds,
    is_guard,
    variables_of,
)

__all__ = ["guards_of", "is_test", "joins", "split_rule"]


def split_rule(
    rule: Rule,
    *,
    auxiliaries: Auxiliaries,
    static: Container[Relation],
    size: Callable[[Symbol, Rule], int],
) -> Rule:
    """Return the rule with parts of its body split off into auxiliary relations.

    Args:
        rule: a rule whose variables all stand in literals that bind them.
        auxiliaries: where the new relations go.
        static: the relations whose truth never changes: joining them early costs nothing.
        size: how many values a variable of a rule may have.
    """
    head = set(variables(rule.head))
    body = list(dict.fromkeys(rule.body))
    occurring = {literal: frozenset(variables(literal.atom)) for literal in body}
    weight = {v: _weight(size(v, rule)) for v in variables_of(body)}
    while scope := _next_scope([occurring[literal] for literal in body], head, weight):
        chosen, names = scope
        bucket = [
            literal
            for literal in body
            if chosen in occurring[literal]
            or (occurring[literal] and occurring[literal] <= names and is_test(literal, static))
        ]
        outside = [literal for literal in body if literal not in bucket]
        kept = names & head.union(*(occurring[literal] for literal in outside))
        guards = guards_of(bucket, outside, names, static=static, auxiliaries=auxiliaries)
        part = auxiliaries.define([*bucket, *guards], kept)
        body = [*outside, part]
        occurring[part] = kept
    return Rule(rule.head, tuple(body))


def joins(rule: Rule, *, size: Callable[[Symbol, Rule], int]) -> float:
    """Estimate how many instances the rule has when it is split."""
    head = frozenset(variables(rule.head))
    body = [frozenset(variables(literal.atom)) for literal in rule.body]
    weight = {v: _weight(size(v, rule)) for v in variables_of(rule.body)}
    total = 0.0
    while scope := _next_scope(body, head, weight):
        chosen, names = scope
        total += _instances(weight[v] for v in names)
        body = [own for own in body if chosen not in own and not own <= names]
        body.append(names & head.union(*body))
    return total + _instances(weight[v] for v in frozenset[Symbol]().union(*body))


def _weight(size: int) -> int:
    """Return the logarithm of a size in thousandths: integers add up alike in every order."""
    return round(1000 * log(size + 1))


def _instances(weights: Iterable[int]) -> float:
    return exp(sum(weights) / 1000)


def _next_scope(
    body: Sequence[frozenset[Symbol]],
    head: Collection[Symbol],
    weight: Mapping[Symbol, int],
) -> tuple[Symbol, frozenset[Symbol]] | None:
    """Return the variable to eliminate next, with all that its literals mention."""
    everything = frozenset[Symbol]().union(*body)
    scopes = {
        variable: frozenset[Symbol]().union(*(own for own in body if variable in own))
        for variable in everything.difference(head)
    }
    narrow = [variable for variable, names in scopes.items() if names != everything]
    if not narrow:
        return None
    chosen = min(narrow, key=lambda v: (sum(weight[w] for w in scopes[v]), v.text))
    return chosen, scopes[chosen]


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
