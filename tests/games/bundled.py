"""The bundled games, with what each declares by `base` and `input`."""

from __future__ import annotations

import re
from pathlib import Path

from ggp.gdl import Description
from ggp.kif import Compound, Symbol, Term
from ggp.reasoner import open_reasoner

FOLDER = Path(__file__).parents[2] / "games"
NAMES = sorted(path.stem for path in FOLDER.glob("*.kif"))


def load(name: str) -> Description:
    return Description.load(FOLDER / f"{name}.kif")


def readme_rows() -> dict[str, list[str]]:
    """The table of the README: for each game the cells after its name."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", text, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}


def known_sizes() -> dict[str, int]:
    """The number of reachable states of each game for which the README states one."""
    sizes = {name: cells[-1].replace(",", "") for name, cells in readme_rows().items()}
    return {name: int(size) for name, size in sizes.items() if size.isdecimal()}


def declared(description: Description) -> tuple[set[str], set[tuple[str, str]]]:
    """The facts that `base` declares, and the pairs of role and move that `input` declares.

    They are read off the initial state of another game: the same rules, where the declarations
    take the place of `init`.
    """
    terms = [term for term in map(_declaration_as_init, description.terms) if term is not None]
    with open_reasoner(Description.from_terms(terms)) as reasoner:
        found = reasoner.facts(reasoner.initial_state())
    facts, moves = set(), set()
    for term in found:
        assert isinstance(term, Compound)
        kind, *arguments = map(str, term.items)
        if kind == "base":
            facts.add(arguments[0])
        else:
            moves.add((arguments[0], arguments[1]))
    return facts, moves


def _declaration_as_init(term: Term) -> Term | None:
    if not isinstance(term, Compound):
        return term
    is_rule = term.name == "<="
    head, body = (term.items[1], term.items[2:]) if is_rule else (term, ())
    if not isinstance(head, Compound) or head.name not in {"init", "base", "input"}:
        return term
    if head.name == "init":
        return None
    init = Compound((Symbol("init"), head))
    return Compound((term.items[0], init, *body)) if is_rule else init
