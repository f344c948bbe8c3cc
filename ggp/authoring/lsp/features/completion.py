"""What an editor offers to complete a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    InsertTextFormat,
    Position,
    Range,
    TextEdit,
)

from ggp.authoring.lsp.features.ranges import offset_of, range_between
from ggp.authoring.lsp.knowledge import Knowledge
from ggp.authoring.lsp.text.document import Document, Placed
from ggp.authoring.lsp.text.statement import Kind, Token, Where
from ggp.authoring.lsp.text.words import KEYWORDS, place_after

__all__ = ["complete"]

# More are left out; the editor asks again after the next letter.
_MOST = 200

_KINDS = {
    "keyword": CompletionItemKind.Keyword,
    "relation": CompletionItemKind.Function,
    "function": CompletionItemKind.Struct,
    "constant": CompletionItemKind.EnumMember,
    "variable": CompletionItemKind.Variable,
}
_ATOMS = ("top", "head", "condition")


@dataclass(frozen=True, slots=True)
class _Offer:
    """One completion."""

    text: str
    kind: Kind
    detail: str = ""
    #: The names of its arguments; None for what is no group of its own.
    arguments: tuple[str, ...] | None = None
    #: The smaller, the further up.
    rank: int = 1


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where the cursor stands."""

    placed: Placed | None
    #: The offset at which the word begins that is being written.
    start: int
    word: str
    #: The number of the token that opens the group around it; -1 outside all groups.
    group: int
    #: Its place in that group.
    place: int
    where: Where

    @property
    def names_a_group(self) -> bool:
        """Whether the word follows an opening parenthesis."""
        return self.group >= 0 and self.place == 0


def complete(
    document: Document, knowledge: Knowledge, position: Position, *, snippets: bool
) -> CompletionList:
    """Return what can stand at a position.

    Args:
        document: the rulesheet.
        knowledge: what can stand at each place.
        position: where the cursor is.
        snippets: whether the editor takes texts with places to fill in.
    """
    offset = offset_of(document, position)
    cursor = _cursor(document, offset)
    if cursor is None:
        return CompletionList(is_incomplete=False, items=[])
    begins = cursor.word.lower()
    found: dict[tuple[str, Kind], _Offer] = {}
    for offer in _offers(document, knowledge, cursor):
        key = (offer.text, offer.kind)
        if begins in offer.text.lower() and (key not in found or offer.rank < found[key].rank):
            found[key] = offer
    order = sorted(
        found.values(),
        key=lambda o: (not o.text.lower().startswith(begins), o.rank, o.text),
    )
    where = range_between(document, cursor.start, offset)
    items = [
        _item(offer, number, where, grouped=cursor.names_a_group, snippets=snippets)
        for number, offer in enumerate(order[:_MOST])
    ]
    return CompletionList(is_incomplete=len(order) > _MOST, items=items)


def _cursor(document: Document, offset: int) -> _Cursor | None:
    """Return where the cursor stands; None inside a comment."""
    placed = document.statement_at(offset)
    if placed is None:
        return _Cursor(None, offset, "", -1, 0, "top")
    statement, inside = placed.statement, offset - placed.start
    group, place = -1, 0
    for number, token in enumerate(statement.tokens):
        if token.kind == "comment" and token.start < inside <= token.end:
            return None
        if token.end > inside or (token.is_symbol and token.end == inside):
            break
        if token.kind == "(":
            group, place = number, 0
        elif token.kind == ")":
            group = statement.tokens[token.parent].parent if token.parent >= 0 else -1
            place = statement.tokens[token.parent].place + 1 if token.parent >= 0 else 0
        elif token.is_symbol:
            place += 1
    else:
        token = Token("comment", inside, inside, "", -1, 0, "top", 0, False)
    is_word = token.is_symbol and token.start < inside <= token.end
    start = placed.start + token.start if is_word else offset
    where = _where(placed, group, place) if group >= 0 else "top"
    return _Cursor(placed, start, document.text[start:offset], group, place, where)


