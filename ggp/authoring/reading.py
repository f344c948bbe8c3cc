"""Reads a rulesheet with its comments and blank lines, which `ggp.kif.parse` leaves out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from ggp.errors import KifError
from ggp.kif import MAX_DEPTH, MAX_LENGTH, Source, parse

__all__ = ["Comment", "Compound", "Node", "Paragraphs", "read"]

_STACKED = frozenset({"<=", "or", "and"})

_BLANK = " \t\r\n\f\v"

# A token with the blanks before it. The characters are those of `ggp/kif/grammar.lark`.
_TOKEN = re.compile(
    r"([ \t\r\n\f\v]*)([()]|;[^\r\n]*|[^ \t\r\n\f\v();\x00-\x1f\x7f-\x9f\ud800-\udfff]+)"
)


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
    if len(source.text) > MAX_LENGTH or sum(len(b) + len(token) for b, token in tokens) < len(text):
        _refuse(source)
    outside: Paragraphs = []
    # The compounds that are open, and the line breaks before the outermost of them.
    stack: list[Compound] = []
    breaks_outside = 0

    def add(node: Node, breaks: int) -> None:
        if stack:
            stack[-1].items.append(node)
        else:
            outside.append((breaks, node))

    def is_after_comment() -> bool:
        siblings = stack[-1].items if stack else [node for _, node in outside[-1:]]
        return bool(siblings) and isinstance(siblings[-1], Comment)

    for blanks, token in tokens:
        breaks = max(blanks.count("\n"), blanks.count("\r")) if blanks else 0
        if token == "(":
            if not stack:
                breaks_outside = breaks
            stack.append(Compound([]))
            if len(stack) > MAX_DEPTH:
                _refuse(source)
        elif token == ")":
            if not stack:
                _refuse(source)
            closed = stack.pop()
            moved = _close(closed)
            add(closed, breaks_outside)
            if moved is not None:
                add(moved, 0)
        elif token[0] == ";":
            own_line = breaks > 0 or is_after_comment()
            add(Comment(token.rstrip(_BLANK), own_line), breaks)
        else:
            add(token, breaks)
    if stack:
        _refuse(source)
    return outside


def _close(compound: Compound) -> Comment | None:
    """Complete a compound; return the comment that moves behind its closing parenthesis."""
    items = compound.items
    last = items[-1] if items else None
    moved = None
    if isinstance(last, Comment) and not last.own_line:
        moved = last
        items.pop()
    parts = [item.flat if isinstance(item, Compound) else item for item in items]
    if not (len(items) > 2 and compound.is_stacked):
        texts = [part for part in parts if isinstance(part, str)]
        compound.flat = f"({' '.join(texts)})" if len(texts) == len(parts) else None
    return moved


def _refuse(source: Source) -> NoReturn:
    """Raise the error that `parse` raises for the same text."""
    parse(source)
    raise KifError("this text cannot be read", span=source.span(None))
