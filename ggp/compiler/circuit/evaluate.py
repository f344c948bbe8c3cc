"""Evaluates circuits with Python's integers, a state in each bit: slow, simple, a reference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ggp.compiler.circuit.circuit import Circuit, Literals, Loop
from ggp.gdl import GoalVector

__all__ = ["Answer", "answers", "evaluate"]


def evaluate(
    gates: Literals, loops: Sequence[Loop], inputs: Sequence[int], *, lanes: int
) -> list[int]:
    """Return the value of every node; bit i of each is lane i's.

    Args:
        gates: the two input literals of each node.
        loops: the gates that are run to their fixed point.
        inputs: the value of each input.
        lanes: how many lanes there are.
    """
    every_lane = (1 << lanes) - 1
    values = [0, *inputs, *[0] * (len(gates) - 1 - len(inputs))]
    pairs = gates.tolist()

    def value(literal: int) -> int:
        return values[literal >> 1] ^ (every_lane if literal & 1 else 0)

    def run(first: int, last: int) -> None:
        for node in range(first, last):
            left, right = pairs[node]
            if left or right:  # else an input, or a latch
                values[node] = value(left) & value(right)

    start = len(inputs) + 1
    for loop in sorted(loops, key=lambda loop: loop.first):
        run(start, loop.first)
        while True:
            run(loop.first, loop.last)
            driven = [value(literal) for literal in loop.drivers.tolist()]
            latched = loop.latches.tolist()
            if driven == [values[node] for node in latched]:
                break
            for node, new in zip(latched, driven, strict=True):
                values[node] = new
        start = loop.last
    run(start, len(pairs))
    return values


@dataclass(frozen=True, slots=True)
class Answer:
    """What a circuit says of one state and joint move, in numbers of facts and moves."""

    terminal: bool
    goals: GoalVector
    #: Per role the legal moves, each by its place among the role's moves.
    legal: tuple[tuple[int, ...], ...]
    #: The facts of the next state.
    successor: frozenset[int]


def answers(
    circuit: Circuit,
    states: Sequence[Collection[int]],
    joint_moves: Sequence[Sequence[int]] | None = None,
) -> list[Answer]:
    """Return what the circuit says of many states at once.

    Args:
        circuit: the circuit.
        states: for each lane the facts that are true.
        joint_moves: for each lane one move per role, by its place among the role's moves; None
            if no role moves.
    """
    lanes = len(states)
    inputs = [0] * circuit.inputs
    for lane, state in enumerate(states):
        for fact in state:
            inputs[fact] |= 1 << lane
    for lane, joint_move in enumerate(joint_moves or ()):
        for own, move in zip(circuit.own_moves, joint_move, strict=False):
            inputs[len(circuit.facts) + own[move]] |= 1 << lane
    values = evaluate(circuit.gates, circuit.loops, inputs, lanes=lanes)
    every_lane = (1 << lanes) - 1

    def bits(literal: int) -> str:
        value = values[literal >> 1] ^ (every_lane if literal & 1 else 0)
        return f"{value:0{lanes}b}"[::-1]  # a text: asking an integer for each bit is quadratic

    terminal = bits(circuit.terminal)
    bad = [bits(literal) for literal in circuit.bad_goals.tolist()]
    goals = [[(goal, bits(literal)) for goal, literal in of_role] for of_role in circuit.goals]
    legal = circuit.by_role([bits(literal) for literal in circuit.legal.tolist()])
    after = [bits(literal) for literal in circuit.next.tolist()]

    def answer(lane: int) -> Answer:
        found = [[goal for goal, row in of_role if row[lane] == "1"] for of_role in goals]
        return Answer(
            terminal[lane] == "1",
            tuple(
                held[0] if len(held) == 1 and bad[role][lane] == "0" else None
                for role, held in enumerate(found)
            ),
            tuple(
                tuple(i for i, row in enumerate(of_role) if row[lane] == "1") for of_role in legal
            ),
            frozenset(i for i, row in enumerate(after) if row[lane] == "1"),
        )

    return [answer(lane) for lane in range(lanes)]
