"""From ground rules to gates: an atom is the OR over its rules of the AND of their literals."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from ggp.compiler.circuit.components import components
from ggp.compiler.circuit.derive import Walk, derive
from ggp.compiler.circuit.gates import Graph
from ggp.compiler.circuit.sums import products
from ggp.compiler.grounding.ground_program import GroundProgram
from ggp.errors import ReasonerError, ReasonerTimeout

__all__ = ["Derivation"]

# Literals of ground rules that are read between two checks of the deadline.
_STRIDE = 1 << 20


class Derivation:
    """The literals of a ground program's atoms, made when they are asked for."""

    def __init__(
        self, program: GroundProgram, *, graph: Graph, given: Mapping[int, int], due: float
    ) -> None:
        """Begin with the literals of the atoms that are given.

        Args:
            program: the ground rules.
            graph: where the gates go.
            given: the literals of some atoms, whatever their rules say.
            due: the time, by `time.monotonic`, at which to give up.
        """
        self._program, self._graph, self._due = program, graph, due
        atoms = program.atoms
        found = np.full(atoms + 1, -1, np.int32)
        found[list(given)] = list(given.values())
        self._walk = Walk(
            program.first_rule,
            program.first_literal,
            program.literals,
            found,
            np.full(atoms + 1, -1, np.int32),
            np.empty((atoms + 1, 2), np.int32),
            np.zeros(2, np.int64),
        )
        rules = int(np.diff(program.first_rule).max(initial=0))
        factors = int(np.diff(program.first_literal[program.first_rule]).max(initial=0))
        self._products = products(rules, factors)

    @property
    def latches(self) -> dict[int, int]:
        """The nodes of atoms that depend on themselves, each with the literal that drives it."""
        return dict(self._walk.latches[: self._walk.counts[1]].tolist())

    def literals(self, atoms: Sequence[int]) -> list[int]:
        """Return the literals of atoms. Raises `ReasonerTimeout`."""
        graph, walk = self._graph, self._walk
        times = np.zeros(0, np.int32)
        # each literal of a rule is put on it at most once
        stack = np.empty(len(atoms) + len(walk.literals), np.int32)
        stack[: len(atoms)] = atoms[::-1]
        walk.counts[0] = len(atoms)
        while walk.counts[0]:
            if time.monotonic() > self._due:
                raise ReasonerTimeout("building the circuit was stopped at its time limit")
            if len(times) < 2 * len(graph.gates.left):
                times = np.zeros(2 * len(graph.gates.left), np.int32)
            graph.make_room(derive(graph.gates, walk, stack, self._products, times, _STRIDE))
        literals: list[int] = walk.found[list(atoms)].tolist()
        return literals

    def check_negation(self) -> None:
        """Raise `ReasonerError` if an atom that was asked for depends on its own negation."""
        program, found = self._program, self._walk.found
        first = program.first_literal[program.first_rule].astype(np.int64)
        component = components(first, program.literals)
        heads = np.repeat(np.arange(program.atoms + 1), np.diff(first))
        wrong = (program.literals < 0) & (component[heads] == component[np.abs(program.literals)])
        if (wrong & (found[heads] >= 0)).any():
            raise ReasonerError("the game cannot be compiled: an atom depends on its own negation")
