"""What a role perceives, as facts of the state that follows.

In GDL-II a joint move has two consequences: the next state, by `next`, and what each role
perceives of it, by `sees`. Here the second becomes part of the first: for each role r that matters
a rule ``(<= (next (percept r ?p)) (sees r ?p))`` is added. So every reasoner knows what is
perceived, and code that works on states (search, playouts, machine code) needs no GDL-II.

A condition ``(true ?f)`` or ``(next ?f)`` means the facts of the game itself, and no percepts: a
game may keep all facts, ``(<= (next ?f) (true ?f))``, and a role may see all that comes,
``(<= (sees ?r ?f) (role ?r) (next ?f))``. Such a condition asks for the facts by their names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ggp.gdl.description import Description
from ggp.gdl.domains import Slot
from ggp.kif import Compound, Symbol, Term, compound, symbols

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
        relation = _new_word("percept", words)
        own = {name: _new_word(f"own_{name}", words) for name in ("true", "next")}
        terms = [_asking_for_own(term, own) for term in description.terms]
        asked = {symbol.text for term in terms for symbol in symbols(term)}
        for name, word in own.items():
            if word.text in asked:
                terms += _own_facts(name, word, description.domains.facts)
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
        return cls(Description.from_terms((*terms, *rules)), relation)

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


def _new_word(word: str, words: Collection[str]) -> Symbol:
    while word in words:
        word += "_"
    return Symbol(word)


def _asking_for_own(term: Term, own: Mapping[str, Symbol]) -> Term:
    """Return a rule whose conditions ask for any fact at all by the relations of the game's own."""
    if not (isinstance(term, Compound) and term.name == "<="):
        return term
    conditions = (_condition(item, own) for item in term.items[2:])
    return Compound((*term.items[:2], *conditions), term.position)


def _condition(term: Term, own: Mapping[str, Symbol]) -> Term:
    if not isinstance(term, Compound):
        return term
    name = term.name.lower()
    if name in ("not", "or"):
        inner = (_condition(item, own) for item in term.items[1:])
        return Compound((term.items[0], *inner), term.position)
    match term.items:
        case [Compound() as only]:
            return _condition(only, own)
        case [_, Symbol(is_variable=True) as fact] if name in own:
            return Compound((own[name], fact), term.position)
    return term


def _own_facts(name: str, word: Symbol, facts: Slot) -> Iterator[Term]:
    """Yield the rules of a relation that holds what `true` or `next` does, but for percepts.

    Where the rules can give anything as a fact, they cannot be told from percepts by their names.
    """
    if facts.anything:
        yield _same(word, name, Symbol("?f"))
    for constant in sorted(facts.constants):
        yield _same(word, name, Symbol(constant))
    for function in sorted(facts.functions):
        arguments = (Symbol(f"?{number}") for number in range(function.arity))
        yield _same(word, name, compound(function.name, *arguments))


def _same(word: Symbol, name: str, fact: Term) -> Term:
    return compound("<=", Compound((word, fact)), compound(name, fact))