def _where(placed: Placed, group: int, place: int) -> Where:
    """Return what stands at a place of a group."""
    statement = placed.statement
    opening = statement.tokens[group]
    if place == 0:
        return opening.where
    if opening.where not in _ATOMS:
        return "term"
    name = statement.name_of(group)
    text = name.text.lower() if name else ""
    if text == "<=" and opening.where == "top":
        return "head" if place == 1 else "condition"
    if text in ("not", "or"):
        return "condition"
    return place_after(text, place)  # type: ignore[return-value]


def _offers(document: Document, knowledge: Knowledge, cursor: _Cursor) -> Iterator[_Offer]:
    if cursor.word.startswith("?"):
        yield from _variables(cursor)
    elif cursor.where in _ATOMS:
        yield from _keywords(cursor)
        yield from _named(document, ("relation",), cursor)
    else:
        if not cursor.names_a_group:
            yield from _variables(cursor)
            yield from _by_domain(knowledge, cursor)
        yield from _named(document, ("function", "constant"), cursor)


def _variables(cursor: _Cursor) -> Iterator[_Offer]:
    if cursor.placed is None:
        return
    start = cursor.start - cursor.placed.start
    for token in cursor.placed.statement.tokens:
        if token.kind == "variable" and token.start != start:
            yield _Offer(token.text, "variable", "variable of this rule", rank=0)


def _keywords(cursor: _Cursor) -> Iterator[_Offer]:
    for name, keyword in KEYWORDS.items():
        if cursor.where in keyword.stands:
            arguments = keyword.arguments or None
            if arguments or not cursor.names_a_group or cursor.where == "top":
                yield _Offer(name, "keyword", keyword.meaning, arguments, rank=0)


def _named(document: Document, kinds: Iterable[Kind], cursor: _Cursor) -> Iterator[_Offer]:
    """Yield the names of some kinds, at a role, fact or move only those that stand at such places.

    Those that the rules define come first. The word that is being written is none of them.
    """
    only = cursor.where if cursor.where in ("role", "fact", "move") else None
    for use, count in document.uses.items():
        if (
            use.name.kind in kinds
            and (only is None or use.where == only)
            and not (cursor.names_a_group and not use.arity)
            and not (use.name.text == cursor.word and count == 1)
        ):
            arguments = tuple(f"arg{n}" for n in range(1, use.arity + 1)) or None
            what = use.where if use.where in ("role", "fact", "move") else use.name.kind
            detail = f"{what}/{use.arity}" if use.arity else what
            rank = 2 if use.defines else 3
            yield _Offer(use.name.text, use.name.kind, detail, arguments, rank)


def _by_domain(knowledge: Knowledge, cursor: _Cursor) -> Iterator[_Offer]:
    """Yield what the rules can put at the place of the cursor."""
    if cursor.placed is None or cursor.group < 0:
        return
    name = cursor.placed.statement.name_of(cursor.group)
    if name is None or name.kind not in ("relation", "function"):
        return
    for place, values in knowledge.places.items():
        if (place.kind, place.name, place.argument) == (name.kind, name.text, cursor.place):
            for text in values.constants:
                yield _Offer(text, "constant", f"argument {cursor.place} of {name.text}")
            for text, arity in values.functions:
                arguments = tuple(f"arg{n}" for n in range(1, arity + 1))
                yield _Offer(text, "function", f"function/{arity}", arguments)


def _item(
    offer: _Offer, number: int, where: Range, *, grouped: bool, snippets: bool
) -> CompletionItem:
    parts = [_escaped(offer.text) if snippets else offer.text]
    if offer.arguments is not None and snippets:
        parts += [f"${{{n}:{_escaped(a)}}}" for n, a in enumerate(offer.arguments, start=1)]
    text = " ".join(parts)
    is_group = offer.arguments is not None and not grouped
    return CompletionItem(
        label=offer.text,
        kind=_KINDS[offer.kind],
        detail=offer.detail,
        sort_text=f"{number:04}",
        filter_text=offer.text,
        insert_text_format=InsertTextFormat.Snippet if snippets else InsertTextFormat.PlainText,
        text_edit=TextEdit(where, f"({text})" if is_group else text),
    )


def _escaped(text: str) -> str:
    """Return a text as it stands in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
