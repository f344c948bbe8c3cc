"""Proofs by induction over one step: by clingo, of its own invariants or of another engine's.

A claim is proved if the initial state does not show the opposite, and no step leads from a state
that satisfies the invariants to one that does, as in Haufe, Schiffel and Thielscher (2012)
"Automated verification of state sequence invariants in general game playing", AIJ. The invariants
are those that leaf-value tables rest on (`ggp.search.leaf_values.invariants`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ggp.prove.abc import Cube
from ggp.prove.machine import GameMachine, Machine
from ggp.prove.play.simulation import Simulator
from ggp.search.leaf_values.program import Program
from ggp.search.leaf_values.transitions import Transitions

__all__ = ["Induction", "is_invariant"]


class Induction:
    """The steps of a game, and what is asked of them."""

    def __init__(self, machine: GameMachine, transitions: Transitions) -> None:
        """Take the steps of the machine's circuit."""
        self._machine, self._made = machine, transitions
        self._gates = machine.gates
        with transitions.adding():
            self._before = self._copy(transitions.before)
            self._after = self._copy(transitions.after)
        initial = set(machine.circuit.initial.tolist())
        self._initially = [
            literal if fact in initial else -literal
            for fact, literal in enumerate(transitions.before)
        ]

    def excludes(self, literal: int, *, assumptions: Sequence[int], due: float) -> bool:
        """Return whether a literal of the machine never comes true.

        Args:
            literal: the literal.
            assumptions: literals of the transitions that hold before each step of a play.
            due: the time, by `time.monotonic`, at which to give up.

        Raises:
            TimeUp: the time was not enough.
        """
        with self._made.adding():
            then = self._after(literal)
        return not self._shows_at_first(literal, due) and not self._may([*assumptions, then], due)

    def _shows_at_first(self, literal: int, due: float) -> bool:
        """Return whether the literal holds in the initial state, or in a step from there."""
        machine = self._machine
        simulator = Simulator(machine, [literal])
        state, inputs = [0] * len(machine.latches), [0] * len(machine.inputs)
        if simulator.frame(state, inputs, lanes=1)(literal):
            return True
        # Where no step leads on, the transitions have no model, and the inputs do not matter.
        with self._made.adding():
            now = self._before(literal)
        return self._may([*self._initially, now], due)

    def _may(self, assumptions: Sequence[int], due: float) -> bool:
        return any(True for _ in self._made.models(assumptions, due=due))

    def _copy(self, facts: Sequence[int]) -> Callable[[int], int]:
        """Return what gives the literal of the steps for one of the machine, in a state."""
        machine, made = self._machine, self._made
        known = {node: made.chosen() for node in machine.inputs}
        for fact, latch in zip(facts, machine.facts, strict=True):
            known[latch >> 1] = -fact if latch & 1 else fact
        return made.copy(self._gates, known)


def is_invariant(machine: Machine, literal: int, excluded: Sequence[Cube], *, due: float) -> bool:
    """Return whether an invariant holds in all runs, and with it a literal never comes true.

    Args:
        machine: where.
        literal: which.
        excluded: the states that are never reached, by the invariant.
        due: the time, by `time.monotonic`, at which to give up.

    Raises:
        TimeUp: the time was not enough.
    """
    if not all(any(value for _, value in cube) for cube in excluded):
        return False  # all latches are false initially
    program = Program()
    with program.adding():
        known = {node: program.chosen() for node in (*machine.inputs, *machine.latches)}
        now = program.copy(machine.gates, known)
        latches = [now(2 * node) for node in machine.latches]
        used = {latch for cube in excluded for latch, _ in cube}
        driven = list(machine.latches.values())
        then = {latch: now(driven[latch]) for latch in used}
        outside = program.any_of(_cube(program, cube, latches.__getitem__) for cube in excluded)
        broken = [_cube(program, cube, then.__getitem__) for cube in excluded]
        some_broken = program.any_of([*broken, now(literal)])
    return not any(True for _ in program.models([-outside, some_broken], due=due))


def _cube(program: Program, cube: Cube, latch: Callable[[int], int]) -> int:
    """Return the literal that latches have the values of a cube."""
    # A conjunction is the negation of a disjunction.
    return -program.any_of(-latch(number) if value else latch(number) for number, value in cube)
