"""From ground rules to gates: an atom is the OR over its rules of the AND of their literals."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from ggp.errors import ReasonerError, ReasonerTimeout
from ggp.gdl import strongly_connected
from ggp.reasoner.compiled.circuit.aig import Aig
from ggp.reasoner.compiled.circuit.circuit import FALSE
from ggp.reasoner.compiled.grounding.ground_program import GroundProgram

__all__ = ["Derivation"]

# Atoms between two checks of the deadline.
_STRIDE = 1024


class Derivation:
    """The literals of a ground program's atoms, made when they are asked for."""

    def __init__(
        self, program: GroundProgram, *, aig: Aig, given: Mapping[int, int], due: float
    ) -> None:
        """Begin with the literals of the atoms that are given.

        Args:
            program: the ground rules.
            aig: where the gates go.
            given: the literals of some atoms, whatever their rules say.
            due: the time, by `time.monotonic`, at which to give up.
        """
        self._program = program
        self._aig = aig
        self._due = due
        self._literals = [-1] * (program.atoms + 1)
        for atom, literal in given.items():
            self._literals[atom] = literal
        #: The nodes of atoms that depend on themselves, each with the literal that drives it.
        self.latches: dict[int, int] = {}

    def literal(self, atom: int) -> int:
        """Return the literal of an atom. Raises `ReasonerTimeout`."""
        if self._literals[atom] < 0:
            self._derive(atom)
        return self._literals[atom]

    def check_negation(self) -> None:
        """Raise `ReasonerError` if an atom that was asked for depends on its own negation."""
        edges: dict[int, list[int]] = {}
        negative: list[tuple[int, int]] = []
        pending = [atom for atom, literal in enumerate(self._literals) if literal >= 0]
        while pending:
            atom = pending.pop()
            if atom in edges:
                continue
            below = self._program.below(atom)
            edges[atom] = list(map(abs, below))
            negative += ((atom, -signed) for signed in below if signed < 0)
            pending += edges[atom]
        component = {
            atom: number for number, atoms in enumerate(strongly_connected(edges)) for atom in atoms
        }
        if any(component[head] == component[atom] for head, atom in negative):
            raise ReasonerError("the game cannot be compiled: an atom depends on its own negation")

    def _derive(self, root: int) -> None:
        literals = self._literals
        begun: dict[int, int] = {}  # the atoms on the path, each with its latch, or FALSE
        stack = [root]
        steps = 0
        while stack:
            atom = stack[-1]
            if literals[atom] >= 0 and atom not in begun:
                stack.pop()
                continue
            if atom not in begun:
                begun[atom] = FALSE
                self._look_at_the_clock(steps)
                steps += 1
                for signed in self._program.below(atom):
                    below = abs(signed)
                    if literals[below] < 0:
                        if below in begun:
                            begun[below] = literals[below] = self._aig.free()
                        else:
                            stack.append(below)
                continue
            stack.pop()
            latch = begun.pop(atom)
            found = self._sum(self._program.bodies(atom))
            if latch:
                self.latches[latch >> 1] = found
            else:
                literals[atom] = found

    def _sum(self, bodies: Iterable[list[int]]) -> int:
        literals = self._literals
        products = [
            [literals[signed] if signed > 0 else literals[-signed] ^ 1 for signed in body]
            for body in bodies
        ]
        if len(products) == 1:
            return self._aig.conjunction(products[0])
        return self._aig.sum_of_products(products)

    def _look_at_the_clock(self, steps: int) -> None:
        if steps % _STRIDE == 0 and time.monotonic() > self._due:
            raise ReasonerTimeout("building the circuit was stopped at its time limit")
