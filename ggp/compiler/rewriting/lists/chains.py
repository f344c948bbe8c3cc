"""Rules that pass a list from call to call, taken apart, and what tells their calls apart.

The rules of a component of mutually recursive relations, each with one call of the component at
most, derive by chains of calls. A *key* is what a rule puts on the list, or looks for on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ggp.compiler.rewriting.clauses import binds, replaced, variables_of
from ggp.compiler.rewriting.lists.generic import Generic, any_key
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, is_ground, symbols, variables

__all__ = ["Step", "same_keys_mean_same_calls"]


@dataclass(frozen=True, slots=True)
class Step:
    """A rule whose head has a list, in parts."""

    rule: Rule
    #: The list in the head, a variable.
    before: Symbol
    #: The literal that goes on with a list, and that list.
    call: Literal | None
    after: Term
    #: The literals that look at lists, and all others but the call.
    conditions: tuple[Literal, ...]
    others: tuple[Literal, ...]
    #: The one term that conditions and list have in common with the rest of the rule, if any.
    key: Term | None

    @classmethod
    def of(cls, rule: Rule, places: Mapping[Relation, int]) -> Step | None:
        """Take a rule apart; None if it is not of this form.

        Args:
            rule: a rule of one of the relations.
            places: which argument of each relation is the list.
        """

        def split(atom: Term) -> tuple[Term, list[Term]]:
            arguments = [*arguments_of(atom)]
            return arguments.pop(places[relation_of(atom)]), arguments

        before, visible = split(rule.head)
        calls = [literal for literal in rule.body if literal.relation in places]
        call = calls[0] if calls else None
        if len(calls) > 1 or (call and not call.positive):
            return None
        if not (isinstance(before, Symbol) and before.is_variable):
            return None
        after: Term = before
        if call:
            after, given = split(call.atom)
            visible += given
        lists = {before, after}
        conditions = tuple(
            literal
            for literal in rule.body
            if literal is not call and not lists.isdisjoint(variables(literal.atom))
        )
        others = tuple(x for x in rule.body if x is not call and x not in conditions)
        outside = {*variables_of(others), *_variables(visible)}
        inside = [*chain.from_iterable(arguments_of(lit.atom) for lit in conditions), after]
        shared = outside.intersection(_variables(inside))
        key = _smallest(inside, shared) if shared else None
        left = inside if key is None else [_with(term, key, any_key(0)) for term in inside]
        if before in outside or not shared.isdisjoint(_variables(left)):
            return None
        return cls(rule, before, call, after, conditions, others, key)

    @property
    def shorter(self) -> Rule:
        """The rule without the conditions."""
        return Rule(self.rule.head, tuple(x for x in self.rule.body if x not in self.conditions))

    def lists(self, before: Term, key: Term, generic: Generic) -> list[Term]:
        """Return lists with which the rule goes on; any at all if it ends a chain.

        Args:
            before: the list that it is given.
            key: what stands for the key.
            generic: what tells whether the conditions hold. It raises `Undecided`.
        """

        def given(term: Term) -> Term:
            term = replaced(term, {self.before: before})
            return term if self.key is None else _with(term, self.key, key)

        body = [Literal(given(literal.atom), literal.positive) for literal in self.conditions]
        return generic.instances(given(self.after), body)


def same_keys_mean_same_calls(
    steps: Sequence[Step], places: Mapping[Relation, int], facts: Mapping[Relation, Sequence[Rule]]
) -> bool:
    """Return whether two equal keys in one chain mean that it is in a circle, up to the list.

    A key belongs to the atom of its rule's head, or to that of its call, which is one for all.

    Args:
        steps: all rules of a component.
        places: which argument of each relation is the list.
        facts: the relations that are given by facts alone.
    """
    keyed = [step for step in steps if step.key is not None]

    def hold(atoms: Sequence[Term]) -> bool:
        relation, *more = {relation_of(atom) for atom in atoms}
        if more:
            return False
        fixed = {places[relation], *_kept(relation, steps)}
        ways: set[object] = set()
        for step, atom in zip(keyed, atoms, strict=True):
            assert step.key is not None
            told = [term for at, term in enumerate(arguments_of(atom)) if at not in fixed]
            names = [term for term in told if isinstance(term, Symbol) and term.is_variable]
            if len(set(names)) != len(told):
                return False
            ways.add(_way(step.key, names, step.others, facts))
        return len(ways) == 1 and None not in ways

    calls = [step.call.atom for step in keyed if step.call]
    return hold([step.rule.head for step in keyed]) or (len(calls) == len(keyed) and hold(calls))


def _kept(relation: Relation, steps: Iterable[Step]) -> set[int]:
    """Return the arguments that are equal in all atoms of a relation in one chain."""
    # in each relation, which arguments equal which of the relation's atom where the chain began
    equal = {relation: frozenset((place, place) for place in range(relation.arity))}
    pending = [relation]
    while pending:
        source = pending.pop()
        for step in steps:
            if step.call is None or step.rule.relation != source:
                continue
            head, call = arguments_of(step.rule.head), arguments_of(step.call.atom)
            passed = frozenset(
                (place, origin)
                for before, origin in equal[source]
                for place, term in enumerate(call)
                if term == head[before]
            )
            target = step.call.relation
            left = equal.get(target, passed) & passed
            if equal.get(target) != left:
                equal[target] = left
                pending.append(target)
    return {place for place, origin in equal[relation] if place == origin}


def _way(
    key: Term,
    told: Sequence[Symbol],
    body: Sequence[Literal],
    facts: Mapping[Relation, Sequence[Rule]],
) -> object:
    """Return how a key tells the values of variables, None if it does not.

    They stand in the key itself, or with the key in facts, no two of which differ in them alone.
    """
    if set(told) <= set(variables(key)):
        return replaced(key, {name: Symbol(f"?{number}") for number, name in enumerate(told)})
    for literal in filter(binds, body):
        arguments = arguments_of(literal.atom)
        if literal.relation not in facts or not {key, *told} <= {*arguments}:
            continue
        by_key, *columns = (arguments.index(term) for term in (key, *told))
        rows = [arguments_of(fact.head) for fact in facts[literal.relation]]
        pairs = {(row[by_key], *(row[column] for column in columns)) for row in rows}
        if len(pairs) == len({row[by_key] for row in rows}):
            return literal.relation, by_key, *columns
    return None


def _variables(terms: Iterable[Term]) -> set[Symbol]:
    return {variable for term in terms for variable in variables(term)}


def _smallest(terms: Iterable[Term], inside: set[Symbol]) -> Term | None:
    """Return the smallest of the terms and their parts that has just these variables."""
    parts = [*terms]
    for part in parts:
        if isinstance(part, Compound):
            parts += part.items
    same = [part for part in parts if set(variables(part)) == inside]
    return min(same, key=lambda part: len([*symbols(part)]), default=None)


def _with(term: Term, old: Term, new: Term) -> Term:
    """Return the term with another one in the place of a part."""
    if term == old or is_ground(term):
        return new if term == old else term
    if isinstance(term, Symbol):
        return term
    return Compound(tuple(_with(item, old, new) for item in term.items))
