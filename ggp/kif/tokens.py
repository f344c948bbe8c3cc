"""The tokens of KIF, for what looks through a text without making terms of it."""

from __future__ import annotations

import re

__all__ = ["BRACKET", "COMMENT", "TOKEN", "closing"]

#: A comment, up to the end of its line.
COMMENT = re.compile(r";[^\r\n]*")
#: A comment or a parenthesis.
BRACKET = re.compile(rf"{COMMENT.pattern}|[()]")
#: A comment, a parenthesis, or what lies between blanks, whether it may be a symbol or not.
TOKEN = re.compile(rf"{BRACKET.pattern}|[^ \t\r\n\f\v();]+")


def closing(text: str, start: int) -> int | None:
    r"""Return where the term ends whose parenthesis opens at `start`; None if it is never closed.

    >>> closing("(p (q) ; )\n) r", 0)
    12
    """
    depth = 0
    for bracket in BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(bracket[0], 0)
        if depth == 0:
            return bracket.end()
    return None
