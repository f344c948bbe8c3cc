"""Compares a circuit with Prolog, the reference, on states of random play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.evaluate import Answer, answers
from ggp.kif import Term
from ggp.reasoner.base import Reasoner, View

__all__ = ["Sample", "difference"]


@dataclass(frozen=True, slots=True)
class Sample:
    """A state of random play, what the rules say of it, and one step from it."""

    facts: frozenset[Term]
    view: View
    #: A joint move and the facts after it; None at the end of the game.
    step: tuple[tuple[Term, ...], frozenset[Term]] | None

    @classmethod
    def of(cls, reasoner: Reasoner, *, count: int, seed: int = 0) -> list[Sample]:
        """Return the states of random play, one match after the other, until there are `count`."""
        chance, found = Random(seed), list[Sample]()
        state = first = reasoner.initial_state()
        while len(found) < count:
            facts, view = frozenset(reasoner.facts(state)), reasoner.view(state)
            if view.terminal or not all(view.legal):
                found.append(cls(facts, view, None))
                if state == first:
                    break
                state = first
                continue
            moves = tuple(chance.choice(own) for own in view.legal)
            state = reasoner.next_state(state, moves)
            found.append(cls(facts, view, (moves, frozenset(reasoner.facts(state)))))
        return found


def difference(circuit: Circuit, sample: Sequence[Sample]) -> str | None:
    """Say of what a circuit says something else than the rules in some states; None of nothing."""
    number = {fact: place for place, fact in enumerate(circuit.facts)}
    for each in sample:
        if missing := each.facts - number.keys():
            return f"has no {min(map(str, missing))}"
    states = [[number[fact] for fact in each.facts] for each in sample]
    for each, seen in zip(sample, answers(circuit, states), strict=True):
        if found := _in_view(circuit, each, seen):
            return found
    going = [
        (state, each.step)
        for state, each in zip(states, sample, strict=True)
        if each.step is not None
    ]
    moves = [
        [own.index(move) for own, move in zip(circuit.moves, made, strict=True)]
        for _, (made, _) in going
    ]
    after = answers(circuit, [state for state, _ in going], moves)
    for (_, (_, expected)), seen in zip(going, after, strict=True):
        if wrong := {circuit.facts[fact] for fact in seen.successor} ^ expected:
            return f"next {min(map(str, wrong))}"
    return None


def _in_view(circuit: Circuit, sample: Sample, seen: Answer) -> str | None:
    """Say how the view of a state differs; None if it does not."""
    view = sample.view
    if seen.terminal != view.terminal:
        return "terminal"
    for role, moves, expected, numbers in zip(
        circuit.roles, circuit.moves, view.legal, seen.legal, strict=True
    ):
        if wrong := {moves[number] for number in numbers} ^ set(expected):
            return f"legal {role} {min(map(str, wrong))}"
    if seen.goals != view.goals:
        return f"goal {seen.goals}, not {view.goals}"
    return None
