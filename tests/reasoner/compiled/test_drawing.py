from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from ggp.kif import Symbol
from ggp.reasoner.compiled.circuit.circuit import Circuit
from ggp.reasoner.compiled.drawing import LARGEST_DRAWING, draw
from ggp.reasoner.compiled.measures import measure
from tests.reasoner.compiled.circuits import Gates, circuit_of, random_circuit, tic_tac_toe

SVG = "{http://www.w3.org/2000/svg}"


def elements(circuit: Circuit, tag: str, kind: str) -> list[ET.Element]:
    found = ET.fromstring(draw(circuit)).iter(SVG + tag)
    return [element for element in found if kind in element.get("class", "").split()]


def labels(circuit: Circuit) -> list[str]:
    return [text.text or "" for text in ET.fromstring(draw(circuit)).iter(SVG + "text")]


@pytest.mark.parametrize("seed", range(12))
def test_every_gate_is_drawn_once_whatever_the_circuit(seed: int) -> None:
    made = random_circuit(seed, size=100)
    drawn = elements(made, "path", "gate")
    assert len(drawn) == measure(made).gates
    assert len({gate.get("d") for gate in drawn}) == len(drawn)


def test_gates_have_the_colour_of_their_phase() -> None:
    made = tic_tac_toe()
    for phase, count in measure(made).phase_gates.items():
        gates = [g for g in elements(made, "path", "gate") if phase in g.get("class", "").split()]
        assert len(gates) == count


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


def test_all_wires_of_one_value_are_one_path() -> None:
    gates = Gates(3)
    first = 2 * gates.node(2, 4)
    second = 2 * gates.node(first, 6)
    made = circuit_of(
        gates, [1], legal=[first], terminal=second, goals=[[(9, first)]], following=[first, 2]
    )
    values = {"fact0", "fact1", "does role0 move0", "first", "second"}
    assert len(elements(made, "path", "wire")) == len(values)


def test_a_circle_stands_for_each_negation() -> None:
    gates = Gates(3)
    node = 2 * gates.node(3, 4)
    made = circuit_of(
        gates, [1], legal=[node ^ 1], terminal=node, goals=[[]], following=[node ^ 1, 2]
    )
    in_legend = 1
    assert len(elements(made, "circle", "not")) == in_legend + 3


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a&b", '"', "]]>", "\x00\x1b[1m"])
def test_a_game_cannot_put_anything_but_text_into_the_drawing(name: str) -> None:
    made = replace(tic_tac_toe(), roles=(Symbol(name), Symbol("o")))
    root = ET.fromstring(draw(made))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "style", "rect", "circle", "path", "text")
    }
    if name.isprintable():
        assert f"goal {name} 100" in labels(made)


def test_a_long_name_is_cut_and_kept_as_a_title() -> None:
    name = "n" * 300
    made = replace(tic_tac_toe(), roles=(Symbol(name), Symbol("o")))
    titles = {title.text for title in ET.fromstring(draw(made)).iter(SVG + "title")}
    assert f"goal {name} 100" in titles
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
