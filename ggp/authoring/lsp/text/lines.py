"""Positions: editors count lines and UTF-16 units, Python counts characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

__all__ = ["Lines", "Point", "units_of"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_FIRST_PAIR = 0x10000  # characters from here on are two UTF-16 units


class Point(NamedTuple):
    """A place in a text as editors count: from 0, in lines and UTF-16 units."""

    line: int
    character: int


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        """Find where the lines begin. They end as the language server protocol says."""
        self._text = text
        if "\r" in text:
            self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        else:
            self._starts = _starts(text)

    def __len__(self) -> int:
        """Return how many lines there are; the last one may be empty."""
        return len(self._starts)

    def offset(self, line: int, character: int) -> int:
        """Return the offset of a place; one beyond a line or the text counts as its end."""
        if line >= len(self._starts):
            return len(self._text)
        text = self.line(line)
        if text.isascii():
            return self._starts[line] + min(character, len(text))
        units, column = 0, 0
        while column < len(text) and units < character:
            units += 2 if ord(text[column]) >= _FIRST_PAIR else 1
            column += 1
        return self._starts[line] + column

    def point(self, offset: int) -> Point:
        """Return the place of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return Point(line, units_of(self._text[self._starts[line] : offset]))

    def start(self, line: int) -> int:
        """Return the offset at which a line begins."""
        return self._starts[line]

    def line(self, number: int) -> str:
        """Return a line without its end."""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)
        return self._text[self._starts[number] : end].rstrip("\r\n")


def units_of(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return len(text) + sum(ord(character) >= _FIRST_PAIR for character in text)


def _starts(text: str) -> list[int]:
    starts, end = [0], text.find("\n")
    while end >= 0:
        starts.append(end + 1)
        end = text.find("\n", end + 1)
    return starts
