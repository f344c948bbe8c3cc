"""Whether two rules can feed each other: unification of their atoms."""

from __future__ import annotations

from ggp.kif import Compound, Symbol, Term

__all__ = ["unifiable"]

# Unification of malicious terms can take exponential time, so the steps are limited.
_MAX_STEPS = 10_000


def unifiable(left: Term, right: Term) -> bool:
    """Return whether atoms of different rules have a common instance.

    Variables of the same name in both atoms are different ones. There is no occurs check, as in
    Prolog. The result is True where the steps run out.

    >>> from ggp.kif import parse_term
    >>> unifiable(parse_term("(goal ?x 100)"), parse_term("(goal white ?x)"))
    True
    >>> unifiable(parse_term("(goal ?x 100)"), parse_term("(goal ?x 0)"))
    False
    """
    bound: dict[Symbol, Term] = {}
    pending = [(left, _rename(right))]
    for _ in range(_MAX_STEPS):
        if not pending:
            return True
        one, other = (_walk(term, bound) for term in pending.pop())
        if one == other:
            continue
        if isinstance(one, Symbol) and one.is_variable:
            bound[one] = other
        elif isinstance(other, Symbol) and other.is_variable:
            bound[other] = one
        elif (
            isinstance(one, Compound)
            and isinstance(other, Compound)
            and len(one.items) == len(other.items)
        ):
            pending.extend(zip(one.items, other.items, strict=True))
        else:
            return False
    return True


def _rename(term: Term) -> Term:
    """Return the term with a blank, which no symbol of a rulesheet has, behind its variables."""
    if isinstance(term, Symbol):
        return Symbol(f"{term.text} ") if term.is_variable else term
    return Compound(tuple(map(_rename, term.items)))


def _walk(term: Term, bound: dict[Symbol, Term]) -> Term:
    while isinstance(term, Symbol) and term in bound:
        term = bound[term]
    return term
