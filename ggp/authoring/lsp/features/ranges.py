"""Between the editor's positions and the offsets of a text."""

from __future__ import annotations

from lsprotocol.types import Position, Range

from ggp.authoring.lsp.text.document import At, Document

__all__ = ["offset_of", "offsets_of", "range_between", "range_of", "symbol_at"]


def offset_of(document: Document, position: Position) -> int:
    """Return the offset of a position; one beyond a line or the text counts as its end."""
    return document.lines.offset(position.line, position.character)


def offsets_of(document: Document, where: Range) -> tuple[int, int]:
    """Return the offsets of both ends of a range, the smaller one first."""
    start, end = offset_of(document, where.start), offset_of(document, where.end)
    return min(start, end), max(start, end)


def range_between(document: Document, start: int, end: int) -> Range:
    """Return the range between two offsets."""
    lines = document.lines
    return Range(Position(*lines.point(start)), Position(*lines.point(end)))


def range_of(document: Document, at: At) -> Range:
    """Return the range of a token."""
    return range_between(document, at.start, at.end)


def symbol_at(document: Document, position: Position) -> At | None:
    """Return the symbol at a position, or right before it."""
    return document.symbol_at(offset_of(document, position))
