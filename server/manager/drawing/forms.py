"""Splits facts and moves into a form, which many of them share, and the values that differ."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product

from ggp.gdl import Description, Relation
from ggp.gdl.domains import Slot
from ggp.kif import Symbol, Term
from ggp.server.manager.drawing.relations import Relations

__all__ = ["declared_facts", "domain_of_facts", "name_of", "take_apart"]

#: Stands for a value in a form; no constant of KIF begins like this.
_HOLE = "?"
#: The limit on the forms of a description; a hostile one can have any number.
_MAX_FORMS = 500
_MAX_NESTING = 4
#: The facts and moves that are remembered: the same come in most states of a game.
_MAX_KEPT = 1 << 14


@lru_cache(_MAX_KEPT)
def take_apart(term: Term) -> tuple[str, tuple[str, ...]]:
    """Return the form of a term and its values, the constants inside it.

    >>> from ggp.kif import parse_term
    >>> take_apart(parse_term("(at (square 1 2) pawn)"))
    ('(at (square ? ?) ?)', ('1', '2', 'pawn'))
    """
    if isinstance(term, Symbol):
        return term.text, ()
    values: list[str] = []

    def form(part: Term) -> str:
        if isinstance(part, Symbol):
            values.append(part.text)
            return _HOLE
        inner = " ".join([part.name, *map(form, part.arguments)])
        return f"({inner})"

    return form(term), tuple(values)


def name_of(form: str) -> str:
    """Return the first word of a form, which is its name for people."""
    return form.strip("(").split(" ", maxsplit=1)[0].rstrip(")")


def domain_of_facts(
    description: Description, relations: Relations | None = None
) -> dict[str, tuple[frozenset[str], ...]]:
    """Return the possible values of each form of fact.

    The relation `base` declares them, if it exists and does not depend on the state. Otherwise they
    are the values that flow through the rules, which may be more than ever become true.

    Args:
        description: the rules.
        relations: its static relations, if they are at hand.
    """
    declared: dict[str, list[set[str]]] = {}
    for (base,) in (relations or Relations(description)).rows(Relation("base", 1)):
        form, values = take_apart(base)
        columns = declared.setdefault(form, [set() for _ in values])
        for column, value in zip(columns, values, strict=True):
            column.add(value)
    flowing = {
        form: [set(column) for column in columns]
        for form, columns in islice(_forms(description.domains.facts, 0), _MAX_FORMS)
        if all(columns)
    }
    return {
        form: tuple(map(frozenset, columns)) for form, columns in {**flowing, **declared}.items()
    }


def declared_facts(relations: Relations) -> dict[str, frozenset[tuple[str, ...]]]:
    """Return the values of each fact that `base` declares, by form; empty without `base`."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for (base,) in relations.rows(Relation("base", 1)):
        form, values = take_apart(base)
        found.setdefault(form, set()).add(values)
    return {form: frozenset(rows) for form, rows in found.items()}


def _forms(slot: Slot, nesting: int) -> Iterator[tuple[str, tuple[frozenset[str], ...]]]:
    if nesting and slot.constants:
        yield _HOLE, (frozenset(slot.constants),)
    if nesting > _MAX_NESTING:
        return
    for function, arguments in slot.functions.items():
        inside = [list(islice(_forms(each, nesting + 1), _MAX_FORMS)) for each in arguments]
        for choice in islice(product(*inside), _MAX_FORMS):
            words = " ".join([function.name, *(form for form, _ in choice)])
            yield f"({words})", tuple(column for _, columns in choice for column in columns)
