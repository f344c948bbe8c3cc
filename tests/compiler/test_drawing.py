from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.drawing import LARGEST_DRAWING, draw, render
from ggp.compiler.measures import measure
from ggp.errors import ReasonerUnavailable
from ggp.kif import Symbol
from tests.compiler.circuits import Gates, circuit_of, random_circuit, tic_tac_toe

STRING = r'"((?:[^"\\]|\\.)*)"'


def gates_of(circuit: Circuit, phase: str = "") -> list[str]:
    return re.findall(rf'^(n\d+) \[shape=box, class="gate {phase}', draw(circuit), re.MULTILINE)


def labels(circuit: Circuit) -> list[str]:
    found = re.findall(rf"[ ,]label={STRING}", draw(circuit))
    return [re.sub(r"\\(.)", r"\1", label) for label in found]


@pytest.mark.parametrize("seed", range(12))
def test_every_gate_is_drawn_once_whatever_the_circuit(seed: int) -> None:
    made = random_circuit(seed, size=100)
    drawn = gates_of(made)
    assert len(drawn) == len(set(drawn)) == measure(made).gates


def test_gates_have_the_colour_of_their_phase() -> None:
    made = tic_tac_toe()
    for phase, count in measure(made).phase_gates.items():
        assert len(gates_of(made, phase)) == count


def test_inputs_and_results_are_named() -> None:
    gates = Gates(3)
    both = 2 * gates.node(2, 4)
    made = circuit_of(
        gates, [1], legal=[1], terminal=both, goals=[[(50, both ^ 1)]], following=[6, 0]
    )
    assert {
        "fact0",
        "fact1",
        "does role0 move0",
        "legal role0 move0: always",
        "terminal",
        "goal role0 50",
        "next fact0",
        "next fact1: never",
    } < set(labels(made))


def test_a_circle_stands_for_each_negation() -> None:
    gates = Gates(3)
    node = 2 * gates.node(3, 4)
    made = circuit_of(
        gates, [1], legal=[node ^ 1], terminal=node, goals=[[]], following=[node ^ 1, 2]
    )
    assert draw(made).count("arrowhead=odot") == 3


def test_every_wire_joins_what_is_drawn() -> None:
    drawn = draw(tic_tac_toe())
    nodes = set(re.findall(r"^([nr]\d+) \[", drawn, re.MULTILINE))
    wires = re.findall(r"^([nr]\d+) -> ([nr]\d+) ", drawn, re.MULTILINE)
    assert wires
    assert {end for wire in wires for end in wire} <= nodes


@pytest.mark.parametrize("name", ['"];evil->x[label="', "a\\", '\\"', "\x00\x1b[1m", "a\nb"])
def test_a_game_cannot_put_anything_but_text_into_the_drawing(name: str) -> None:
    made = replace(tic_tac_toe(), roles=(Symbol(name), Symbol("o")))
    without_strings = re.sub(STRING, "", draw(made))
    assert without_strings == re.sub(STRING, "", draw(tic_tac_toe()))
    if name.isprintable():
        assert f"goal {name} 100" in labels(made)


def test_a_long_name_is_cut_and_kept_as_a_tooltip() -> None:
    name = "n" * 300
    made = replace(tic_tac_toe(), roles=(Symbol(name), Symbol("o")))
    assert f'tooltip="goal {name} 100"' in draw(made)
    assert max(map(len, labels(made))) < 60


def test_a_latch_stands_at_the_left_and_what_drives_it_at_the_right() -> None:
    made = next(c for c in (random_circuit(s, size=50) for s in range(99)) if measure(c).latches)
    latches = [text for text in labels(made) if text.startswith("latch ")]
    drivers = [text for text in latches if text.endswith(", next round")]
    assert len(drivers) == measure(made).latches
    assert sorted(latches) == sorted([*drivers, *(d.removesuffix(", next round") for d in drivers)])


def test_a_large_circuit_is_refused_with_its_size() -> None:
    made = random_circuit(1, size=5000)
    gates = measure(made).gates
    assert gates > LARGEST_DRAWING
    with pytest.raises(ValueError, match=f"{gates:,} gates are too many"):
        draw(made)


def test_without_graphviz_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ReasonerUnavailable, match=r"OUT\.dot"):
        render("digraph {}", "svg")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it() -> None:
    assert render(draw(tic_tac_toe()), "svg").count(b'class="gate') >= 0
    with pytest.raises(ValueError, match="dot: "):
        render(draw(tic_tac_toe()), "no such form")
