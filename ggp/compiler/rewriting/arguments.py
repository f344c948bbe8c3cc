"""Drops arguments of relations, above all those whose values no rule uses.

An argument that stands for anything wherever the relation is used is dropped: the relation is
projected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from ggp.compiler.rewriting.clauses import QUESTIONS, atom_of
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Symbol, Term, variables

__all__ = ["without_arguments", "without_unused_arguments"]


def without_unused_arguments(game: Rules) -> Rules:
    """Drop the arguments that stand for anything wherever their relations are used."""
    rules, guards = [*game.rules], [*game.guards]
    while unused := _unused([*rules, *guards]):
        rules = without_arguments(rules, unused)
        guards = without_arguments(guards, unused)
    return game.changed(rules, guards=guards)


def without_arguments(
    rules: Iterable[Rule], places: Mapping[Relation, Container[int]]
) -> list[Rule]:
    """Return the rules without the arguments in some places of some relations."""
    return [_cut_rule(rule, places) for rule in rules] if places else [*rules]


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
