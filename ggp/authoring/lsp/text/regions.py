"""Cuts a text into statements, even while its parentheses are unbalanced.

A region of the text is scanned by itself: how it is cut depends on the characters from its start to
its reach and on nothing else. After an edit, only the regions whose reach it touches are cut anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from ggp.kif.tokens import TOKEN

__all__ = ["Region", "regions"]

# How far a statement that is perhaps never closed is followed beyond a parenthesis at the margin.
_LOOKAHEAD = 16_000

_BLANKS = re.compile(r"[ \t\r\n\f\v]*")
# Inside a statement, what opens a rule is told from other brackets: no statement may contain one.
_INSIDE = re.compile(r";[^\r\n]*|\((?P<rule>[ \t\r\n\f\v]*<=(?=[ \t\r\n\f\v();]|$))?|\)")


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the text, relative to its start."""

    #: Characters up to its end.
    length: int
    #: Characters from its start that decide how it is cut; more than its length.
    reach: float
    #: Where each piece begins and ends: a statement, a comment, or a stray parenthesis.
    pieces: tuple[tuple[int, int], ...]


def regions(text: str, start: int) -> Iterator[tuple[int, Region]]:
    """Yield the regions of a text from an offset outside all statements, with their starts."""
    while True:
        start = _end(_BLANKS.match(text, start))
        found = TOKEN.match(text, start)
        if found is None:
            return
        if found[0] == "(":
            region = _group(text, start)
        else:
            length = found.end() - start
            region = Region(length, length + 1, ((0, length),))
        yield start, region
        start += region.length


def _end(found: re.Match[str] | None) -> int:
    assert found is not None  # the expression matches nothing, too
    return found.end()


def _group(text: str, start: int) -> Region:
    """Cut the region that begins with an opening parenthesis."""
    depth, margins = 0, list[int]()
    stop, reach = len(text), inf
    for found in _INSIDE.finditer(text, start):
        at = found.start()
        first = text[at]
        if first == ")":
            depth -= 1
            if not depth:
                length = found.end() - start
                return Region(length, length + 1, ((0, length),))
        elif first == "(":
            if depth:
                at_margin = text[at - 1] in "\r\n"
                if found["rule"] is not None or (
                    at_margin and margins and at - margins[0] > _LOOKAHEAD
                ):
                    stop, reach = at, found.end() + 1 - start
                    break
                if at_margin:
                    margins.append(at)
            depth += 1
    pieces = tuple((a - start, b - start) for a, b in _cut(text, start, stop, margins))
    return Region(pieces[-1][1], reach, pieces)


def _cut(text: str, start: int, stop: int, margins: list[int]) -> Iterator[tuple[int, int]]:
    """Cut what is not balanced: a parenthesis at the margin begins a statement there."""
    for end in (*margins, stop):
        depth = 0
        for found in _INSIDE.finditer(text, start, end):
            if found[0][0] == ";":
                if depth:
                    continue
            elif (depth := depth + (1 if found[0] != ")" else -1)) > 0:
                continue
            else:
                depth = 0
            last = found.start() if found[0][0] == ";" else start
            yield from _piece(text, start, last)
            yield from _piece(text, last, found.end())
            start = found.end()
        yield from _piece(text, start, end)
        start = end


def _piece(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretch without the blanks around it, unless it is blank."""
    start = min(_end(_BLANKS.match(text, start)), end)
    end = start + len(text[start:end].rstrip(" \t\r\n\f\v"))
    if start < end:
        yield start, end
