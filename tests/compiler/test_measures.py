from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ggp.compiler import measures
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit, Loop
from ggp.compiler.measures import PHASES, measure, outputs, phases
from ggp.gdl import Description
from tests.compiler.circuits import Gates, circuit_of, random_circuit, tic_tac_toe

GAMES = Path(__file__).parents[2] / "games"


def chain(length: int) -> Circuit:
    """Its first gate tells the end, its second the goal, its last the next state."""
    gates = Gates(3)
    node = gates.node(2, 4)
    first = node
    second = node = gates.node(2 * node, 4 ^ 1)
    for _ in range(length - 2):
        node = gates.node(2 * node ^ 1, 6)
    return circuit_of(
        gates,
        [1],
        legal=[1],
        terminal=2 * first,
        goals=[[(100, 2 * second)]],
        following=[2 * node, 2],
    )


@pytest.mark.parametrize("length", [2, 3, 17])
def test_depth_is_the_longest_way_in_gates(length: int) -> None:
    found = measure(chain(length))
    assert (found.facts, found.moves, found.gates) == (2, 1, length)
    assert found.depth == length
    assert found.phase_depths == {"view": 1, "goals": 2, "next": length}
    assert found.phase_gates == {"view": 1, "goals": 1, "next": length - 2}


def test_two_ways_count_as_the_longer() -> None:
    gates = Gates(3)
    long = 2 * gates.node(2 * gates.node(2, 4), 6)
    top = 2 * gates.node(2, long)
    made = circuit_of(gates, [1], legal=[top], terminal=2, goals=[[]], following=[0, 1])
    assert made.levels[-3:] == [1, 2, 3]
    assert measure(made).phase_depths == {"view": 3, "goals": 0, "next": 0}


def test_of_a_loop_one_round_counts() -> None:
    gates = Gates(2)
    latch = gates.node()
    first = len(gates.rows)
    driver = 2 * gates.node(2 * gates.node(2 * latch, 2), 4)
    loop = Loop(first, len(gates.rows), np.array([latch], np.int32), np.array([driver], np.int32))
    last = 2 * gates.node(2 * latch ^ 1, 2)
    made = circuit_of(
        gates, [1], legal=[last], terminal=0, goals=[[]], following=[last], loops=[loop]
    )
    found = measure(made)
    assert (found.gates, found.loops, found.latches, found.depth) == (3, 1, 1, 2)
    assert found.phase_gates["view"] == 3
    assert found.phase_depths["view"] == 1


@pytest.mark.parametrize("seed", range(8))
def test_each_gate_is_of_the_first_phase_that_rests_on_it(seed: int) -> None:
    made = random_circuit(seed)
    drivers = {
        int(n): int(d)
        for loop in made.loops
        for n, d in zip(loop.latches, loop.drivers, strict=True)
    }
    expected: dict[int, str] = {}
    for phase in PHASES:
        pending = [literal >> 1 for literal in outputs(made, phase)]
        while pending:
            node = pending.pop()
            if node > made.inputs and node not in expected:
                expected[node] = phase
                pending += [drivers[node] >> 1] if node in drivers else [
                    int(literal) >> 1 for literal in made.gates[node]
                ]  # fmt: skip
    assert phases(made) == expected


def test_a_circuit_that_is_too_large_for_code_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measure(tic_tac_toe()).forms == {"view": "code", "next": "code"}
    monkeypatch.setattr(measures, "LARGEST_CODE", 70)
    assert measure(tic_tac_toe()).forms == {"view": "table", "next": "code"}


def test_the_gates_of_a_game_are_all_of_some_phase() -> None:
    found = measure(build_circuit(Description.load(str(GAMES / "connectfour.kif"))))
    assert sum(found.phase_gates.values()) == found.gates
    assert max(found.phase_depths.values()) == found.depth
