"""Random play by the circuit of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.evaluate import evaluate
from ggp.gdl import Description

__all__ = ["Walk"]


class Walk:
    """Random play by a circuit, which is the same for two circuits of a game."""

    def __init__(self, rules: str) -> None:
        self._circuit = build_circuit(Description.from_text(rules))

    def answers(self, *, steps: int) -> Iterator[tuple[list[str], *tuple[object, ...]]]:
        """Yield for each state its facts, the legal moves, the goals, and whether it is the end."""
        circuit, generator = self._circuit, Random("walk")
        first = {str(circuit.facts[fact]) for fact in circuit.initial.tolist()}
        facts = first
        for _ in range(steps):
            values = self._values(facts, [""] * len(circuit.roles))
            flat = iter(circuit.legal.tolist())
            legal = [
                sorted(str(move) for move in own if _holds(values, next(flat)))
                for own in circuit.moves
            ]
            goals = [[goal for goal, lit in own if _holds(values, lit)] for own in circuit.goals]
            yield sorted(facts), legal, goals, _holds(values, circuit.terminal)
            if not all(legal):
                facts = first
                continue
            joint = [generator.choice(moves) for moves in legal]
            values = self._values(facts, joint)
            after = zip(circuit.facts, circuit.next.tolist(), strict=True)
            facts = {str(fact) for fact, literal in after if _holds(values, literal)}

    def states(self, *, steps: int) -> list[list[str]]:
        """Return the facts of the states of random play."""
        return [facts for facts, *_ in self.answers(steps=steps)]

    def _values(self, facts: set[str], joint: Sequence[str]) -> list[int]:
        circuit = self._circuit
        inputs = [int(str(fact) in facts) for fact in circuit.facts]
        for move, own in zip(joint, circuit.moves, strict=True):
            inputs += (int(str(other) == move) for other in own)
        return evaluate(circuit.gates, circuit.loops, inputs, lanes=1)


def _holds(values: Sequence[int], literal: int) -> bool:
    return bool(values[literal >> 1] ^ literal & 1)
