"""Where a name is defined and used, and giving it another name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol.types import (
    DocumentHighlight,
    DocumentHighlightKind,
    Location,
    Position,
    PrepareRenamePlaceholder,
    TextEdit,
)

from ggp.authoring.lsp.features.ranges import range_of, symbol_at
from ggp.authoring.lsp.text.document import At, Document
from ggp.authoring.lsp.text.statement import Name
from ggp.authoring.lsp.text.words import is_keyword, is_variable
from ggp.authoring.reading import SYMBOL

__all__ = [
    "RenameRefused",
    "definitions",
    "highlights",
    "places",
    "prepare",
    "references",
    "rename",
]


class RenameRefused(Exception):
    """A name cannot be changed, or not to this one; the message says why."""


def places(document: Document, at: At) -> Iterator[At]:
    """Yield the places of the name at a place: of a variable, those in its statement."""
    if at.token.kind == "variable":
        numbers = at.placed.statement.names[at.token.name]
        return (At(at.placed, number) for number in numbers)
    return document.occurrences(at.token.name)


def definitions(document: Document, position: Position) -> list[Location]:
    """Return where the name at a position is defined.

    A relation is defined by the heads of its rules, a fact by `init`, `next` and `base`, a move by
    `legal` and `input`, a role by `role`, a variable where it first stands in its rule; any other
    constant or function where a fact first names it.
    """
    at = symbol_at(document, position)
    if at is None or at.token.kind == "keyword":
        return []
    found = list(places(document, at))
    defining = [each for each in found if each.token.defines]
    if not defining and at.token.kind != "relation":
        of_facts = (each for each in found if not each.placed.statement.is_rule)
        defining = [next(of_facts, found[0])]
    return [_location(document, each) for each in defining]


def references(document: Document, position: Position, *, declared: bool) -> list[Location]:
    """Return where the name at a position is used, and where it is defined if `declared`."""
    at = symbol_at(document, position)
    if at is None:
        return []
    return [
        _location(document, each)
        for each in places(document, at)
        if declared or not each.token.defines
    ]


def highlights(document: Document, position: Position) -> list[DocumentHighlight]:
    """Return the places of the name at a position; those that define it count as written."""
    at = symbol_at(document, position)
    if at is None:
        return []
    kinds = (DocumentHighlightKind.Read, DocumentHighlightKind.Write)
    return [
        DocumentHighlight(range_of(document, each), kinds[each.token.defines])
        for each in places(document, at)
    ]


def prepare(document: Document, position: Position) -> PrepareRenamePlaceholder:
    """Return what a rename at a position would change. Raises `RenameRefused`."""
    at = _renamable(document, position)
    return PrepareRenamePlaceholder(range=range_of(document, at), placeholder=at.token.text)


def rename(document: Document, position: Position, new: str) -> list[TextEdit]:
    """Return the edits that give the name at a position another text.

    Raises:
        RenameRefused: there is no name, or the new one would change what the rules mean.
    """
    at = _renamable(document, position)
    name = at.token.name
    if name.kind == "variable" and not new.startswith("?"):
        new = f"?{new}"
    if new == name.text:
        return []
    _check_name(new, name)
    other = Name(name.kind, new)
    if name.kind == "variable":
        if other in at.placed.statement.names:
            raise RenameRefused(f"the rule has a variable {new} already")
    elif any(use.name == other for use in document.uses):
        raise RenameRefused(f"the rules have a {name.kind} {new} already")
    return [TextEdit(range_of(document, each), new) for each in places(document, at)]


def _renamable(document: Document, position: Position) -> At:
    at = symbol_at(document, position)
    if at is None:
        raise RenameRefused("there is no name here")
    if at.token.kind == "keyword" or is_keyword(at.token.text):
        raise RenameRefused(f"`{at.token.text}` is a keyword of the language")
    if at.token.text.isdecimal():
        raise RenameRefused("a number means itself: goals are numbers")
    return at


def _check_name(new: str, name: Name) -> None:
    if not re.fullmatch(SYMBOL, new) or new == "?":
        raise RenameRefused(
            f"{new!r} is no name: "
            "it may hold no blanks, parentheses, semicolons or control characters"
        )
    if is_variable(new) and name.kind != "variable":
        raise RenameRefused(f"{new} would be a variable: a name does not begin with `?`")
    if is_keyword(new):
        raise RenameRefused(f"`{new}` is a keyword of the language")


def _location(document: Document, at: At) -> Location:
    return Location(document.uri, range_of(document, at))
