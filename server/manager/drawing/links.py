"""Which columns of moves and of facts belong together, by the variables that rules share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from ggp.gdl import Description, Rule, arguments_of
from ggp.kif import Term
from ggp.server.manager.drawing.forms import take_apart

__all__ = ["NO_STEPS", "Links", "Steps", "links_of", "steps_of"]

#: Counts of shared variables by (form of move, its column, form of fact, its column).
Links: TypeAlias = Counter[tuple[str, int, str, int]]


@dataclass(frozen=True, slots=True)
class Steps:
    """What the rules say of the columns of a form of fact."""

    #: Those whose values change from state to state along a relation, as coordinates do.
    stepped: frozenset[int] = frozenset()
    #: Those whose values stay while others step.
    kept: frozenset[int] = frozenset()
    #: The constants that rules have in a column.
    named: Mapping[int, frozenset[str]] = field(default_factory=dict)


NO_STEPS = Steps()

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


def steps_of(description: Description | None) -> dict[str, Steps]:
    """Return what the rules say of the columns of each form of fact."""
    stepped: defaultdict[str, set[int]] = defaultdict(set)
    kept: defaultdict[str, set[int]] = defaultdict(set)
    named: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for rule in () if description is None else description.rules:
        bodies = [literal.atom for literal in rule.body if literal.positive]
        facts = [_fact(atom) for atom in (rule.head, *bodies)]
        for fact in filter(None, facts):
            for column, value in enumerate(fact[1]):
                if not value.startswith("?"):
                    named[fact[0]][column].add(value)
        head = facts[0]
        if head is None or getattr(rule.head, "name", "") != "next":
            continue
        tied = [set(take_apart(a)[1]) for a, f in zip(bodies, facts[1:], strict=True) if f is None]
        for body in filter(None, facts[1:]):
            if body[0] != head[0]:
                continue
            pairs = list(enumerate(zip(head[1], body[1], strict=True)))
            new = {
                i for i, (a, b) in pairs if a != b and any({a, b} <= words for words in tied)
            }  # fmt: skip
            if new:
                stepped[head[0]] |= new
                kept[head[0]] |= {i for i, (a, b) in pairs if a == b and a.startswith("?")}
    return {
        form: Steps(
            frozenset(stepped[form]),
            frozenset(kept[form] - stepped[form]),
            {column: frozenset(values) for column, values in columns.items()},
        )
        for form, columns in {**{form: {} for form in stepped}, **named}.items()
    }


def _fact(atom: Term) -> tuple[str, tuple[str, ...]] | None:
    """Return the form and the values of the fact that an atom is about, if it is about one."""
    arguments = arguments_of(atom)
    is_fact = getattr(atom, "name", "") in _FACTS and len(arguments) == 1
    return take_apart(arguments[0]) if is_fact else None


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
