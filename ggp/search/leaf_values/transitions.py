"""One step of a game as a logic program: any state, any joint move in it, and the state after.

The rules come as a circuit (`ggp.reasoner.compiled`); each of its gates becomes a rule for clingo.
An answer set is a state before, not terminal, with a legal move for each role, and what follows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from math import inf

from clingo import Backend, Control, Model

from ggp.deadline import TimeUp
from ggp.reasoner.compiled import Circuit
from ggp.search.leaf_values.gates import copier

__all__ = ["Transitions", "holds"]


def holds(model: Model, literal: int) -> bool:
    """Return whether a literal of the program holds in a model."""
    return model.is_true(abs(literal)) == (literal > 0)


class Transitions:
    """The steps from state to state that a game allows, whether reachable or not.

    A *literal* is the number of an atom of the program, or its negative.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Make the program of a circuit without loops."""
        self._control = Control(["--models=0", "--enum-mode=record", "--warn=none"])
        self._backend: Backend
        with self.adding():
            self._true = self._backend.add_atom()
            self._backend.add_rule([self._true])
            #: For each fact, the literal that tells whether it is true before, and after.
            self.before = [self.chosen() for _ in circuit.facts]
            moves = [self.chosen() for moves in circuit.moves for _ in moves]
            step = self._copy(circuit, [*self.before, *moves])
            self.after = [step(literal) for literal in circuit.next.tolist()]
            self._play(circuit, moves, step)
            look = self._copy(circuit, [*self.after, *(-self._true for _ in moves)])
            #: Whether the game is over after the step.
            self.over = look(circuit.terminal)
            #: For each role its goals after the step, each with its literal,
            self.goals = [
                [(goal, look(literal)) for goal, literal in of_role] for of_role in circuit.goals
            ]
            #: and the literal that tells whether something that is no goal holds as one.
            self.bad_goals = [look(literal) for literal in circuit.bad_goals.tolist()]

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Allow new atoms to be defined, between two searches for models."""
        with self._control.backend() as self._backend:
            yield

    def both(self, left: int, right: int) -> int:
        """Return a literal that holds when both of these do."""
        atom: int = self._backend.add_atom()
        self._backend.add_rule([atom], [left, right])
        return atom

    def any_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds when one of these does."""
        atom: int = self._backend.add_atom()
        for literal in literals:
            self._backend.add_rule([atom], [literal])
        return atom

    def at_least(self, bound: int, weights: Iterable[tuple[int, int]]) -> int:
        """Return a literal that holds when the weights of those literals that hold reach a bound.

        Weights may be negative.
        """
        positive = []
        for literal, weight in weights:
            # A negative weight where the literal holds is a positive one where it does not.
            positive.append((literal if weight > 0 else -literal, abs(weight)))
            bound -= min(weight, 0)
        atom: int = self._backend.add_atom()
        self._backend.add_weight_rule([atom], bound, positive)
        return atom

    def state_after(self, model: Model) -> frozenset[int]:
        """Return the facts, by number, that are true after the step of a model."""
        return frozenset(fact for fact, lit in enumerate(self.after) if holds(model, lit))

    def models(
        self, assumptions: Sequence[int], *, due: float = inf, patience: float = inf
    ) -> Generator[Model, None, None]:
        """Yield models in which the assumptions hold.

        A model says with `context.add_clause` what the later ones must satisfy; without that they
        differ from it in some way.

        Args:
            assumptions: literals.
            due: the time, by `time.monotonic`, at which to give up.
            patience: seconds to look for another model after one; then these are all.

        Raises:
            TimeUp: the deadline has passed, or the search was interrupted.
        """
        until = due
        with self._control.solve(assumptions=assumptions, yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                while not handle.wait(None if until == inf else max(0.0, until - time.monotonic())):
                    if (now := time.monotonic()) >= until:
                        handle.cancel()
                        if now >= due:
                            raise TimeUp
                        return
                model = handle.model()
                if model is None:
                    # what follows from there being no other model must not rest on less
                    if not handle.get().exhausted:
                        raise TimeUp
                    return
                yield model
                until = min(due, time.monotonic() + patience)

    def chosen(self) -> int:
        """Return an atom that may hold or not. Within `adding`."""
        atom: int = self._backend.add_atom()
        self._backend.add_rule([atom], choice=True)
        return atom

    def _play(self, circuit: Circuit, moves: Sequence[int], step: Callable[[int], int]) -> None:
        """Let every role do one legal move, and the game not be over before."""
        self._forbid(step(circuit.terminal))
        for move, legal in zip(moves, circuit.legal.tolist(), strict=True):
            self._forbid(move, -step(legal))
        for first, last in pairwise(accumulate(map(len, circuit.moves), initial=0)):
            of_role = [(move, 1) for move in moves[first:last]]
            self._forbid(-self.at_least(1, of_role))
            self._forbid(self.at_least(2, of_role))

    def _forbid(self, *literals: int) -> None:
        self._backend.add_rule([], literals)

    def _copy(self, circuit: Circuit, inputs: Sequence[int]) -> Callable[[int], int]:
        """Return what gives the program's literal for a literal of a copy of the circuit."""
        known = dict(enumerate(inputs, start=1))
        return self.copy(circuit.gates.tolist(), known)

    def copy(self, gates: Sequence[Sequence[int]], known: dict[int, int]) -> Callable[[int], int]:
        """Return what gives the program's literal for one of a graph. Within `adding`.

        Args:
            gates: the two input literals of each of the graph's nodes.
            known: the program's literals for the nodes without inputs, but for the constant.
        """
        known[0] = -self._true
        return copier(gates, known, both=self.both, negated=lambda literal: -literal)
