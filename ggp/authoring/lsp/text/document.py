"""A rulesheet that is open in an editor."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ggp.authoring.lsp.text.lines import Lines
from ggp.authoring.lsp.text.regions import Region, regions
from ggp.authoring.lsp.text.statement import Name, Statement, Token, Use, read_statement

__all__ = ["MAX_TEXT", "At", "Document", "Placed"]

#: Characters of the longest text that is understood; a longer one counts as empty.
MAX_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement at its place in the text."""

    start: int
    statement: Statement

    @property
    def end(self) -> int:
        """The offset of its end."""
        return self.start + len(self.statement.text)


@dataclass(frozen=True, slots=True)
class At:
    """A token at its place in the text."""

    placed: Placed
    number: int

    @property
    def token(self) -> Token:
        """The token, with offsets from its statement's start."""
        return self.placed.statement.tokens[self.number]

    @property
    def start(self) -> int:
        """The offset of the token in the text."""
        return self.placed.start + self.token.start

    @property
    def end(self) -> int:
        """The offset of its end."""
        return self.placed.start + self.token.end


class Document:
    """The text of a rulesheet, cut into statements; each edit reads only what it touches."""

    def __init__(self, uri: str, text: str, version: int = 0) -> None:
        """Read a text.

        Args:
            uri: how the editor names it.
            text: all of it.
            version: the editor's number of this state of the text.
        """
        self.uri = uri
        self.version = version
        self.text = ""
        self._starts: list[int] = []
        self._regions: list[Region] = []
        self._uses: Counter[Use] = Counter()
        self.edit(0, 0, text)

    @property
    def is_too_long(self) -> bool:
        """Whether the text is longer than `MAX_TEXT`."""
        return len(self.text) > MAX_TEXT

    @property
    def uses(self) -> Mapping[Use, int]:
        """The ways in which names are used, with the number of statements that do so."""
        return self._uses

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self.text)

    def statements(self, start: int = 0, end: int | None = None) -> Iterator[Placed]:
        """Yield the statements that touch a stretch of the text, in their order."""
        end = len(self.text) if end is None else end
        # The region around the offset, and one that ends right before it.
        first = max(0, bisect_right(self._starts, start) - 2)
        for number in range(first, len(self._regions)):
            at = self._starts[number]
            if at > end:
                return
            for a, b in self._regions[number].pieces:
                if at + b >= start and at + a <= end:
                    yield Placed(at + a, read_statement(self.text[at + a : at + b]))

    def statement_at(self, offset: int) -> Placed | None:
        """Return the statement around an offset, or the one before it that is still open."""
        found = list(self.statements(offset, offset))
        if found:
            return found[-1]
        region = bisect_right(self._starts, offset) - 1
        if region < 0:
            return None
        *_, last = self.statements(self._starts[region], offset)
        return last if last.statement.unclosed else None

    def symbol_at(self, offset: int) -> At | None:
        """Return the symbol at an offset, or right before it."""
        found = None
        for placed in self.statements(offset, offset):
            inside = offset - placed.start
            for number, token in enumerate(placed.statement.tokens):
                if token.start > inside:
                    break
                if inside <= token.end and token.is_symbol:
                    found = At(placed, number)
        return found

    def occurrences(self, name: Name) -> Iterator[At]:
        """Yield the places of a name in the text. A variable is looked for everywhere, too."""
        for placed in self.statements():
            for number in placed.statement.names.get(name, ()):
                yield At(placed, number)

    def edit(self, start: int, end: int, new: str) -> None:
        """Replace the characters between two offsets, and cut anew what that touches."""
        was_too_long = self.is_too_long
        old = self.text
        self.text = old[:start] + new + old[end:]
        self.__dict__.pop("lines", None)
        if self.is_too_long or was_too_long:
            self._starts, self._regions, self._uses = [], [], Counter()
            if self.is_too_long:
                return
            start = end = 0
            old = ""
        shift = len(self.text) - len(old)
        first = next(
            (
                number
                for number, (at, region) in enumerate(zip(self._starts, self._regions, strict=True))
                if at + region.reach >= start
            ),
            len(self._regions),
        )
        begin = min([start, *self._starts[first : first + 1]])
        fresh_starts: list[int] = []
        fresh: list[Region] = []
        last = len(self._regions)
        for at, region in regions(self.text, begin):
            same = bisect_left(self._starts, at - shift, lo=first)
            if at - shift >= end and self._starts[same : same + 1] == [at - shift]:
                last = same
                break
            fresh_starts.append(at)
            fresh.append(region)
        for at, region in zip(self._starts[first:last], self._regions[first:last], strict=True):
            self._count(old, at, region, -1)
        for at, region in zip(fresh_starts, fresh, strict=True):
            self._count(self.text, at, region, 1)
        self._starts[first:] = [*fresh_starts, *(at + shift for at in self._starts[last:])]
        self._regions[first:last] = fresh

    def _count(self, text: str, start: int, region: Region, step: int) -> None:
        for a, b in region.pieces:
            for use in read_statement(text[start + a : start + b]).uses:
                self._uses[use] += step
                if not self._uses[use]:
                    del self._uses[use]
