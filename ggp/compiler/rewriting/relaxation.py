"""Keeps what tells which facts may come true and which moves may be legal.

What must not hold for that is left out: the delete relaxation of Bonet and Geffner (2001) "Planning
as heuristic search", for rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Relation, Rule
from ggp.gdl.dependency import DependencyGraph

__all__ = ["relax", "stepping"]

#: What takes a game from state to state.
_STEPS = (Relation("init", 1), Relation("next", 1), Relation("legal", 2))


def relax(game: Rules) -> Rules:
    """Keep the rules that tell which facts and moves are possible, without what they deny."""
    relaxed = [*_relaxed(game)]
    needed = DependencyGraph(tuple(relaxed)).reachable(_STEPS)
    return game.changed(rule for rule in relaxed if rule.relation in needed)


def stepping(game: Rules) -> frozenset[Relation]:
    """Return the relations, guards among them, that `relax` would keep."""
    return DependencyGraph(tuple(_relaxed(game))).reachable(_STEPS)


def _relaxed(game: Rules) -> Iterator[Rule]:
    for rule in (*game.rules, *game.guards):
        body = (lit for lit in rule.body if lit.positive or lit.relation not in game.dynamic)
        yield Rule(rule.head, tuple(body))
