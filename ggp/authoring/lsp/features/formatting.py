"""The one layout of rulesheets, for a whole text or a part of it."""

from __future__ import annotations

from lsprotocol.types import Range, TextEdit

from ggp.authoring.format import format_rules
from ggp.authoring.lsp.features.ranges import offsets_of, range_between
from ggp.authoring.lsp.text.document import Document

__all__ = ["stretch", "tidied"]


def stretch(document: Document, where: Range | None) -> tuple[int, int]:
    """Return the offsets of whole lines that hold whole statements and a range; or of all."""
    if where is None:
        return 0, len(document.text)
    start, end = offsets_of(document, where)
    lines = document.lines
    while True:
        before = (start, end)
        touched = list(document.statements(start, end))
        if touched:
            start, end = min(start, touched[0].start), max(end, touched[-1].end)
        start = lines.start(lines.point(start).line)
        last = lines.point(end).line
        end = lines.start(last) + len(lines.line(last))
        if before == (start, end):
            return before


def tidied(document: Document, start: int, end: int) -> list[TextEdit]:
    """Return the edit that lays out a stretch of the text; none where it is so already.

    Raises:
        KifError: the stretch cannot be parsed.
    """
    old = document.text[start:end]
    new = format_rules(old)
    if end < len(document.text):
        new = new.rstrip("\r\n")  # the line end behind the stretch stays
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    if head == len(old) == len(new):
        return []
    where = range_between(document, start + head, end - tail)
    return [TextEdit(where, new[head : len(new) - tail])]


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
