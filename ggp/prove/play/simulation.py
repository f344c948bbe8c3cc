"""Random plays of a machine, many at once: what is seen in one of them needs no proof.

A state is a row of Python integers, one for each latch; bit i of each belongs to play i.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import numpy as np

from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.prove.machine import GameMachine, Machine
from ggp.prove.play.lanes import LANES, LOOP, drawn, play_lanes
from ggp.reasoner.compiled import SMALL_GAME

__all__ = [
    "Frame",
    "Inputs",
    "Player",
    "Plays",
    "Run",
    "Simulator",
    "compile_kernels",
    "joint_moves",
    "same_as_before",
]

#: For each input of a machine, whether it is true.
Inputs: TypeAlias = tuple[bool, ...]
#: Gives the values of a literal, a play in each bit.
Frame: TypeAlias = Callable[[int], int]

# Seconds between two looks at the clock, roughly.
_STRETCH = 0.01


class Simulator:
    """Computes the values of some literals of a machine."""

    def __init__(self, machine: Machine, literals: Iterable[int]) -> None:
        """Gather the gates that the literals and the next state depend on."""
        self._machine = machine
        aig = machine.aig
        given = {0, *machine.inputs, *machine.latches}
        needed = set[int]()
        pending = [literal >> 1 for literal in (*literals, *machine.latches.values())]
        while pending:
            node = pending.pop()
            if node not in given and node not in needed:
                needed.add(node)
                pending += (aig.left[node] >> 1, aig.right[node] >> 1)
        #: The gates that are computed, in their order: each node and its two literals.
        self.gates = [(node, aig.left[node], aig.right[node]) for node in sorted(needed)]

    def frame(self, state: Sequence[int], inputs: Sequence[int], *, lanes: int) -> Frame:
        """Return the values that follow from a state and inputs.

        Args:
            state: the value of each latch.
            inputs: the value of each input.
            lanes: how many plays there are.
        """
        machine, every_lane = self._machine, (1 << lanes) - 1
        flip = (0, every_lane)
        values = [0] * len(machine.aig.left)
        for node, value in zip(machine.inputs, inputs, strict=True):
            values[node] = value
        for node, value in zip(machine.latches, state, strict=True):
            values[node] = value
        for node, left, right in self.gates:
            values[node] = (values[left >> 1] ^ flip[left & 1]) & (
                values[right >> 1] ^ flip[right & 1]
            )
        return lambda literal: values[literal >> 1] ^ flip[literal & 1]

    def run(self, inputs: Iterable[Inputs]) -> Iterator[Frame]:
        """Yield the frames of a single play, from the initial state."""
        state = [0] * len(self._machine.latches)
        for row in inputs:
            frame = self.frame(state, [int(value) for value in row], lanes=1)
            yield frame
            state = [frame(literal) for literal in self._machine.latches.values()]


@dataclass(frozen=True, slots=True)
class Run:
    """The beginning of a play: the inputs of each step, and of the last state that is looked at."""

    inputs: tuple[Inputs, ...]


@dataclass(slots=True)
class Plays:
    """What was seen in random plays."""

    #: For each literal that came true, the shortest play in which it did.
    runs: dict[int, Run] = field(default_factory=dict)
    #: A play that comes back to a state of its own.
    loop: Run | None = None


class Player:
    """Plays a machine at random, many plays at once."""

    def __init__(self, machine: GameMachine, literals: Sequence[int], *, seed: int = 0) -> None:
        """Prepare the plays, which may have to be compiled first.

        Args:
            machine: the game.
            literals: what to look for.
            seed: makes the plays repeatable.
        """
        self._machine, self._literals = machine, list(dict.fromkeys(literals))
        aig, latches = machine.aig, list(machine.latches)
        simulator = Simulator(machine, [*self._literals, machine.live])
        words = LANES // 64
        self._seed = np.uint64(seed)
        self._inputs = np.array(machine.inputs, np.uint32)
        self._values = np.zeros((words, len(aig.left)), np.uint64)
        self._fixed = (
            np.array(aig.left, np.uint32),
            np.array(aig.right, np.uint32),
            np.array([node for node, _, _ in simulator.gates], np.uint32),
            self._inputs,
            np.array(latches, np.uint32),
            np.array(list(machine.latches.values()), np.uint32),
            np.uint32(machine.live),
            np.array(self._literals, np.uint32),
        )
        self._shortest = np.zeros(len(self._literals) + 1, np.int64)
        self._places = np.zeros((len(self._shortest), 2), np.int64)
        self._history = np.zeros((LOOP + 1, words, len(latches)), np.uint64)
        self._began = np.zeros(LANES, np.int64)
        self._restarts = np.zeros((LOOP + 1, words), np.uint64)
        self._step = 0
        self._made(0)

    def play(
        self, deadline: Deadline, *, processor: float = inf, is_one_enough: bool = False
    ) -> Plays:
        """Play until the deadline, and look for literals that come true.

        Args:
            deadline: when to stop; one state is looked at in any case.
            processor: seconds of processor time after which to stop, too.
            is_one_enough: whether to stop as soon as one of the literals came true.
        """
        plays = Plays()
        known = np.zeros_like(self._shortest)
        stretch, began = 1, time.thread_time()
        while True:
            before = time.thread_time()
            self._made(stretch)
            for number in np.flatnonzero(self._shortest != known).tolist():
                known[number] = self._shortest[number]
                run = self._run(*self._places[number].tolist(), length=int(known[number]))
                if number < len(self._literals):
                    plays.runs[self._literals[number]] = run
                else:
                    plays.loop = run
            now = time.thread_time()
            is_late = deadline.is_over or now - began >= processor
            if is_late or (is_one_enough and plays.runs):
                return plays
            taken = now - before
            stretch = stretch * 2 if taken < _STRETCH / 2 else max(1, stretch // 2)

    def _made(self, count: int) -> None:
        """Make that many steps at most."""
        self._step = play_lanes(
            self._values, *self._fixed, self._shortest, self._places, self._history, self._began,
            self._restarts, self._seed, self._step, count,
        )  # fmt: skip

    def _run(self, step: int, lane: int, *, length: int) -> Run:
        """Return the play of a lane that has come to its last state in a step."""
        word, bit = lane >> 6, np.uint64(lane & 63)
        return Run(
            tuple(
                tuple(
                    bool(int(drawn(self._seed, at, number, word) >> bit) & 1)
                    for number in range(len(self._inputs))
                )
                for at in range(step - length + 1, step + 1)
            )
        )


def same_as_before(state: Sequence[int], before: Iterable[Sequence[int]], live: int) -> int:
    """Return the plays whose state is one of those before."""
    found = 0
    for earlier in before:
        same = live
        for now, then in zip(state, earlier, strict=True):
            same &= ~(now ^ then)
            if not same:
                break
        found |= same
    return found


def joint_moves(
    machine: GameMachine, run: Run, *, has_last_step: bool = False
) -> list[tuple[int, ...]]:
    """Return what is done in the steps of a run, a move of each role by its number.

    Args:
        machine: the game.
        run: the inputs in each state.
        has_last_step: whether the step from the last state is part of what the run shows.
    """
    simulator = Simulator(machine, [lit for moves in machine.done for lit in moves])
    steps = []
    for frame in simulator.run(run.inputs if has_last_step else run.inputs[:-1]):
        if not frame(machine.live):
            break
        steps.append(
            tuple(next(n for n, lit in enumerate(moves) if frame(lit)) for moves in machine.done)
        )
    return steps


def compile_kernels(_name: str) -> None:
    """Call the functions that all games share, so that numba compiles them."""
    machine = GameMachine(build_circuit(Description.from_text(SMALL_GAME), time_limit=inf))
    Player(machine, [machine.live]).play(Deadline(0.0))
