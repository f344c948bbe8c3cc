"""Semantic tokens: the colours that depend on what a symbol is."""

from __future__ import annotations

from functools import lru_cache

from lsprotocol.types import Range, SemanticTokensEdit, SemanticTokensLegend

from ggp.authoring.lsp.features.ranges import offsets_of
from ggp.authoring.lsp.text.document import Document
from ggp.authoring.lsp.text.lines import Lines, units_of
from ggp.authoring.lsp.text.statement import Token, read_statement

__all__ = ["LEGEND", "difference", "semantic_tokens"]

#: What the numbers of token types and modifiers mean.
LEGEND = SemanticTokensLegend(
    token_types=["keyword", "function", "type", "enumMember", "variable", "number", "comment"],
    token_modifiers=["definition"],
)

_TYPES = {
    "keyword": 0,
    "relation": 1,
    "function": 2,
    "constant": 3,
    "variable": 4,
    "number": 5,
    "comment": 6,
}


def semantic_tokens(document: Document, where: Range | None = None) -> list[int]:
    """Return the tokens of the text, or of the statements in a range of it.

    Returns:
        Five integers for each token, as the protocol encodes them: lines and columns count from
        the token before.
    """
    lines = document.lines
    span = offsets_of(document, where) if where else (0, None)
    data: list[int] = []
    line = column = 0
    for placed in document.statements(*span):
        start = lines.point(placed.start)
        encoded, last_line, last_column = _encoded(placed.statement.text)
        if not encoded:
            continue
        first_line, first_column = encoded[:2]
        at_line = start.line + first_line
        at_column = first_column + (0 if first_line else start.character)
        data.append(at_line - line)
        data.append(at_column - (column if at_line == line else 0))
        data.extend(encoded[2:])
        line = start.line + last_line
        column = last_column + (0 if last_line else start.character)
    return data


def difference(old: list[int], new: list[int]) -> list[SemanticTokensEdit]:
    """Return the edits that turn one list of tokens into another: one, or none."""
    if old == new:
        return []
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return [
        SemanticTokensEdit(
            start=head,
            delete_count=len(old) - head - tail,
            data=new[head : len(new) - tail],
        )
    ]


def _common(one: list[int], other: list[int]) -> int:
    """Return how many items two lists have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=50_000)
def _encoded(text: str) -> tuple[tuple[int, ...], int, int]:
    """Return the tokens of a statement, and the line and column of the last one.

    The first token's line and column count from the start of the statement.
    """
    lines = Lines(text)
    data: list[int] = []
    line = column = 0
    for token in read_statement(text).tokens:
        kind = _type(token)
        if kind is None:
            continue
        at = lines.point(token.start)
        data += (
            at.line - line,
            at.character - (column if at.line == line else 0),
            units_of(token.text),
            kind,
            int(token.defines),
        )
        line, column = at.line, at.character
    return tuple(data), line, column


def _type(token: Token) -> int | None:
    is_number = token.kind == "constant" and token.text.isdecimal()
    return _TYPES.get("number" if is_number else token.kind)
