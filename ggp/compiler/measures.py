"""How large a circuit is: its gates and depth, phase by phase, and the form in which it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import LARGEST_CODE, Form
from ggp.compiler.codegen.straightline import cone
from ggp.compiler.runtime.halves import next_program, view_program
from ggp.compiler.runtime.move_sets import move_sets

__all__ = ["PHASES", "Measures", "Phase", "measure", "outputs", "phases"]

#: What a circuit computes, in this order: which moves are legal and whether the game is over; the
#: goals; the next state. A gate belongs to the first phase that needs it.
Phase: TypeAlias = Literal["view", "goals", "next"]
PHASES: tuple[Phase, ...] = ("view", "goals", "next")


@dataclass(frozen=True, slots=True)
class Measures:
    """The sizes of a circuit."""

    #: Its inputs.
    facts: int
    moves: int
    #: AND gates that some result depends on; negation costs none.
    gates: int
    #: Of these, the gates that each phase needs and none before it.
    phase_gates: dict[Phase, int]
    #: The most gates on a way from an input to a result; of a loop, one round counts.
    depth: int
    #: The same, to a result of each phase.
    phase_depths: dict[Phase, int]
    #: Groups of gates that depend on each other, and the latches that carry a value round them.
    loops: int
    latches: int
    #: Of each half of the circuit (to view a state, to step to the next), machine code or a table.
    forms: dict[str, Form]


def measure(circuit: Circuit) -> Measures:
    """Return the sizes of a circuit."""
    level, phase = circuit.levels, phases(circuit)
    latches = {int(node) for loop in circuit.loops for node in loop.latches} & phase.keys()
    counted = dict.fromkeys(PHASES, 0)
    for node, own in phase.items():
        counted[own] += node not in latches
    depths = {
        own: max((level[literal >> 1] for literal in outputs(circuit, own)), default=0)
        for own in PHASES
    }
    halves = {"view": view_program(circuit), "next": next_program(circuit, move_sets(circuit))}
    return Measures(
        facts=len(circuit.facts),
        moves=len(circuit.legal),
        gates=sum(counted.values()),
        phase_gates=counted,
        depth=max((level[node] for node in phase), default=0),
        phase_depths=depths,
        loops=sum(not latches.isdisjoint(loop.latches.tolist()) for loop in circuit.loops),
        latches=len(latches),
        forms={
            name: "code" if len(program.kinds) <= LARGEST_CODE else "table"
            for name, program in halves.items()
        },
    )


def outputs(circuit: Circuit, phase: Phase) -> Iterator[int]:
    """Yield the literals that are a phase's results."""
    if phase == "view":
        yield from circuit.legal.tolist()
        yield circuit.terminal
    elif phase == "goals":
        yield from circuit.ends[1:]
    else:
        yield from circuit.next.tolist()


def phases(circuit: Circuit) -> dict[int, Phase]:
    """Return the phase of each gate and latch."""
    result: dict[int, Phase] = {}
    inputs = range(circuit.inputs + 1)
    for phase in PHASES:
        found = cone(circuit, outputs(circuit, phase), [*inputs, *result])
        result |= dict.fromkeys(sorted(found), phase)
    return result
