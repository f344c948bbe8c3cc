"""Bundles literals of a body that share few of its variables into one.

A ground body is printed, read and turned into gates once for each value of all its variables
together, though some of its literals have only a few values. These are made an auxiliary relation,
which has as few instances, and the many bodies become shorter.
"""

from __future__ import annotations

from math import prod

from ggp.compiler.rewriting.clauses import Auxiliaries, is_guard, variables_of
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.split import guards_of, is_test
from ggp.gdl import Rule
from ggp.kif import Symbol, variables

__all__ = ["bundle"]

#: Literals are bundled if that leaves this many fewer in the ground bodies.
_WORTH = 300_000
#: The cost of a ground rule beside its literals, in literals.
_RULE = 3


def bundle(game: Rules) -> Rules:
    """Make literals over few of the variables of a rule one, after splitting."""
    auxiliaries = game.auxiliaries()
    rules = [_bundled(rule, game, auxiliaries) for rule in game.rules]
    return game.changed(rules, auxiliaries)


def _bundled(rule: Rule, game: Rules, auxiliaries: Auxiliaries) -> Rule:
    body = list(rule.body)
    size = {v: max(1, game.sizes.of_variable(v, rule)) for v in variables_of(body)}

    def instances(names: frozenset[Symbol]) -> int:
        return prod(size[v] for v in names)

    full = instances(frozenset(size))
    if full < _WORTH:
        return rule
    occurring = {literal: frozenset(variables(literal.atom)) for literal in body}
    scopes = {own for literal, own in occurring.items() if not is_guard(literal.relation)}
    scopes.discard(frozenset(size))
    for own in sorted(scopes, key=lambda own: (instances(own), sorted(v.text for v in own))):
        inside = [lit for lit in body if occurring[lit] <= own and not is_guard(lit.relation)]
        shorter = sum(not is_test(literal, game.static) for literal in inside) - 1
        if shorter * full - _RULE * instances(own) < _WORTH:
            continue
        outside = [literal for literal in body if literal not in inside]
        guards = guards_of(inside, outside, own, static=game.static, auxiliaries=auxiliaries)
        part = auxiliaries.define([*inside, *guards], own)
        occurring[part] = own
        body = [*outside, part]
    return Rule(rule.head, tuple(body))
