"""Which columns of moves and of facts belong together, by the variables that rules share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from ggp.gdl import Description, Rule, arguments_of
from ggp.kif import Term
from ggp.server.manager.drawing.forms import take_apart

__all__ = ["Links", "links_of"]

#: Counts of shared variables by (form of move, its column, form of fact, its column).
Links: TypeAlias = Counter[tuple[str, int, str, int]]

_FACTS = ("init", "next", "true")
_MOVES = ("does", "legal")


def links_of(description: Description | None) -> Links:
    """Count the rules in which a column of a move and one of a fact hold the same variable."""
    found: Links = Counter()
    for rule in () if description is None else description.rules:
        facts, moves = _places(rule)
        for variable in facts.keys() & moves.keys():
            for (move, i), (fact, j) in product(moves[variable], facts[variable]):
                found[move, i, fact, j] += 1
    return found


_Places: TypeAlias = dict[str, list[tuple[str, int]]]


def _places(rule: Rule) -> tuple[_Places, _Places]:
    facts: _Places = defaultdict(list)
    moves: _Places = defaultdict(list)
    for atom, places in _told(rule, facts, moves):
        form, values = take_apart(atom)
        for column, value in enumerate(values):
            if value.startswith("?"):
                places[value].append((form, column))
    return facts, moves


def _told(rule: Rule, facts: _Places, moves: _Places) -> Iterator[tuple[Term, _Places]]:
    for atom in (rule.head, *(literal.atom for literal in rule.body)):
        arguments = arguments_of(atom)
        name = getattr(atom, "name", "")
        if name in _FACTS and len(arguments) == 1:
            yield arguments[0], facts
        elif name in _MOVES and len(arguments) == 2:
            yield arguments[1], moves
