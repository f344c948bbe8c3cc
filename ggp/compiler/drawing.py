"""Draws a small circuit: as a graph in the DOT language, and as a picture by Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from ggp.compiler.circuit.circuit import TRUE, Circuit
from ggp.compiler.measures import PHASES, Phase, measure, outputs, phases
from ggp.errors import ReasonerUnavailable

__all__ = ["LARGEST_DRAWING", "draw", "render"]

#: A drawing of more gates than this is not readable.
LARGEST_DRAWING = 400

_LONGEST_LABEL = 44

_COLOURS: dict[Phase, str] = {"view": "#1f6fb2", "goals": "#b7561c", "next": "#2f7d4f"}
_LEGEND: dict[Phase, str] = {
    "view": "legal moves, terminal",
    "goals": "goals",
    "next": "next state",
}


def draw(circuit: Circuit) -> str:
    """Return a circuit as a graph in the DOT language, inputs at the left, results at the right.

    A box is AND; a small circle at the end of a wire is NOT. A loop is cut open: its latches stand
    at the left, and what drives them at the right.

    Raises:
        ValueError: the circuit has more than `LARGEST_DRAWING` gates.
    """
    gates = measure(circuit).gates
    if gates > LARGEST_DRAWING:
        raise ValueError(f"{gates:,} gates are too many to draw: at most {LARGEST_DRAWING}")
    return "\n".join(["digraph circuit {", *_statements(circuit), "}", ""])


def render(dot: str, form: str) -> bytes:
    """Return a picture of a graph, drawn by Graphviz.

    Args:
        dot: the graph.
        form: such as "svg", "png" or "pdf".

    Raises:
        ReasonerUnavailable: Graphviz is not installed.
        ValueError: it does not draw this.
    """
    program = shutil.which("dot")
    if program is None:
        raise ReasonerUnavailable(
            "the program dot, of Graphviz, is not installed; a file OUT.dot needs no such program"
        )
    made = subprocess.run(
        [program, f"-T{form}"], input=dot.encode(), capture_output=True, check=False
    )
    if made.returncode:
        raise ValueError(f"dot: {made.stderr.decode(errors='replace').strip()}")
    return made.stdout


def _statements(circuit: Circuit) -> Iterator[str]:
    phase = phases(circuit)
    loops = circuit.loops
    drivers = {
        node: driver
        for loop in loops
        for node, driver in zip(loop.latches.tolist(), loop.drivers.tolist(), strict=True)
        if node in phase
    }
    gates = [node for node in phase if node not in drivers]
    inputs = dict(enumerate(_input_names(circuit), start=1))
    inputs |= {node: f"latch {node}" for node in drivers}
    if any(literal <= TRUE for node in gates for literal in circuit.gates[node].tolist()):
        inputs[0] = "false"
    yield 'rankdir=LR; ranksep=1; node [fontname=monospace, fontsize=10, style="", height=0.2];'
    sizes = measure(circuit)
    for own in PHASES:
        text = f"{_LEGEND[own]}: {sizes.phase_gates[own]} gates, depth {sizes.phase_depths[own]}"
        colour = _quoted(_COLOURS[own])
        yield f"legend_{own} [shape=plain, fontcolor={colour}, label={_quoted(text)}];"
    yield "{ rank=source;"
    for node, name in inputs.items():
        yield f"n{node} {_term(name)};"
    yield "}"
    for node in gates:
        own = phase[node]
        look = f'class="gate {own}", color="{_COLOURS[own]}"'
        yield f'n{node} [shape=box, {look}, label="&"];'
        for literal in circuit.gates[node].tolist():
            yield _wire(literal, f"n{node}")
    driven = [(f"latch {n}, next round", driver, phase[n]) for n, driver in drivers.items()]
    for number, (name, literal, own) in enumerate([*_results(circuit), *driven]):
        label = name if literal > TRUE else f"{name}: {'always' if literal else 'never'}"
        yield f"r{number} {_term(label, colour=_COLOURS[own])};"
        if literal > TRUE:
            yield _wire(literal, f"r{number}")


def _wire(literal: int, target: str) -> str:
    return f"n{literal >> 1} -> {target} [arrowhead={'odot' if literal & 1 else 'none'}];"


def _term(name: str, *, colour: str = "black") -> str:
    short = name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"
    return (
        f"[shape=plain, fontcolor={_quoted(colour)}, label={_quoted(short)},"
        f" tooltip={_quoted(name)}]"
    )


def _quoted(text: str) -> str:
    """Return a string of the DOT language, in which a backslash begins an escape."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _input_names(circuit: Circuit) -> Iterator[str]:
    yield from map(str, circuit.facts)
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        yield from (f"does {role} {move}" for move in moves)


def _results(circuit: Circuit) -> Iterator[tuple[str, int, Phase]]:
    moves = [(role, m) for role, own in zip(circuit.roles, circuit.moves, strict=True) for m in own]
    names: dict[Phase, list[str]] = {
        "view": [*(f"legal {role} {move}" for role, move in moves), "terminal"],
        "goals": [
            *(
                f"goal {role} {value}"
                for role, goals in zip(circuit.roles, circuit.goals, strict=True)
                for value, _ in goals
            ),
            *(f"bad goal {role}" for role in circuit.roles),
        ],
        "next": [f"next {fact}" for fact in circuit.facts],
    }
    for phase in PHASES:
        for name, literal in zip(names[phase], outputs(circuit, phase), strict=True):
            if literal or not name.startswith("bad goal"):
                yield name, literal, phase
