"""Finds the game's spelling of a term that came from outside.

Some managers and players write everything in upper case, others keep to the rulesheet's spelling.
"""

from __future__ import annotations

from collections.abc import Collection

from ggp.kif import Term

__all__ = ["game_spelling"]


def game_spelling(term: Term, candidates: Collection[Term]) -> Term | None:
    """Return the candidate that a term stands for, or None.

    That is the term itself if it is a candidate, else the only candidate that differs from it in
    nothing but capitals.

    Examples:
        >>> from ggp.kif import Symbol, parse_term
        >>> str(game_spelling(parse_term("(MARK 1 2)"), [parse_term("(mark 1 2)"), Symbol("noop")]))
        '(mark 1 2)'
    """
    if term in candidates:
        return term
    text = str(term).lower()
    same = [candidate for candidate in candidates if str(candidate).lower() == text]
    return same[0] if len(same) == 1 else None
