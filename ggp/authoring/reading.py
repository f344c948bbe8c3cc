"""Reads a rulesheet with its comments and blank lines, which `ggp.kif.parse` leaves out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn, TypeAlias

from ggp.errors import KifError
from ggp.kif import MAX_DEPTH, MAX_LENGTH, Source, parse

__all__ = ["SYMBOL", "Comment", "Compound", "Node", "Paragraphs", "read"]

_STACKED = frozenset({"<=", "or", "and"})

_BLANK = " \t\r\n\f\v"

#: What a symbol looks like, as the grammar of `ggp.kif` has it.
SYMBOL = r"[^ \t\r\n\f\v();\x00-\x1f\x7f-\x9f\ud800-\udfff]+"

# A token with the blanks before it.
_TOKEN = re.compile(rf"([ \t\r\n\f\v]*)([()]|;[^\r\n]*|{SYMBOL})")


@dataclass(slots=True)
class Comment:
    """A comment with its semicolon, and without the blanks at its end."""

    text: str
    #: Whether nothing stands before it on its line.
    own_line: bool


@dataclass(slots=True)
class Compound:
    """What stands between two parentheses."""

    items: list[Node]
    #: The compound as one line of text; None where it takes several, for the comments inside or
    #: for what is stacked.
    flat: str | None = None

    @property
    def is_stacked(self) -> bool:
        """Whether what follows the first item stands one below the other: a rule, an `or`."""
        first = self.items[0] if self.items else None
        return isinstance(first, str) and first.lower() in _STACKED


#: A symbol is its text.
Node: TypeAlias = str | Compound | Comment

#: The nodes outside all parentheses, each with the number of line breaks before it.
Paragraphs: TypeAlias = list[tuple[int, Node]]


def read(source: Source) -> Paragraphs:
    """Read a text. A comment at the end of a compound stands behind the compound, if it can.

    Raises:
        KifError: as `ggp.kif.parse`.
    """
    text = source.text.rstrip(_BLANK)
    tokens: list[tuple[str, str]] = _TOKEN.findall(text)
    if len(source.text) > MAX_LENGTH or len("".join(chain.from_iterable(tokens))) < len(text):
        _refuse(source)
    # The compounds that are open, inside one that stands for the whole text.
    stack = [Compound([])]
    breaks: list[int] = []
    for blanks, token in tokens:
        if len(stack) == 1:
            breaks.append(_line_breaks(blanks))
        if token == "(":
            if len(stack) > MAX_DEPTH:
                _refuse(source)
            stack.append(Compound([]))
        elif token == ")":
            if len(stack) == 1:
                _refuse(source)
            closed = stack.pop()
            moved = _close(closed)
            stack[-1].items.append(closed)
            if moved is not None:
                stack[-1].items.append(moved)
                if len(stack) == 1:
                    breaks.append(0)
        elif token[0] == ";":
            items = stack[-1].items
            follows_comment = bool(items) and isinstance(items[-1], Comment)
            own_line = follows_comment or _line_breaks(blanks) > 0
            items.append(Comment(token.rstrip(_BLANK), own_line))
        else:
            stack[-1].items.append(token)
    if len(stack) > 1:
        _refuse(source)
    return list(zip(breaks, stack[0].items, strict=True))


def _line_breaks(blanks: str) -> int:
    r"""Count "\n", "\r\n" and "\r"."""
    return max(blanks.count("\n"), blanks.count("\r"))


def _close(compound: Compound) -> Comment | None:
    """Complete a compound; return the comment that moves behind its closing parenthesis."""
    items = compound.items
    moved = None
    if items and isinstance(items[-1], Comment) and not items[-1].own_line:
        moved = items[-1]
        items.pop()
    if len(items) > 2 and compound.is_stacked:
        return moved
    texts: list[str] = []
    for item in items:
        text = item if isinstance(item, str) else item.flat if isinstance(item, Compound) else None
        if text is None:
            return moved
        texts.append(text)
    compound.flat = f"({' '.join(texts)})"
    return moved


def _refuse(source: Source) -> NoReturn:
    """Raise the error that `parse` raises for the same text."""
    parse(source)
    raise KifError("this text cannot be read", span=source.span(None))
