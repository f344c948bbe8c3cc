"""Propositional programs for clingo: atoms, gates, and the search for models."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf

from clingo import Backend, Control, Model

from ggp.deadline import TimeUp
from ggp.search.leaf_values.gates import copier

__all__ = ["Program", "holds"]


def holds(model: Model, literal: int) -> bool:
    """Return whether a literal of the program holds in a model."""
    return model.is_true(abs(literal)) == (literal > 0)


class Program:
    """Atoms and gates over them.

    A *literal* is the number of an atom of the program, or its negative.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with an atom that always holds.

        Args:
            clock: returns the time in seconds by which searches for models end.
        """
        self.clock = clock
        self._control = Control(["--models=0", "--enum-mode=record", "--warn=none"])
        self._backend: Backend
        with self.adding():
            #: The literal that always holds.
            self.true = self._backend.add_atom()
            self._backend.add_rule([self.true])

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

    def models(
        self, assumptions: Sequence[int], *, due: float = inf, patience: float = inf
    ) -> Generator[Model, None, None]:
        """Yield models in which the assumptions hold.

        A model says with `context.add_clause` what the later ones must satisfy; without that they
        differ from it in some way.

        Args:
            assumptions: literals.
            due: the time, by the program's clock, at which to give up.
            patience: seconds to look for another model after one; then these are all.

        Raises:
            TimeUp: the deadline has passed, or the search was interrupted.
        """
        until = due
        with self._control.solve(assumptions=assumptions, yield_=True, async_=True) as handle:
            while True:
                handle.resume()
                while not handle.wait(None if until == inf else max(0.0, until - self.clock())):
                    if (now := self.clock()) >= until:
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
                until = min(due, self.clock() + patience)

    def chosen(self) -> int:
        """Return an atom that may hold or not. Within `adding`."""
        atom: int = self._backend.add_atom()
        self._backend.add_rule([atom], choice=True)
        return atom

    def copy(self, gates: Sequence[Sequence[int]], known: dict[int, int]) -> Callable[[int], int]:
        """Return what gives the program's literal for one of a graph. Within `adding`.

        Args:
            gates: the two input literals of each of the graph's nodes.
            known: the program's literals for the nodes without inputs, but for the constant.
        """
        known[0] = -self.true
        return copier(gates, known, both=self.both, negated=lambda literal: -literal)

    def forbid(self, *literals: int) -> None:
        """Let these literals not hold together. Within `adding`."""
        self._backend.add_rule([], literals)
