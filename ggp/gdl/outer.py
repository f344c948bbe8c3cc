"""A rulesheet in one outer pair of parentheses, which is how a START message holds the rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ggp.errors import KifError
from ggp.kif import Compound, Lines, Source, Term, parse

__all__ = ["blank_outer_parentheses", "without_outer_parentheses"]

#: How such a text begins: with two parentheses, after blanks and comments.
_BEGINNING = re.compile(r"\s*(?:;[^\r\n]*[\r\n]\s*)*\(\s*(?:;[^\r\n]*[\r\n]\s*)*\(")


def without_outer_parentheses(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the statements inside the outer pair; the terms themselves where there is none.

    >>> [str(term) for term in without_outer_parentheses(parse("((role x) (init p))"))]
    ['(role x)', '(init p)']
    """
    match terms:
        case [Compound(items=(Compound(), *_) as inner)]:
            return without_outer_parentheses(inner)
    return tuple(terms)


def blank_outer_parentheses(source: Source) -> Source | None:
    """Return the text with blanks for the outer pair, so that all else keeps its place.

    Returns None where there is no such pair, or the text cannot be parsed.
    """
    if not _BEGINNING.match(source.text):
        return None
    try:
        terms = parse(source)
    except KifError:
        return None
    if without_outer_parentheses(terms) == terms:
        return None
    lines = Lines(source.text)
    outer = terms[0]
    assert outer.position is not None  # it was read from this text
    start, end = lines.offset(outer.position), lines.offset(lines.end(outer))
    inner = source.text[start + 1 : end - 1]
    blank = Source(
        f"{source.text[:start]} {inner} {source.text[end:]}", source.name, source.encoding
    )
    return blank_outer_parentheses(blank) or blank
