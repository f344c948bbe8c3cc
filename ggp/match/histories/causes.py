"""Which moves may be the cause of what a role perceives: the rules, run backwards.

A percept is a goal. A rule whose head has a common instance with a goal makes its body the next
goals; a fact of a state is a goal about the turn before; and a `does` is what was looked for. As
conditions are dropped where they are no goals themselves, the moves that are found are a superset
of those that can be causes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ggp.gdl import Description, Literal, Relation, Rule, arguments_of
from ggp.gdl.unify import renamed, resolved, unifier
from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["Cause", "Causes"]

_TRUE, _DOES, _NEXT = Relation("true", 1), Relation("does", 2), Symbol("next")
#: A search of more goals than this is given up: what it has found by then is its result. So is a
#: goal whose terms nest deeper: a rule may call itself with larger and larger ones.
_MAX_GOALS, _MAX_DEPTH = 5_000, 30


@dataclass(frozen=True, slots=True)
class Cause:
    """A move that may be a cause; either of the two may have variables."""

    role: Term
    move: Term


class Causes:
    """Looks for causes by the rules of one game."""

    def __init__(self, description: Description) -> None:
        """Take the rules."""
        self._rules: Mapping[Relation, tuple[Rule, ...]] = description.by_relation
        self._dynamic = description.dynamic

    def of(self, facts: Iterable[tuple[int, Term]], *, earliest: int = 0) -> dict[int, list[Cause]]:
        """Return the moves of each turn that may be causes of some facts.

        Args:
            facts: each with the turn that it is a consequence of.
            earliest: the turn at which to stop; turns are counted from 0.
        """
        found: defaultdict[int, dict[Cause, None]] = defaultdict(dict)
        pending: list[tuple[int, Term]] = [(turn, Compound((_NEXT, fact))) for turn, fact in facts]
        met: set[tuple[int, Term]] = set()
        while pending and len(met) < _MAX_GOALS:
            turn, goal = pending.pop()
            goal = _with_plain_variables(goal)
            if (turn, goal) in met or not _nests(goal, _MAX_DEPTH):
                continue
            met.add((turn, goal))
            for literal in self._below(goal):
                if literal.relation == _DOES:
                    role, move = arguments_of(literal.atom)
                    found[turn][Cause(*map(_with_plain_variables, (role, move)))] = None
                elif literal.relation != _TRUE:
                    pending.append((turn, literal.atom))
                elif turn > earliest:
                    pending.append((turn - 1, Compound((_NEXT, *arguments_of(literal.atom)))))
        return {turn: list(causes) for turn, causes in found.items()}

    def _below(self, goal: Term) -> Iterator[Literal]:
        """Yield the literals on which a goal may rest, with what the goal says of them."""
        relation = Literal(goal).relation
        for rule in self._rules.get(relation, ()):
            bound = unifier(renamed(rule.head), goal)
            if bound is None:
                continue
            for literal in rule.body:
                if literal.positive and literal.relation in self._dynamic:
                    yield Literal(resolved(renamed(literal.atom), bound))


def _with_plain_variables(term: Term) -> Term:
    """Return the term with its variables numbered, so that variants of a goal are equal."""
    names = {v: Symbol(f"?{i}") for i, v in enumerate(dict.fromkeys(variables(term)))}
    return resolved(term, names) if names else term


def _nests(term: Term, depth: int) -> bool:
    """Return whether a term has no more levels than that."""
    return isinstance(term, Symbol) or (
        depth > 0 and all(_nests(item, depth - 1) for item in term.items)
    )
