"""Gathers what rules have in common, and takes apart what they deny together.

Rules of one relation that differ in a single literal say "the rest, and one of these": normalising
a disjunction makes such rules. One rule with a relation for the alternatives has fewer instances.
The other way round, to deny a relation is to deny each of its rules: where these have become single
literals, the instances of the relation itself are not needed.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ggp.compiler.rewriting.clauses import (
    binds,
    is_guard,
    replaced,
    variables_of,
)
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule, arguments_of
from ggp.kif import Symbol, Term, variables

__all__ = ["gather_alternatives", "without_denied"]


def gather_alternatives(game: Rules) -> Rules:
    """Make rules that differ in one literal over the same variables one."""
    rules, auxiliaries = game.rules, game.auxiliaries()
    groups: dict[tuple[Term, frozenset[Literal], frozenset[Symbol]], dict[int, Literal]] = {}
    for index, rule in enumerate(rules):
        for literal in rule.body:
            if not binds(literal) or literal.relation not in game.dynamic:
                continue
            rest = frozenset(rule.body) - {literal}
            inside = set(variables(literal.atom))
            shared = inside & {*variables_of(rest), *variables(rule.head)}
            if not shared.issuperset(variables_of(rest)):
                groups.setdefault((rule.head, rest, frozenset(shared)), {})[index] = literal
    gathered: dict[int, Rule] = dict(enumerate(rules))
    taken: set[int] = set()
    for (head, _, kept), members in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        live = [index for index in members if index not in taken]
        if len(live) < 2:
            continue
        taken.update(live)
        first = live[0]
        either = auxiliaries.either([members[index] for index in live], kept)
        body = (either if lit == members[first] else lit for lit in rules[first].body)
        gathered[first] = Rule(head, tuple(body))
        for index in live[1:]:
            del gathered[index]
    return game.changed(gathered.values(), auxiliaries)


def without_denied(game: Rules, *, large: Container[Relation]) -> Rules:
    """Replace the negation of some relations by that of their rules, where it can be done.

    Args:
        game: rules that are split.
        large: the relations.
    """
    definitions = game.defining
    meant = {
        relation: [_single(rule) for rule in defining]
        for relation, defining in definitions.items()
        if relation in large
    }
    made = [
        Rule(
            rule.head,
            tuple(
                new
                for literal in rule.body
                for new in _denied(literal, definitions, meant.get(literal.relation))
            ),
        )
        for rule in game.rules
    ]
    return game.changed(made).needed()


def _single(rule: Rule) -> Literal | None:
    """Return the one literal that a rule consists of but for guards, if it is so."""
    told = [literal for literal in rule.body if not is_guard(literal.relation)]
    arguments = arguments_of(rule.head)
    plain = len(set(arguments)) == len(arguments) and all(
        isinstance(term, Symbol) and term.is_variable for term in arguments
    )
    if not plain or len(told) != 1:
        return None
    (single,) = told
    bound = binds(single) and single.relation != rule.relation
    return single if bound and set(variables(single.atom)) <= set(arguments) else None


def _denied(
    literal: Literal,
    definitions: dict[Relation, list[Rule]],
    meant: Sequence[Literal | None] | None,
) -> list[Literal]:
    if literal.positive or not meant or None in meant:
        return [literal]
    denied: list[Literal] = []
    for rule, single in zip(definitions[literal.relation], meant, strict=True):
        assert single is not None
        names = [term for term in arguments_of(rule.head) if isinstance(term, Symbol)]
        values = dict(zip(names, arguments_of(literal.atom), strict=True))
        denied.append(Literal(replaced(single.atom, values), positive=False))
    return denied
