"""The model checker ABC: property directed reachability, and bounded search.

Brayton and Mishchenko (2010) "ABC: an academic industrial-strength verification tool", CAV;
Een, Mishchenko and Brayton (2011) "Efficient implementation of property directed reachability",
FMCAD. Debian has it as `berkeley-abc`. It runs as a process of its own, with the memory limit of
this one.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ggp.deadline import Deadline
from ggp.files import naming
from ggp.prove.machine import Machine
from ggp.prove.play.simulation import Run

__all__ = [
    "INSTALL_HINT",
    "Cube",
    "ModelChecked",
    "find_abc",
    "model_check",
    "never_holds",
    "shortest",
]

#: Latches by their place in the machine, each with its value: a set of states.
Cube: TypeAlias = tuple[tuple[int, bool], ...]

#: How to get ABC, for people.
INSTALL_HINT = "`ggp prove` proves more with it: apt install berkeley-abc"

_NAMES = ("berkeley-abc", "abc", "yosys-abc")
# Seconds in which ABC has to notice its own time limit.
_GRACE = 2.0
_TICK = 0.05
# What it says where a literal never comes true.
_PROVED, _UNSATISFIABLE = "Property proved", "UNSATISFIABLE"


@dataclass(frozen=True, slots=True)
class ModelChecked:
    """What ABC says of a literal: it comes true in a run, or an invariant excludes it."""

    run: Run | None = None
    #: States that are never reached, and among them all in which the literal holds.
    excluded: tuple[Cube, ...] | None = None


@cache
def find_abc() -> str | None:
    """Return the path of ABC, None if it is not installed."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def model_check(machine: Machine, literal: int, *, deadline: Deadline) -> ModelChecked | None:
    """Ask whether a literal may come true, by property directed reachability.

    Args:
        machine: where.
        literal: which.
        deadline: when to give up; then, and where ABC is not installed, the answer is None.
    """
    return _run(machine, literal, "dc2; pdr -d -I {pla} -T {seconds}", deadline=deadline)


def shortest(machine: Machine, literal: int, *, steps: int, deadline: Deadline) -> Run | None:
    """Return the shortest run in which a literal comes true.

    None if it is longer than `steps`, or not found in time.
    """
    script = f"dc2; bmc3 -F {steps + 1} -T {{seconds}}"
    found = _run(machine, literal, script, deadline=deadline)
    return None if found is None else found.run


def never_holds(machine: Machine, literal: int, *, deadline: Deadline) -> bool:
    """Return whether no inputs of a machine without latches make a literal true.

    False also where that is not found out in time.
    """
    assert not machine.latches
    with tempfile.TemporaryDirectory(prefix="ggp-") as folder:
        said = _said(machine, literal, "sat", folder=Path(folder), deadline=deadline)
    return said is not None and _UNSATISFIABLE in said.split()


def _run(machine: Machine, literal: int, script: str, *, deadline: Deadline) -> ModelChecked | None:
    with tempfile.TemporaryDirectory(prefix="ggp-") as name:
        folder = Path(name)
        pla, cex = folder / "pla", folder / "cex"
        commands = script.format(pla=pla.name, seconds=max(1, int(deadline.remaining)))
        commands = f"{commands}; write_cex {cex.name}"
        said = _said(machine, literal, commands, folder=folder, deadline=deadline)
        if said is None:
            return None
        if cex.exists():
            return ModelChecked(run=_read_run(cex.read_text(), machine))
        if _PROVED in said:
            return ModelChecked(excluded=_read_cubes(pla.read_text()) if pla.exists() else ())
    return None


def _said(
    machine: Machine, literal: int, commands: str, *, folder: Path, deadline: Deadline
) -> str | None:
    """Return what ABC prints; None where it does not come to its end in time, or is missing."""
    program = find_abc()
    if program is None or deadline.remaining < 1:
        return None
    model, log = folder / "machine.aig", folder / "log"
    with naming(model):
        model.write_bytes(machine.aiger(literal))
    command = [program, "-q", f"read_aiger {model.name}; {commands}"]
    with log.open("wb") as output:
        if not _finish(command, output, folder=str(folder), deadline=deadline):
            return None
    return log.read_text(errors="replace")


def _finish(command: list[str], output: BinaryIO, *, folder: str, deadline: Deadline) -> bool:
    """Run a command to its end; kill it soon after the deadline, and return False then."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.DEVNULL,
    ) as process:
        late = Deadline(deadline.due + _GRACE)
        while process.poll() is None:
            if late.is_over or deadline.is_cancelled:
                process.kill()
                return False
            try:
                process.wait(_TICK)
            except subprocess.TimeoutExpired:
                continue
    return process.returncode == 0


def _read_run(text: str, machine: Machine) -> Run:
    """Read what `write_cex` wrote: the initial latches, then the inputs of each step, in a row."""
    bits = [letter == "1" for letter in text if letter in "01"]
    starts = range(len(machine.latches), len(bits), len(machine.inputs))
    return Run(tuple(tuple(bits[start : start + len(machine.inputs)]) for start in starts))


def _read_cubes(text: str) -> tuple[Cube, ...]:
    """Read what `pdr -d` wrote: a PLA of which each row is a set of states that is excluded."""
    latches: list[int] = []
    cubes = []
    for line in text.splitlines():
        if line.startswith(".ilb"):
            latches = [int(name.lstrip("l").lstrip("o") or "0") for name in line.split()[1:]]
        elif line[:1] in ("0", "1", "-") and line:
            row = line.split()[0]
            cubes.append(
                tuple(
                    (latch, value == "1")
                    for latch, value in zip(latches, row, strict=True)
                    if value != "-"
                )
            )
    return tuple(cubes)
