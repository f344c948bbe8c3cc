"""What a role perceives, as facts of the state that follows.

In GDL-II a joint move has two consequences: the next state, by `next`, and what each role
perceives of it, by `sees`. Here the second becomes part of the first: for each role r that matters
a rule ``(<= (next (percept r ?p)) (sees r ?p))`` is added. So every reasoner knows what is
perceived, and code that works on states (search, playouts, machine code) needs no GDL-II.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from ggp.gdl.description import Description
from ggp.kif import Compound, Symbol, Term, symbols

__all__ = ["PerceivedGame"]

_RULE, _NEXT, _SEES, _PERCEPT = Symbol("<="), Symbol("next"), Symbol("sees"), Symbol("?percept")


@dataclass(frozen=True)
class PerceivedGame:
    """A game whose states tell what some of its roles have perceived in the last step.

    In everything else the game is as before: the same moves, ends and goals. In the initial state
    nothing was perceived.
    """

    description: Description
    #: The relation that was added; the rulesheet has no word like it.
    name: Symbol

    @classmethod
    def of(cls, description: Description, roles: Sequence[Symbol]) -> Self:
        """Return the game in which the states tell what the given roles have perceived."""
        words = {symbol.text for term in description.terms for symbol in symbols(term)}
        name = "percept"
        while name in words:
            name += "_"
        relation = Symbol(name)
        rules = (
            Compound(
                (
                    _RULE,
                    Compound((_NEXT, Compound((relation, role, _PERCEPT)))),
                    Compound((_SEES, role, _PERCEPT)),
                )
            )
            for role in roles
        )
        return cls(Description.from_terms((*description.terms, *rules)), relation)

    def percepts(self, facts: Iterable[Term], role: Symbol) -> tuple[Term, ...]:
        """Return what the role perceived in the step that led to the state of these facts."""
        return tuple(
            fact.items[2]
            for fact in facts
            if isinstance(fact, Compound) and fact.items[:2] == (self.name, role)
        )

    def own_facts(self, facts: Iterable[Term]) -> tuple[Term, ...]:
        """Return the facts that the game itself has."""
        return tuple(
            fact
            for fact in facts
            if not (isinstance(fact, Compound) and fact.items[0] == self.name)
        )
