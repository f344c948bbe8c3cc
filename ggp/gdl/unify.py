"""Unification of atoms, for finding out which rules can feed which."""

from __future__ import annotations

from typing import TypeAlias

from ggp.kif import Compound, Symbol, Term

__all__ = ["Substitution", "rename_apart", "substitute", "unifiable", "unify"]

#: What stands for each variable; the terms may hold further variables that it binds.
Substitution: TypeAlias = dict[Symbol, Term]


def unify(left: Term, right: Term) -> Substitution | None:
    """Return the most general unifier of two terms, or None if there is none.

    A variable of the same name is the same variable: `rename_apart` one side first where they
    come from different rules. Without the occurs check, as in Prolog.

    >>> from ggp.kif import parse_term
    >>> unify(parse_term("(goal ?r 100)"), parse_term("(goal white ?g)"))
    {Symbol(text='?r'): Symbol(text='white'), Symbol(text='?g'): Symbol(text='100')}
    """
    bound: Substitution = {}
    # Without the occurs check a variable can stand for an endless term: compare no pair twice.
    compared: set[tuple[Term, Term]] = set()
    pending = [(left, right)]
    while pending:
        one, other = (_walk(term, bound) for term in pending.pop())
        if one == other or (one, other) in compared:
            continue
        compared.add((one, other))
        if isinstance(one, Symbol) and one.is_variable:
            bound[one] = other
        elif isinstance(other, Symbol) and other.is_variable:
            bound[other] = one
        elif (
            isinstance(one, Compound)
            and isinstance(other, Compound)
            and len(one.items) == len(other.items)
        ):
            pending.extend(reversed(list(zip(one.items, other.items, strict=True))))
        else:
            return None
    return bound


def unifiable(left: Term, right: Term) -> bool:
    """Return whether two atoms of different rules have a common instance."""
    return unify(left, rename_apart(right)) is not None


def rename_apart(term: Term, *, mark: str = "'") -> Term:
    """Return the term with a mark behind the name of each variable."""
    if isinstance(term, Symbol):
        return Symbol(term.text + mark, term.position) if term.is_variable else term
    items = tuple(rename_apart(item, mark=mark) for item in term.items)
    return Compound(items, term.position)


def substitute(term: Term, bound: Substitution) -> Term:
    """Return the term with its bound variables replaced, through and through."""
    if isinstance(term, Symbol):
        value = _walk(term, bound)
        return value if isinstance(value, Symbol) else substitute(value, bound)
    return Compound(tuple(substitute(item, bound) for item in term.items), term.position)


def _walk(term: Term, bound: Substitution) -> Term:
    while isinstance(term, Symbol) and term in bound:
        term = bound[term]
    return term
