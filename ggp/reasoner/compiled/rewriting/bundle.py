"""Bundles literals of a body that share few of its variables into one.

A ground body is printed, read and turned into gates once for each value of all its variables
together, though some of its literals have only a few values. These are made an auxiliary relation,
which has as few instances, and the many bodies become shorter.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod

from ggp.gdl import Relation, Rule
from ggp.kif import Symbol, variables
from ggp.reasoner.compiled.rewriting.clauses import Auxiliaries, is_guard, variables_of
from ggp.reasoner.compiled.rewriting.sizes import Sizes
from ggp.reasoner.compiled.rewriting.split import guards_of, is_test

__all__ = ["bundle"]

#: Literals are bundled if that leaves this many fewer in the ground bodies.
_WORTH = 300_000
#: The cost of a ground rule beside its literals, in literals.
_RULE = 3


def bundle(
    rule: Rule, *, auxiliaries: Auxiliaries, static: Container[Relation], sizes: Sizes
) -> Rule:
    """Return the rule with literals over few of its variables made one.

    Args:
        rule: a rule after splitting.
        auxiliaries: where the new relations go.
        static: the relations whose truth never changes: ground bodies do not have them.
        sizes: how many values a variable may have.
    """
    body = list(rule.body)
    size = {v: max(1, sizes.of_variable(v, rule)) for v in variables_of(body)}

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
        shorter = sum(not is_test(literal, static) for literal in inside) - 1
        if shorter * full - _RULE * instances(own) < _WORTH:
            continue
        outside = [literal for literal in body if literal not in inside]
        guards = guards_of(inside, outside, own, static=static, auxiliaries=auxiliaries)
        part = auxiliaries.define([*inside, *guards], own)
        occurring[part] = own
        body = [*outside, part]
    return Rule(rule.head, tuple(body))
