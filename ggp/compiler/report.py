"""What each step of the compiler does with a game, and whether the game still says the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ggp.compiler.circuit.build import build_circuit, circuit_of
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.grounding.ground_program import GroundProgram
from ggp.compiler.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.runtime.halves import Halves, next_program, view_program
from ggp.errors import ReasonerError
from ggp.gdl import Description

__all__ = ["Check", "Step", "steps"]

#: Says how a circuit differs from the rules of its game; None if it does not.
Check: TypeAlias = Callable[[Circuit], str | None]

#: Seconds that it may take to ground rules in the middle of the passes, only to check them.
_PATIENCE = 10.0
#: Words of 64 states in a row of the code, as `Kernel` has them.
_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step has made. What does not apply is None."""

    name: str
    #: Seconds that it took.
    seconds: float
    #: Rules, or ground rules; guards are counted apart.
    rules: int | None = None
    guards: int | None = None
    #: Atoms of the ground program.
    atoms: int | None = None
    #: Gates of the circuit, or operations of a program.
    gates: int | None = None
    #: How it differs from the rules; "" if it does not; None if that was not checked.
    differs: str | None = None
    #: Why it was not checked, if it should have been.
    unchecked: str | None = None


def steps(
    description: Description,
    *,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    check: Check | None = None,
) -> Iterator[Step]:
    """Compile a game, and yield each step as soon as it is done.

    The steps are the passes of the rewriting, grounding, building the circuit, and making the code
    of its two halves. With `check`, what each of them up to the circuit has made is grounded as it
    stands and becomes a circuit, which is checked: so a pass that changes a game's meaning is found
    by its name.

    Args:
        description: the rules.
        time_limit: seconds until the circuit is there.
        memory_limit: bytes that the grounder may use.
        check: what compares a circuit with the rules.

    Raises as `build_circuit`.
    """
    made: list[tuple[str, Rules | GroundProgram | Circuit, float]] = []
    began = time.perf_counter()

    def note(name: str, result: Rules | GroundProgram | Circuit) -> None:
        nonlocal began
        now = time.perf_counter()
        made.append((name, result, now - began))
        began = now

    circuit = build_circuit(
        description, time_limit=time_limit, memory_limit=memory_limit, observe=note
    )
    for name, result, seconds in made:
        differs, unchecked = _checked(result, check, memory_limit)
        if isinstance(result, Rules):
            yield Step(
                name=name,
                seconds=seconds,
                rules=len(result.rules),
                guards=len(result.guards),
                differs=differs,
                unchecked=unchecked,
            )
        elif isinstance(result, GroundProgram):
            yield Step(name=name, seconds=seconds, rules=result.rules, atoms=result.atoms)
        else:
            gates = len(result.gates) - 1 - result.inputs
            yield Step(name=name, seconds=seconds, gates=gates, differs=differs)
    yield from _code(circuit)


def _checked(
    made: Rules | GroundProgram | Circuit, check: Check | None, memory_limit: int
) -> tuple[str | None, str | None]:
    """Return how what a step has made differs, and why that could not be found out."""
    if check is None or isinstance(made, GroundProgram):
        return None, None
    if isinstance(made, Rules):
        try:
            due = time.monotonic() + _PATIENCE
            made = circuit_of(made, due=due, memory_limit=memory_limit)
        except ReasonerError as error:
            return None, str(error).split("\n", maxsplit=1)[0]
    return check(made) or "", None


def _code(circuit: Circuit) -> Iterator[Step]:
    """Make the code of both halves, and yield what that took."""
    halves = Halves(circuit, words=_WORDS, form=None, cache=None)
    began = time.perf_counter()
    _ = halves.view
    seconds = time.perf_counter() - began
    yield Step(name="code of the view", seconds=seconds, gates=len(view_program(circuit).kinds))
    began = time.perf_counter()
    sets = halves.step.sets
    seconds = time.perf_counter() - began
    yield Step(
        name="code of the step", seconds=seconds, gates=len(next_program(circuit, sets).kinds)
    )
