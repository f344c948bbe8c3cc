"""The shape of a rulesheet: outline, symbols, folding, and selections that grow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

from lsprotocol.types import (
    DocumentSymbol,
    FoldingRange,
    FoldingRangeKind,
    Location,
    Position,
    Range,
    SelectionRange,
    SymbolKind,
    WorkspaceSymbol,
)

from ggp.authoring.lsp.features.ranges import offset_of, range_between
from ggp.authoring.lsp.text.document import Document, Placed
from ggp.authoring.lsp.text.lines import Lines, Point
from ggp.authoring.lsp.text.statement import Statement

__all__ = [
    "counted",
    "folding_ranges",
    "heading",
    "outline",
    "selection_range",
    "workspace_symbols",
]

_SHOWN = 80
_MAX_FOUND = 200
# Selections within each other; the message nests as they do. Real games stay below 30.
_DEEPEST = 50
# Of a long run of facts, such as a table of successors, the outline shows the name only.
_MAX_FACTS = 30

_KINDS = {
    "role": SymbolKind.Class,
    "init": SymbolKind.Constructor,
    "base": SymbolKind.Property,
    "input": SymbolKind.Property,
    "next": SymbolKind.Event,
    "legal": SymbolKind.Method,
    "goal": SymbolKind.Number,
    "terminal": SymbolKind.Boolean,
    "sees": SymbolKind.Event,
}


@lru_cache(maxsize=50_000)
def heading(statement: Statement) -> str:
    """Return what a statement defines, such as `row`, `next cell` or `legal mark`; or nothing."""
    number = statement.head
    if number is None:
        return ""
    name = statement.name_of(number)
    if name is None:
        return ""
    parts = [name.text.lower() if name.kind == "keyword" else name.text]
    if name.kind == "keyword" and parts[0] != "role":
        inside = range(number + 1, statement.closing.get(number, len(statement.tokens)))
        for inner in inside:
            token = statement.tokens[inner]
            if token.parent == number and token.where in ("fact", "move"):
                named = statement.name_of(inner)
                if named is not None and named.kind in ("function", "constant"):
                    parts.append(named.text)
                break
    return " ".join(parts)


def outline(document: Document) -> list[DocumentSymbol]:
    """Return the statements, those that follow each other and define the same in one group."""
    placed = (p for p in document.statements() if heading(p.statement))
    runs = groupby(placed, key=lambda p: heading(p.statement))
    return [_group(document, name, list(run)) for name, run in runs]


def workspace_symbols(documents: Iterable[Document], query: str) -> list[WorkspaceSymbol]:
    """Return what the documents define and whose name holds the letters of a query in order."""
    found: dict[tuple[str, str], WorkspaceSymbol] = {}
    for document in documents:
        for placed in document.statements():
            name = heading(placed.statement)
            key = (document.uri, name)
            if name and key not in found and _matches(query.lower(), name.lower()):
                where = Location(document.uri, range_between(document, placed.start, placed.end))
                found[key] = WorkspaceSymbol(location=where, name=name, kind=_kind(name))
                if len(found) == _MAX_FOUND:
                    return list(found.values())
    return list(found.values())


def folding_ranges(document: Document) -> list[FoldingRange]:
    """Return what can be folded: statements, conditions of several lines, blocks of comments."""
    return [*_folded_groups(document), *_folded_comments(document)]


def selection_range(document: Document, position: Position) -> SelectionRange:
    """Return the symbol at a position, the groups around it, its statement, and the text."""
    offset = offset_of(document, position)
    spans = [(0, len(document.text))]
    placed = document.statement_at(offset)
    if placed is not None:
        spans.append((placed.start, placed.end))
        inside = offset - placed.start
        for number, token in enumerate(placed.statement.tokens):
            if token.kind == "(" and token.start <= inside <= _end(placed.statement, number):
                spans.append(
                    (placed.start + token.start, placed.start + _end(placed.statement, number))
                )
            elif token.kind != ")" and token.start <= inside <= token.end:
                spans.append((placed.start + token.start, placed.start + token.end))
    found = None
    low, high = spans[0]
    for start, end in dict.fromkeys([spans[0], *spans[-_DEEPEST:]]):
        if low <= start and end <= high:  # of two groups that meet here, the first
            found = SelectionRange(range_between(document, start, end), found)
            low, high = start, end
    assert found is not None  # the whole text is there
    return found


def counted(statements: Sequence[Statement]) -> str:
    """Return how many facts and rules there are, in words."""
    rules = sum(statement.is_rule for statement in statements)
    facts = len(statements) - rules
    parts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((facts, "fact"), (rules, "rule"))
        if count
    ]
    return ", ".join(parts) or "no rule"


def _group(document: Document, name: str, run: list[Placed]) -> DocumentSymbol:
    first = _symbol(document, run[0])
    if len(run) == 1:
        return first
    is_table = len(run) > _MAX_FACTS and not any(placed.statement.is_rule for placed in run)
    return DocumentSymbol(
        name=name,
        detail=counted([placed.statement for placed in run]),
        kind=_kind(name),
        range=range_between(document, run[0].start, run[-1].end),
        selection_range=first.selection_range,
        children=[] if is_table else [first, *(_symbol(document, each) for each in run[1:])],
    )


def _symbol(document: Document, placed: Placed) -> DocumentSymbol:
    shape = _shape(placed.statement)
    start = document.lines.point(placed.start)
    return DocumentSymbol(
        name=shape.name,
        kind=shape.kind,
        range=Range(_moved(Point(0, 0), start), _moved(shape.end, start)),
        selection_range=Range(_moved(shape.head, start), _moved(shape.head_end, start)),
    )


class _Shape(NamedTuple):
    """What the outline shows of a statement; places count from its start."""

    name: str
    kind: SymbolKind
    head: Point
    head_end: Point
    end: Point


@lru_cache(maxsize=50_000)
def _shape(statement: Statement) -> _Shape:
    number = statement.head
    assert number is not None  # it has a heading
    start, end = statement.tokens[number].start, _end(statement, number)
    text = " ".join(statement.text[start:end].split())
    lines = Lines(statement.text)
    return _Shape(
        name=text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...",
        kind=_kind(heading(statement)),
        head=lines.point(start),
        head_end=lines.point(end),
        end=lines.point(len(statement.text)),
    )


def _moved(point: Point, start: Point) -> Position:
    """Return the position of a place that counts from the start of a statement."""
    line, character = point
    return Position(start.line + line, character if line else start.character + character)


def _kind(name: str) -> SymbolKind:
    return _KINDS.get(name.partition(" ")[0], SymbolKind.Function)


def _matches(query: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in query)


def _end(statement: Statement, number: int) -> int:
    """Return where a group or symbol ends; one that is never closed ends with its statement."""
    if statement.tokens[number].kind == "(" and number not in statement.closing:
        return len(statement.text)
    return statement.end_of(number)


def _folded_groups(document: Document) -> Iterator[FoldingRange]:
    for placed in document.statements():
        folded = _folded_lines(placed.statement)
        if folded:
            first = document.lines.point(placed.start).line
            for start, end in folded:
                yield FoldingRange(start_line=first + start, end_line=first + end)


@lru_cache(maxsize=50_000)
def _folded_lines(statement: Statement) -> tuple[tuple[int, int], ...]:
    """Return the first and last line of each group of several lines, from the statement's start."""
    lines = Lines(statement.text)
    if len(lines) == 1:
        return ()
    folded: dict[int, int] = {}
    for number, token in enumerate(statement.tokens):
        if token.kind == "(":
            start = lines.point(token.start).line
            end = lines.point(_end(statement, number)).line
            if start < end:
                folded.setdefault(start, end)  # an editor folds at most one range at a line
    return tuple(folded.items())


def _folded_comments(document: Document) -> Iterator[FoldingRange]:
    """Yield the blocks of comments, those between statements and those inside them."""
    lines = document.lines
    at = 0
    while at < len(lines):
        block = list(
            takewhile(
                lambda number: lines.line(number).lstrip().startswith(";"), range(at, len(lines))
            )
        )
        if len(block) > 1:
            yield FoldingRange(
                start_line=block[0], end_line=block[-1], kind=FoldingRangeKind.Comment
            )
        at += len(block) + 1
