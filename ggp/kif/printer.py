"""Writes KIF: one blank between tokens, none inside parentheses; `pretty` breaks long rules."""

from __future__ import annotations

from collections.abc import Iterable

from ggp.kif.terms import Compound, Term

__all__ = ["pretty", "to_kif"]


def to_kif(terms: Iterable[Term]) -> str:
    """Return the terms, one a line, so that `parse` reads the same terms back."""
    return "".join(f"{term}\n" for term in terms)


def pretty(terms: Iterable[Term], *, width: int = 100) -> str:
    """Return the terms as a person would lay them out: a rule's conditions on lines of their own.

    `parse` reads the same terms back.
    """
    return "".join(f"{_layout(term, width)}\n" for term in terms)


def _layout(term: Term, width: int) -> str:
    text = str(term)
    if len(text) <= width or not isinstance(term, Compound) or term.name != "<=":
        return text
    return "(<= " + "\n    ".join(map(str, term.arguments)) + ")"
