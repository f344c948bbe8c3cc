"""Whether two rules can feed each other: unification of their atoms."""

from __future__ import annotations

from collections.abc import Mapping

from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["renamed", "resolved", "unifiable", "unifier"]

# Unification of malicious terms can take exponential time, so the steps are limited.
_MAX_STEPS = 10_000


class _TooManySteps(Exception):
    """The steps have run out."""


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
    try:
        return _unified(left, renamed(right)) is not None
    except _TooManySteps:
        return True


def unifier(left: Term, right: Term) -> Mapping[Symbol, Term] | None:
    """Return values of variables that make two terms equal, for `resolved`; None if there are none.

    A variable of the same name in both is the same one. No value contains its own variable. The
    result is None where the steps run out.

    >>> from ggp.kif import parse_term
    >>> found = unifier(parse_term("(deal ?p ?card)"), parse_term("(deal north ?x)"))
    >>> str(resolved(parse_term("(hand ?p)"), found))
    '(hand north)'
    """
    try:
        return _unified(left, right, occurs_check=True)
    except _TooManySteps:
        return None


def renamed(term: Term) -> Term:
    """Return the term with a blank, which no symbol of a rulesheet has, behind its variables."""
    if isinstance(term, Symbol):
        return Symbol(f"{term.text} ") if term.is_variable else term
    return Compound(tuple(map(renamed, term.items)))


def resolved(term: Term, bound: Mapping[Symbol, Term]) -> Term:
    """Return the term with its variables replaced by their values, as far as they have any."""
    term = _walk(term, bound)
    if isinstance(term, Symbol):
        return term
    return Compound(tuple(resolved(item, bound) for item in term.items))


def _unified(left: Term, right: Term, *, occurs_check: bool = False) -> dict[Symbol, Term] | None:
    bound: dict[Symbol, Term] = {}
    pending = [(left, right)]
    for _ in range(_MAX_STEPS):
        if not pending:
            return bound
        one, other = (_walk(term, bound) for term in pending.pop())
        if one == other:
            continue
        if not (isinstance(one, Symbol) and one.is_variable):
            one, other = other, one
        if isinstance(one, Symbol) and one.is_variable:
            if occurs_check and _occurs(one, other, bound):
                return None
            bound[one] = other
        elif (
            isinstance(one, Compound)
            and isinstance(other, Compound)
            and len(one.items) == len(other.items)
        ):
            pending.extend(zip(one.items, other.items, strict=True))
        else:
            return None
    raise _TooManySteps


def _occurs(variable: Symbol, term: Term, bound: Mapping[Symbol, Term]) -> bool:
    """Return whether a term has a variable in it, as far as variables have values."""
    pending, met = [term], set[Symbol]()
    while pending:
        item = _walk(pending.pop(), bound)
        if item == variable:
            return True
        for inside in variables(item):
            if inside not in met:
                met.add(inside)
                pending.append(inside)
    return False


def _walk(term: Term, bound: Mapping[Symbol, Term]) -> Term:
    while isinstance(term, Symbol) and term in bound:
        term = bound[term]
    return term
