"""Games with a planted fault: one rule has a condition more, or one less.

Whether that is a fault is decided by random plays with Prolog, which know nothing of proofs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ggp.gdl import Description
from ggp.kif import Compound, Source, Symbol, Term, compound
from ggp.prove.claims import Place
from ggp.reasoner import Reasoner, State, open_reasoner

__all__ = ["Mutant", "faults", "mutants"]

_HEADS = ("legal", "goal", "terminal", "next")
_PLAYS, _MAX_STEPS = 30, 200


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rulesheet with a changed rule, and the line of that rule."""

    text: str
    line: int
    what: str


def mutants(description: Description, *, seed: int) -> Iterator[Mutant]:
    """Yield mutants of a game, in an order of chance."""
    chance = random.Random(seed)
    terms = description.terms
    rules = [n for n, term in enumerate(terms) if _name(term) in _HEADS]
    while True:
        number = chance.choice(rules)
        rule = terms[number]
        assert isinstance(rule, Compound)
        head, *body = rule.arguments
        if chance.random() < 0.5:
            what = "a condition more"
            body.insert(chance.randrange(len(body) + 1), _condition(description, chance))
        elif len(body) > 1:
            what = "a condition less"
            del body[chance.randrange(len(body))]
        else:
            continue
        changed = Compound((Symbol("<="), head, *body))
        lines = [str(changed if n == number else term) for n, term in enumerate(terms)]
        yield Mutant("\n".join(lines) + "\n", number + 1, f"{what}: {changed}")


def faults(text: str, places: list[Place]) -> set[str]:
    """Return the names of the questions that random plays refute.

    Args:
        text: the rules.
        places: what has one content in the game without faults.
    """
    found = set[str]()
    chance = random.Random(0)
    with open_reasoner(Description.from_text(Source(text)), kind="prolog") as reasoner:
        for _ in range(_PLAYS):
            found |= _play(reasoner, places, chance)
    return found


def _play(reasoner: Reasoner, places: list[Place], chance: random.Random) -> set[str]:
    found = set[str]()
    state = reasoner.initial_state()
    seen = set[State]()
    for _ in range(_MAX_STEPS):
        view = reasoner.view(state)
        if any(_has_two(reasoner.facts(state), place) for place in places):
            found.add("one-content")
        if view.terminal:
            return found | ({"goals"} if None in view.goals else set())
        if not all(view.legal):
            return found | {"playable"}
        if state in seen:
            return found | {"ends"}
        seen.add(state)
        state = reasoner.next_state(state, [chance.choice(moves) for moves in view.legal])
    return found


def _has_two(facts: tuple[Term, ...], place: Place) -> bool:
    rests = [
        tuple(term for number, term in enumerate(fact.arguments) if number != place.content)
        for fact in facts
        if isinstance(fact, Compound)
        and (fact.name, len(fact.arguments)) == (place.name, place.arity)
    ]
    return len(set(rests)) < len(rests)


def _condition(description: Description, chance: random.Random) -> Term:
    """Return a condition that holds at first, and perhaps not later."""
    firsts = [
        term.arguments[0]
        for term in description.terms
        if isinstance(term, Compound) and term.name == "init"
    ]
    return compound("true", chance.choice(firsts))


def _name(term: Term) -> str:
    """Return what a rule defines, and "" for what is no rule."""
    if not isinstance(term, Compound) or term.name != "<=":
        return ""
    head = term.items[1]
    return head.name if isinstance(head, Compound) else str(head)
