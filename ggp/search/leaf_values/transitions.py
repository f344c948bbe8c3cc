"""One step of a game as a logic program: any state, any joint move in it, and the state after.

The rules come as a circuit (`ggp.compiler`); each of its gates becomes a rule for clingo.
An answer set is a state before, not terminal, with a legal move for each role, and what follows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ggp.compiler.circuit.circuit import Circuit
from ggp.search.leaf_values.program import Program

__all__ = ["Steps", "Transitions"]


class Steps(Protocol):
    """A step of a game in propositional logic. A literal is a number; its negative is its negation.

    Attributes:
        before: for each fact, the literal that it is true before.
        after: the same, after the step.
    """

    before: list[int]
    after: list[int]

    def both(self, left: int, right: int) -> int:
        """Return a literal that holds when both of these do."""

    def any_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds when one of these does."""

    def at_least(self, bound: int, weights: Iterable[tuple[int, int]]) -> int:
        """Return a literal that holds when the weights of those that hold reach a bound."""


class Transitions(Program):
    """The steps from state to state that a game allows, whether reachable or not.

    It may stand for `Steps`.
    """

    def __init__(self, circuit: Circuit, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Make the program of a circuit without loops; `clock` is as for `Program`."""
        super().__init__(clock=clock)
        with self.adding():
            #: For each fact, the literal that tells whether it is true before, and after.
            self.before = [self.chosen() for _ in circuit.facts]
            moves = [self.chosen() for moves in circuit.moves for _ in moves]
            step = self._copy(circuit, [*self.before, *moves])
            self.after = [step(literal) for literal in circuit.next.tolist()]
            self._play(circuit, moves, step)
            legal = [step(literal) for literal in circuit.legal.tolist()]
            choosing = [
                self.at_least(2, [(literal, 1) for literal in of_role])
                for of_role in circuit.by_role(legal)
            ]
            #: Whether two roles or more have a choice before the step.
            self.several_choose = self.at_least(2, [(literal, 1) for literal in choosing])
            look = self._copy(circuit, [*self.after, *(-self.true for _ in moves)])
            #: Whether the game is over after the step.
            self.over = look(circuit.terminal)
            #: For each role its goals after the step, each with its literal,
            self.goals = [
                [(goal, look(literal)) for goal, literal in of_role] for of_role in circuit.goals
            ]
            #: and the literal that tells whether something that is no goal holds as one.
            self.bad_goals = [look(literal) for literal in circuit.bad_goals.tolist()]

    def _play(self, circuit: Circuit, moves: Sequence[int], step: Callable[[int], int]) -> None:
        """Let every role do one legal move, and the game not be over before."""
        self.forbid(step(circuit.terminal))
        for move, legal in zip(moves, circuit.legal.tolist(), strict=True):
            self.forbid(move, -step(legal))
        for of_role in circuit.by_role(moves):
            weights = [(move, 1) for move in of_role]
            self.forbid(-self.at_least(1, weights))
            self.forbid(self.at_least(2, weights))

    def _copy(self, circuit: Circuit, inputs: Sequence[int]) -> Callable[[int], int]:
        """Return what gives the program's literal for a literal of a copy of the circuit."""
        known = dict(enumerate(inputs, start=1))
        return self.copy(circuit.gates.tolist(), known)
