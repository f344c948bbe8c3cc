"""Drops arguments of relations that make no difference.

An argument that stands for anything wherever the relation is used is dropped: the relation is
projected. So is one that no rule of the relation looks at, but for its type, as ``?x`` in
``(<= (p ?x ?y) (digit ?x) (q ?x) (r ?y))`` where ``q`` does no more with it: whoever uses the
relation checks the type instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Symbol, Term, variables
from ggp.reasoner.compiled.clauses import QUESTIONS, atom_of

__all__ = ["without_ignored_arguments", "without_unused_arguments"]

#: An argument of a relation, by its place.
_Argument: TypeAlias = tuple[Relation, int]


def without_unused_arguments(rules: list[Rule], guards: list[Rule]) -> list[Rule]:
    """Return the rules without the arguments that stand for anything wherever they are used.

    The guards are changed in place.
    """
    while unused := _unused([*rules, *guards]):
        rules = [_cut_rule(rule, unused) for rule in rules]
        guards[:] = [_cut_rule(rule, unused) for rule in guards]
    return rules


def without_ignored_arguments(rules: Sequence[Rule], *, static: Container[Relation]) -> list[Rule]:
    """Return the rules without the arguments that their relations do not look at.

    Args:
        rules: all the rules.
        static: the relations that may be types: those of one argument.
    """
    ignored = _Ignored(rules, static)
    cut: dict[Relation, set[int]] = {}
    for relation, place in ignored.types:
        cut.setdefault(relation, set()).add(place)
    found: list[Rule] = []
    for rule in rules:
        dropped = {
            term
            for place, term in enumerate(arguments_of(rule.head))
            if (rule.relation, place) in ignored.types
        }
        body: list[Literal] = []
        for literal in rule.body:
            if ignored.is_type(literal) and arguments_of(literal.atom)[0] in dropped:
                continue
            body.append(literal)
            for place, term in enumerate(arguments_of(literal.atom)):
                if term not in dropped:
                    checks = ignored.types.get((literal.relation, place), ())
                    body += (Literal(atom_of(kind, [term])) for kind in sorted(checks))
        found.append(_cut_rule(Rule(rule.head, tuple(dict.fromkeys(body))), cut))
    return found


class _Ignored:
    """Which arguments are not looked at, each with the types that it must have."""

    def __init__(self, rules: Sequence[Rule], static: Container[Relation]) -> None:
        self._static = static
        negated = {lit.relation for rule in rules for lit in rule.body if not lit.positive}
        self._rules = rules
        self.types: dict[_Argument, frozenset[Relation]] = {
            (rule.relation, place): frozenset()
            for rule in rules
            if rule.relation not in negated and rule.relation not in QUESTIONS
            for place in range(rule.relation.arity)
        }
        while self._remove(self._looked_at()) or self._grow() or self._remove(self._uneven()):
            pass

    def is_type(self, literal: Literal) -> bool:
        return literal.positive and literal.relation.arity == 1 and literal.relation in self._static

    def _remove(self, arguments: Collection[_Argument]) -> bool:
        for argument in arguments:
            self.types.pop(argument, None)
        return bool(arguments)

    def _looked_at(self) -> set[_Argument]:
        found: set[_Argument] = set()
        for rule in self._rules:
            arguments = arguments_of(rule.head)
            times = Counter(v for term in arguments for v in variables(term))
            looked = {
                variable
                for literal in rule.body
                if not self.is_type(literal)
                for place, term in enumerate(arguments_of(literal.atom))
                if (literal.relation, place) not in self.types or not isinstance(term, Symbol)
                for variable in variables(term)
            }
            found |= {
                (rule.relation, place)
                for place, term in enumerate(arguments)
                if (rule.relation, place) in self.types and (times[term] != 1 or term in looked)  # type: ignore[index]
            }
        return found

    def _needed(self, rule: Rule, term: Term) -> frozenset[Relation]:
        """Return the types that a rule wants of a variable of its head."""
        found: set[Relation] = set()
        for literal in rule.body:
            for place, inside in enumerate(arguments_of(literal.atom)):
                if inside == term:
                    found |= self.types.get((literal.relation, place), {literal.relation})
        return frozenset(found)

    def _grow(self) -> bool:
        """Let each argument have all the types that some rule wants."""
        changed = False
        for rule, argument, term in self._heads():
            wanted = self.types[argument] | self._needed(rule, term)
            changed |= wanted != self.types[argument]
            self.types[argument] = wanted
        return changed

    def _uneven(self) -> set[_Argument]:
        """Return the arguments of which not all rules want the same."""
        return {
            argument
            for rule, argument, term in self._heads()
            if self._needed(rule, term) != self.types[argument]
        }

    def _heads(self) -> Iterable[tuple[Rule, _Argument, Term]]:
        for rule in self._rules:
            for place, term in enumerate(arguments_of(rule.head)):
                if (rule.relation, place) in self.types:
                    yield rule, (rule.relation, place), term


def _unused(rules: list[Rule]) -> dict[Relation, set[int]]:
    unused = {
        rule.relation: set(range(rule.relation.arity))
        for rule in rules
        if rule.relation not in QUESTIONS
    }
    for rule in rules:
        atoms = (rule.head, *(literal.atom for literal in rule.body))
        times = Counter(variable for atom in atoms for variable in variables(atom))
        for literal in rule.body:
            if places := unused.get(literal.relation):
                places.difference_update(
                    place
                    for place, term in enumerate(arguments_of(literal.atom))
                    if not (isinstance(term, Symbol) and term.is_variable and times[term] == 1)
                )
    return {relation: places for relation, places in unused.items() if places}


def _cut_rule(rule: Rule, unused: Mapping[Relation, Container[int]]) -> Rule:
    body = tuple(Literal(_cut(literal.atom, unused), literal.positive) for literal in rule.body)
    return Rule(_cut(rule.head, unused), body)


def _cut(atom: Term, unused: Mapping[Relation, Container[int]]) -> Term:
    relation = relation_of(atom)
    if relation not in unused:
        return atom
    places = unused[relation]
    kept = [term for place, term in enumerate(arguments_of(atom)) if place not in places]
    return atom_of(Relation(f"{relation} cut", len(kept)), kept)
