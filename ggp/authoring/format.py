"""One layout for rulesheets: the meaning stays as it is, and so does every comment."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from ggp.authoring.reading import Comment, Compound, Node, Paragraphs, read
from ggp.gdl.outer import blank_outer_parentheses
from ggp.kif import Source

__all__ = ["WIDTH", "format_rules"]

#: Characters of a line that code is broken to keep to.
WIDTH = 100

_INDENT = 4


def format_rules(source: Source | str, *, width: int = WIDTH) -> str:
    r"""Return a rulesheet in the one layout of rulesheets.

    A rule has its head in the first line and each condition in a line of its own, and so has an
    `or` its alternatives. Facts that share a line still do; if they are too many, in lines that are
    about as long. Everything else follows from the terms: blanks, indentation, line breaks in long
    terms. Terms, their order and the comments stay. Blank lines between paragraphs stay, at most
    one. The lines end as the first line does: with "\n" or "\r\n". One pair of parentheses around
    the whole rulesheet, as in a START message, goes. A text in this layout is returned as it is.

    Args:
        source: the text.
        width: characters that a line may have, where code can be broken and comments aside.

    Raises:
        KifError: as `ggp.kif.parse`.

    Examples:
        >>> rules = "( legal  x noop ) ; always\n(<= terminal (true (step 9))(not open))"
        >>> print(format_rules(rules))
        (legal x noop) ; always
        (<= terminal
            (true (step 9))
            (not open))
        <BLANKLINE>
    """
    if isinstance(source, str):
        source = Source(source)
    page = _Page(width)
    page.add_all(read(blank_outer_parentheses(source) or source))
    before, line_break, _ = source.text.partition("\n")
    return page.text("\r\n" if line_break and before.endswith("\r") else "\n")


class _Page:
    """The lines written so far. Each has code, a comment behind it, or both."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._code = [""]
        self._comments = [""]

    def text(self, line_end: str) -> str:
        """Return all lines, with the comments of consecutive lines below each other."""
        lines: list[str] = []
        rows = zip(self._code, self._comments, strict=True)
        for has_both, group in groupby(rows, key=lambda row: bool(row[0].strip() and row[1])):
            run = list(group)
            column = self._comment_column(run) if has_both else 0
            for code, comment in run:
                gap = " " * max(1, column - len(code)) if has_both else ""
                lines.append(code + gap + comment)
        return "".join(line + line_end for line in lines) if lines != [""] else ""

    def _comment_column(self, run: list[tuple[str, str]]) -> int:
        """Return where the comments of a run begin; 0 where one below the other is too wide."""
        column = max(len(code) for code, _ in run) + 1
        is_wider = any(
            column + len(comment) > self._width >= len(code) + 1 + len(comment)
            for code, comment in run
        )
        return 0 if is_wider else column

    def add_all(self, paragraphs: Paragraphs) -> None:
        """Write everything that stands outside all parentheses."""
        is_row = False
        starts = _row_starts(paragraphs, self._width)
        for number, (breaks, node) in enumerate(paragraphs):
            if number and breaks > 1:
                self._new_line(0)
            if isinstance(node, Comment):
                if node.own_line and number:
                    self._new_line(0)
                self._comments[-1] = node.text
                continue
            follows = is_row and not (breaks or self._is_closed or number in starts)
            if follows and self._fits(1 + _size(node)):
                self._put(" ")
            elif number:
                self._new_line(0)
            is_row = self._fits(_size(node))
            self._add(node, 0)

    def _add(self, node: str | Compound, tail: int) -> None:
        """Write a term. `tail` parentheses close behind it."""
        if isinstance(node, str):
            self._put(node)
        elif node.flat is not None and self._fits(len(node.flat) + tail):
            self._put(node.flat)
        else:
            self._add_broken(node, tail)

    def _add_broken(self, compound: Compound, tail: int) -> None:
        # Deep nesting must not make the text much longer than it was.
        indent = min(len(self._code[-1]) + _INDENT, self._width // 2)
        self._put("(")
        placed = 0
        for number, item in enumerate(compound.items, 1):
            if isinstance(item, Comment):
                if item.own_line:
                    self._new_line(indent)
                self._comments[-1] = item.text
                continue
            behind = tail + 1 if number == len(compound.items) else 0
            if self._is_closed:
                self._new_line(indent)
            elif placed and (
                (placed == 1 and (compound.is_stacked or isinstance(item, Compound)))
                or (not compound.is_stacked and self._fits(1 + _size(item) + behind))
            ):
                self._put(" ")
            elif placed:
                self._new_line(indent)
            self._add(item, behind)
            placed += 1
        if self._is_closed:
            self._new_line(indent - _INDENT)
        self._put(")")

    def _put(self, code: str) -> None:
        self._code[-1] += code

    def _new_line(self, indent: int) -> None:
        self._code.append(" " * indent)
        self._comments.append("")

    def _fits(self, size: float) -> bool:
        return len(self._code[-1]) + size <= self._width

    @property
    def _is_closed(self) -> bool:
        """Whether the line has its comment, so that no code can follow in it."""
        return bool(self._comments[-1])


def _row_starts(paragraphs: Paragraphs, width: int) -> set[int]:
    """Return the terms at which rows that are too long are broken, so that lines are as even."""
    starts: set[int] = set()
    row: list[int] = []
    for number, (breaks, node) in enumerate((*paragraphs, (1, ""))):
        size = 0 if isinstance(node, Comment) else _size(node)
        if breaks or not 0 < size <= width:
            first = number - len(row)
            starts.update(first + place for place in _even_starts(row, width))
            row = []
        if 0 < size <= width:
            row.append(int(size))
    return starts


def _even_starts(sizes: Sequence[int], width: int) -> list[int]:
    """Return where lines begin: no more lines than needed, the longest as short as possible."""
    fewest = len(_packed(sizes, width))
    if fewest < 2:
        return []
    widths = range(max(sizes), width)
    enough = bisect_left(widths, True, key=lambda each: len(_packed(sizes, each)) <= fewest)
    return _packed(sizes, max(sizes) + enough)


def _packed(sizes: Sequence[int], width: int) -> list[int]:
    """Return where lines begin if each is filled before the next one."""
    starts: list[int] = []
    used = width
    for place, size in enumerate(sizes):
        used += 1 + size
        if used > width:
            starts.append(place)
            used = size
    return starts


def _size(node: Node) -> float:
    """Return the characters of a term in one line; infinity where it needs several."""
    if isinstance(node, str):
        return len(node)
    flat = node.flat if isinstance(node, Compound) else None
    return float("inf") if flat is None else len(flat)
