from __future__ import annotations

import pytest

from ggp.compiler.circuit.circuit import Circuit
from tests.compiler.circuits import Gates, circuit_of, random_circuit


@pytest.mark.parametrize("circuit", [*map(random_circuit, range(6))])
def test_inputs_are_facts_and_then_moves(circuit: Circuit) -> None:
    facts, moves = circuit.fact_nodes, circuit.move_nodes
    assert [0, *facts, *moves] == [*range(1 + circuit.inputs)]
    assert (len(facts), len(moves)) == (len(circuit.facts), sum(map(len, circuit.moves)))
    assert not circuit.gates[: moves.stop].any()


def test_moves_and_goals_are_numbered_role_by_role() -> None:
    gates = Gates(1 + 5)
    circuit = circuit_of(
        gates,
        [2, 0, 3],
        legal=[1, 1, 1, 1, 1],
        terminal=2,
        goals=[[(0, 3), (100, 2)], [], [(50, 1)]],
        bad_goals=[0, 1, 0],
        following=[2],
    )
    assert circuit.own_moves == (range(2), range(2, 2), range(2, 5))
    assert circuit.by_role("abcde") == ["ab", "", "cde"]
    assert circuit.first_move.tolist() == [0, 2, 2, 5]
    assert circuit.first_goal.tolist() == [0, 2, 2, 3]
    assert circuit.ends == [2, 3, 2, 1, 0, 1, 0]
