"""The rules relate what they say that they relate."""

from __future__ import annotations

import time
from itertools import combinations
from pathlib import Path

import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.related import find_related
from ggp.gdl import Description

ROOT = Path(__file__).parents[2]


def related(path: str) -> set[frozenset[str]]:
    description = Description.load(ROOT / path)
    circuit = build_circuit(description, time_limit=60)
    found = find_related(description, circuit)
    assert (found[:, 0] < found[:, 1]).all()
    assert found.tolist() == sorted(found.tolist())
    return {frozenset(str(circuit.facts[fact]) for fact in pair) for pair in found}


def test_cells_of_hex_are_related_to_their_neighbours() -> None:
    expected = set()
    cells = [(x, y) for x in range(1, 12) for y in range(1, 12)]
    for (x1, y1), (x2, y2) in combinations(cells, 2):
        if (x2 - x1, y2 - y1) in {(1, 0), (0, 1), (1, -1)}:
            expected |= {
                frozenset({f"(stone {one} {x1} {y1})", f"(stone {other} {x2} {y2})"})
                for one in ("black", "white")
                for other in ("black", "white")
            }
    assert related("benchmarks/arena/rules/hex.kif") == expected


def test_cells_of_breakthrough_are_related_by_moves() -> None:
    found = related("games/breakthrough.kif")
    assert frozenset({"(pawn white 4 4)", "(pawn white 5 5)"}) in found
    assert frozenset({"(pawn white 4 4)", "(pawn black 4 5)"}) in found
    assert frozenset({"(pawn white 4 4)", "(pawn white 4 6)"}) not in found
    assert not any("control" in fact for pair in found for fact in pair)


@pytest.mark.parametrize("most", [0, 363])
def test_too_many_are_none(most: int) -> None:
    description = Description.load(ROOT / "games/breakthrough.kif")
    circuit = build_circuit(description, time_limit=60)
    assert find_related(description, circuit, most=most).shape == (0, 2)
    assert len(find_related(description, circuit, most=364)) == 364


def test_a_body_of_many_facts_relates_none() -> None:
    names = [f"n{number}" for number in range(200)]
    text = " ".join(
        ["(role a) (<= (legal a ?x) (item ?x)) (goal a 50) (init (at n0))"]
        + [f"(item {name})" for name in names]
        + ["(<= (next (at ?x)) (does a ?x)) (<= (next (at ?x)) (true (at ?x)))"]
        + ["(<= terminal", *(f"(true (at {name}))" for name in names), ")"]
    )
    description = Description.from_text(text)
    circuit = build_circuit(description, time_limit=60)
    assert len(circuit.facts) == 200
    began = time.process_time()
    assert len(find_related(description, circuit)) == 0
    assert time.process_time() - began < 5


def test_there_are_none_where_there_is_no_time() -> None:
    description = Description.load(ROOT / "games/breakthrough.kif")
    circuit = build_circuit(description, time_limit=60)
    began = time.monotonic()
    assert find_related(description, circuit, time_limit=0.0).shape == (0, 2)
    assert time.monotonic() - began < 10
