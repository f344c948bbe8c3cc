"""What the bundled games are like, for a client that looks for one to learn from."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from ggp.gdl import RANDOM, Description, Relation, arguments_of
from ggp.gdl.bundled import bundled_games, introduction
from ggp.gdl.rules import Rule
from ggp.kif import Compound, Source, Symbol
from ggp.match import draw

__all__ = ["bundled", "is_simultaneous"]

_ROW = re.compile(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", re.MULTILINE)


@cache
def bundled() -> dict[str, dict[str, Any]]:
    """Return the bundled games by name: what each shows, its roles, and what it is like."""
    paths = bundled_games()
    shown = dict(_ROW.findall((paths[0].parent / "README.md").read_text(encoding="utf-8")))
    return {path.stem: _described(path, shown.get(path.stem, "")) for path in paths}


def _described(path: Path, shown: str) -> dict[str, Any]:
    source = Source.read(path)
    description = Description.from_text(source)
    return {
        "shows": shown or introduction(source.text)[1],
        "roles": [str(role) for role in description.roles],
        **({"moves": forms} if (forms := _forms(description)) else {}),
        "lines": source.text.count("\n"),
        "board": draw((), description.domains.facts) is not None,
        "simultaneous": is_simultaneous(description),
        "hidden": description.has_imperfect_information,
    }


def _forms(description: Description) -> list[str]:
    """Return the forms of the moves, with `?` for each argument, such as ``(mark ? ?)``.

    There are none where each move stands as a fact of its own, such as ``(direction north)``.
    """
    relations = (Relation("legal", 2), Relation("input", 2))
    rules = (rule for each in relations for rule in description.by_relation.get(each, ()))
    forms = set()
    for rule in rules:
        move = arguments_of(rule.head)[1]
        if isinstance(move, Compound):
            forms.add(f"({' '.join([str(move.name), *'?' * len(move.arguments)])})")
        elif not move.is_variable:
            forms.add(str(move))
    return sorted(forms)


def is_simultaneous(description: Description) -> bool:
    """Return whether roles seem to have a choice at the same time, by the form of the rules.

    They do not where a fact about whose turn it is, such as ``(control ?role)``, is a condition of
    all legal moves but one, such as ``noop``. Chance does not count.
    """
    roles = [role for role in description.roles if role.text.lower() != RANDOM]
    rules = description.by_relation.get(Relation("legal", 2), ())
    moves = {
        arguments_of(rule.head)[1]
        for rule in rules
        if str(arguments_of(rule.head)[0]).lower() != RANDOM and not _is_in_turn(rule)
    }
    is_one = all(isinstance(move, Symbol) and not move.is_variable for move in moves)
    return len(roles) > 1 and not (is_one and len(moves) <= 1)


def _is_in_turn(rule: Rule) -> bool:
    role = arguments_of(rule.head)[0]
    facts = (
        literal.atom.arguments[0]
        for literal in rule.body
        if literal.positive and isinstance(literal.atom, Compound) and literal.atom.name == "true"
    )
    return any(isinstance(fact, Compound) and fact.arguments == (role,) for fact in facts)
