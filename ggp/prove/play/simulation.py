"""Random plays of a machine, many at once: what is seen in one of them needs no proof.

A state is a row of Python integers, one for each latch; bit i of each belongs to play i.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ggp.deadline import Deadline
from ggp.prove.machine import GameMachine, Machine

__all__ = [
    "Frame",
    "Inputs",
    "Plays",
    "Run",
    "Simulator",
    "joint_moves",
    "random_plays",
    "same_as_before",
]

#: For each input of a machine, whether it is true.
Inputs: TypeAlias = tuple[bool, ...]
#: Gives the values of a literal, a play in each bit.
Frame: TypeAlias = Callable[[int], int]

# Plays at once, and the steps of the longest.
_LANES, _MAX_STEPS = 512, 2_000
# A state that comes back after more steps than this is not noticed.
_LOOP = 8


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
        self._gates = [(node, aig.left[node], aig.right[node]) for node in sorted(needed)]

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
        for node, left, right in self._gates:
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


def random_plays(
    machine: GameMachine,
    literals: Sequence[int],
    *,
    deadline: Deadline,
    is_one_enough: bool = False,
    seed: int = 0,
) -> Plays:
    """Play at random until the deadline, and look for literals that come true.

    Args:
        machine: the game.
        literals: what to look for.
        deadline: when to stop; one state is looked at in any case.
        is_one_enough: whether to stop as soon as one of the literals came true.
        seed: makes the plays repeatable.
    """
    simulator = Simulator(machine, [*literals, machine.live])
    chance = random.Random(seed)
    plays = Plays()
    while True:
        rows: list[list[int]] = []
        state = [0] * len(machine.latches)
        before: deque[list[int]] = deque(maxlen=_LOOP)
        for _ in range(_MAX_STEPS):
            rows.append([chance.getrandbits(_LANES) for _ in machine.inputs])
            frame = simulator.frame(state, rows[-1], lanes=_LANES)
            for literal in literals:
                known = plays.runs.get(literal)
                if (known is None or len(known.inputs) > len(rows)) and (shown := frame(literal)):
                    plays.runs[literal] = _run(rows, shown)
            live = frame(machine.live)
            if plays.loop is None and (again := same_as_before(state, before, live)):
                plays.loop = _run(rows, again)
            if (is_one_enough and plays.runs) or deadline.is_over:
                return plays
            if not live:
                break
            before.append(state)
            state = [frame(literal) for literal in machine.latches.values()]


def _run(rows: Sequence[Sequence[int]], lanes: int) -> Run:
    """Return the play of one of some lanes."""
    lane = lanes.bit_length() - 1
    return Run(tuple(tuple(bool(value >> lane & 1) for value in row) for row in rows))


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
