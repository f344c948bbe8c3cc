"""Unification and matching that give the bindings, with bounds that keep hostile input harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ggp.gdl.rules import Literal, Rule
from ggp.kif import Compound, Symbol, Term, is_ground

__all__ = ["Bindings", "Exhausted", "Steps", "ground", "instance", "match", "resolved", "unify"]

Bindings: TypeAlias = Mapping[Symbol, Term]

_MAX_STEPS = 10_000  # of one unification
_MAX_DEPTH = 10  # of an instance's arguments
_MAX_SIZE = 200  # of an instance's atom, in symbols


class Exhausted(Exception):
    """A bounded computation has used all its steps."""


@dataclass
class Steps:
    """How many steps a computation may still take."""

    left: int

    def take(self, count: int = 1) -> None:
        """Use up steps. Raises `Exhausted`."""
        self.left -= count
        if self.left < 0:
            raise Exhausted


def unify(left: Term, right: Term, steps: Steps) -> dict[Symbol, Term] | None:
    """Return the bindings under which two atoms without common variables are equal, else None.

    Where that takes long, as only malicious atoms do, unification stops early: the bindings are
    then necessary, but not sufficient.

    Raises:
        Exhausted: the steps are used up.
    """
    own = Steps(_MAX_STEPS)
    bindings: dict[Symbol, Term] = {}
    try:
        found = _unify(left, right, bindings, own)
    except Exhausted:
        found = True
    steps.take(_MAX_STEPS - max(0, own.left))
    return bindings if found else None


def _unify(left: Term, right: Term, bindings: dict[Symbol, Term], steps: Steps) -> bool:
    pending = [(left, right)]
    while pending:
        steps.take()
        one, other = (_walk(term, bindings) for term in pending.pop())
        if isinstance(one, Compound) and isinstance(other, Compound):
            if len(one.items) != len(other.items):
                return False
            pending.extend(zip(one.items, other.items, strict=True))
            continue
        if isinstance(other, Symbol) and other.is_variable:
            one, other = other, one
        if isinstance(one, Symbol) and one.is_variable:
            if one != other:
                if _occurs(one, other, bindings, steps):
                    return False
                bindings[one] = other
        elif one != other:
            return False
    return True


def _occurs(variable: Symbol, term: Term, bindings: Bindings, steps: Steps) -> bool:
    pending = [term]
    while pending:
        term = _walk(pending.pop(), bindings)
        if isinstance(term, Compound):
            steps.take(len(term.items))
            pending.extend(term.items)
        elif term == variable:
            return True
    return False


def _walk(term: Term, bindings: Bindings) -> Term:
    while isinstance(term, Symbol) and term in bindings:
        term = bindings[term]
    return term


def resolved(term: Term, bindings: Bindings) -> Term:
    """Return the term with its variables replaced, and those of what replaces them."""
    term = _walk(term, bindings)
    if isinstance(term, Symbol) or is_ground(term):
        return term
    return Compound(tuple(resolved(item, bindings) for item in term.items))


def match(pattern: Term, value: Term, bindings: Bindings) -> dict[Symbol, Term] | None:
    """Return the bindings, extended so that the pattern equals a ground value, else None."""
    extended = dict(bindings)
    pending = [(pattern, value)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, Symbol):
            if not a.is_variable:
                if a != b:
                    return None
            elif extended.setdefault(a, b) != b:
                return None
        elif isinstance(b, Symbol) or len(a.items) != len(b.items):
            return None
        else:
            pending.extend(zip(a.items, b.items, strict=True))
    return extended


def ground(term: Term, bindings: Bindings) -> Term:
    """Replace variables by their ground values."""
    if isinstance(term, Symbol):
        return bindings.get(term, term) if term.is_variable else term
    return Compound(tuple(ground(item, bindings) for item in term.items), term.position)


def instance(rule: Rule, bindings: Bindings, *, prefix: str) -> Rule:
    """Apply bindings to a rule and name its variables by number, in order of appearance.

    Where an argument grows too deep or an atom too large, a fresh variable takes the place of the
    inner term: the result is then more general than the instance, and there are finitely many.
    """
    naming = _Naming(bindings, prefix)
    body = tuple(Literal(naming.atom(lit.atom), lit.positive) for lit in rule.body)
    return Rule(naming.atom(rule.head), body, rule.source)


@dataclass
class _Naming:
    bindings: Bindings
    prefix: str
    names: dict[Symbol, Symbol] = field(default_factory=dict)
    count: int = 0
    size: int = 0

    def atom(self, atom: Term) -> Term:
        self.size = 0
        return self._term(atom, 0)

    def _term(self, term: Term, depth: int) -> Term:
        term = _walk(term, self.bindings)
        self.size += 1
        if isinstance(term, Symbol):
            if not term.is_variable:
                return term
            if term not in self.names:
                self.names[term] = self._fresh()
            return self.names[term]
        if depth > _MAX_DEPTH or self.size > _MAX_SIZE:
            return self._fresh()
        return Compound(tuple(self._term(i, depth + 1) for i in term.items), term.position)

    def _fresh(self) -> Symbol:
        self.count += 1
        return Symbol(f"{self.prefix}{self.count}")
