"""A logic program for clingo that grows, and gates in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from clingo import Backend, Control

from ggp.compiler.circuit.aig import Aig

__all__ = ["Program", "RailGates", "Rails"]

#: Two literals of a program: that something surely holds, and that it surely does not.
Rails: TypeAlias = tuple[int, int]


class Program:
    """A program whose literals are the numbers of its atoms, or the negatives of these."""

    def __init__(self) -> None:
        """Begin with an atom that is true."""
        self.control = Control(["--models=1", "--warn=none"])
        self.atoms = 0
        self._gates: dict[tuple[int, int], int] = {}
        self._backend: Backend
        with self.adding():
            self.true = self._new()
            self._backend.add_rule([self.true])
        self.false = -self.true

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Allow rules to be added, between two searches for models."""
        with self.control.backend() as self._backend:
            self._gates.clear()
            yield

    def chosen(self) -> int:
        """Return an atom that may hold or not."""
        atom = self._new()
        self._backend.add_rule([atom], choice=True)
        return atom

    def both(self, left: int, right: int) -> int:
        """Return a literal that holds when both of these do."""
        if left == -right or self.false in (left, right):
            return self.false
        if left in (self.true, right):
            return right
        if right == self.true:
            return left
        key = (left, right) if left < right else (right, left)
        if key not in self._gates:
            self._gates[key] = atom = self._new()
            self._backend.add_rule([atom], key)
        return self._gates[key]

    def either(self, left: int, right: int) -> int:
        """Return a literal that holds when one of these does."""
        return -self.both(-left, -right)

    def any_of(self, literals: Iterable[int]) -> int:
        """Return a literal that holds when one of these does."""
        possible = {literal for literal in literals if literal != self.false}
        if self.true in possible:
            return self.true
        if len(possible) < 2:
            return possible.pop() if possible else self.false
        atom = self._new()
        for literal in possible:
            self._backend.add_rule([atom], [literal])
        return atom

    def at_least(self, number: int, literals: Iterable[int]) -> int:
        """Return a literal that holds when at least that many of these do."""
        if number <= 0:
            return self.true
        atom = self._new()
        self._backend.add_weight_rule([atom], number, [(literal, 1) for literal in literals])
        return atom

    def imply(self, literal: int, other: int) -> None:
        """Say that where one literal holds, the other does."""
        self.forbid(literal, -other)

    def forbid(self, *literals: int) -> None:
        """Say that these literals never all hold."""
        if self.false not in literals:
            self._backend.add_rule([], [one for one in literals if one != self.true])

    def _new(self) -> int:
        self.atoms += 1
        atom: int = self._backend.add_atom()
        return atom


class RailGates:
    """The rails of a graph's gates in a program, made as they are asked for."""

    def __init__(
        self,
        program: Program,
        graph: Aig,
        known: dict[int, Rails],
        *,
        outside: RailGates | None = None,
        inside: Collection[int] = (),
    ) -> None:
        """Begin with the rails of some nodes.

        Args:
            program: where the gates are made.
            graph: the graph.
            known: the rails of its inputs, and of the constant.
            outside: where the rails of other nodes are than those inside; None if there is none.
            inside: the nodes that rest on those in `known`, and they themselves.
        """
        self._program, self._graph, self._known = program, graph, known
        self._outside, self._inside = outside, inside

    def replaced(self, known: dict[int, Rails], inside: Collection[int]) -> RailGates:
        """Return the same with other rails for some nodes, and for those that rest on them."""
        return RailGates(self._program, self._graph, known, outside=self, inside=inside)

    def rails(self, literal: int) -> Rails:
        """Return the rails of a literal."""
        pending = [literal >> 1]
        while pending:
            node = pending[-1]
            if node in self._home(node):
                pending.pop()
                continue
            left, right = self._graph.left[node], self._graph.right[node]
            missing = [
                side >> 1 for side in (left, right) if side >> 1 not in self._home(side >> 1)
            ]
            pending += missing
            if not missing:
                (one, not_one), (other, not_other) = self._signed(left), self._signed(right)
                program = self._program
                made = program.both(one, other), program.either(not_one, not_other)
                self._home(node)[node] = made
        return self._signed(literal)

    def holds(self, literal: int) -> int:
        """Return the literal that tells that something surely holds."""
        return self.rails(literal)[0]

    def fails(self, literal: int) -> int:
        """Return the literal that tells that something surely does not hold."""
        return self.rails(literal)[1]

    def _home(self, node: int) -> dict[int, Rails]:
        """Return where the rails of a node are, or are to be."""
        if self._outside is None or node in self._inside:
            return self._known
        return self._outside._home(node)

    def _signed(self, literal: int) -> Rails:
        holds, fails = self._home(literal >> 1)[literal >> 1]
        return (fails, holds) if literal & 1 else (holds, fails)
