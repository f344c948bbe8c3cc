"""The lines of a text: from an offset to line and column, and back."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from ggp.kif.terms import Position, Symbol, Term
from ggp.kif.tokens import closing

__all__ = ["Lines"]


class Lines:
    r"""Where the lines of a text begin.

    >>> from ggp.kif import parse
    >>> text = "(role x)\n(init\n  (p x)) ; (done)"
    >>> Lines(text).end(parse(text)[1])
    Position(line=3, column=9)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def __len__(self) -> int:
        """Return how many lines there are: one more than there are line ends."""
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        """Return a line by its number, from 1, without its end; empty where there is none."""
        return self._lines[number - 1].rstrip("\r") if number <= len(self._lines) else ""

    def offset(self, position: Position) -> int:
        """Return the offset of a character of the text, given its line and column."""
        return self._starts[position.line - 1] + position.column - 1

    def position(self, offset: int) -> Position:
        """Return the line and column of a character of the text, or of its end."""
        line = bisect_right(self._starts, offset, hi=len(self._lines))
        return Position(line, offset - self._starts[line - 1] + 1)

    def end(self, term: Term) -> Position:
        """Return the position after the last character of a term that was read from this text.

        The parser does not note it: few terms are ever asked for their end.
        """
        assert term.position is not None  # it was read from a text
        start = self.offset(term.position)
        if isinstance(term, Symbol):
            # A checker may show a keyword in lower case; its length is the same.
            return self.position(start + len(term.text))
        end = closing(self.text, start)
        return self.position(len(self.text) if end is None else end)

    def slice(self, start: Position, end: Position) -> str:
        """Return the text from one position to another."""
        return self.text[self.offset(start) : self.offset(end)]
