"""Sets of moves in place of the gates that make them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime import move_sets as module
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.move_sets import move_sets
from tests.compiler.circuits import (
    Gates,
    circuit_of,
    packed,
    random_circuit,
    step,
    tic_tac_toe,
)
from tests.compiler.test_kernel import assert_agrees


def board(size: int) -> Circuit:
    """One role moves a thing from any cell to any other: a cell asks for moves from it or to it."""
    gates = Gates(size + size * size)
    cells = [2 * (1 + i) for i in range(size)]
    does = [[2 * (1 + size + a * size + b) for b in range(size)] for a in range(size)]
    following = []
    for cell in range(size):
        left = gates.any(does[cell])
        come = gates.any(does[a][cell] for a in range(size))
        following.append(gates.any([come, gates.all([cells[cell], left ^ 1])]))
    return circuit_of(
        gates,
        [size * size],
        legal=[cells[a] for a in range(size) for _ in range(size)],
        terminal=0,
        goals=[[]],
        following=following,
        initial=[0],
    )


def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GATES", 0)


def test_a_table_takes_the_place_of_the_gates_that_only_unite_moves() -> None:
    size = 40
    found = move_sets(board(size))
    assert found is not None
    assert len(found.literals) == 2 * size
    members = [
        {
            k
            for k in range(size * size)
            if found.table[k, n >> 6] >> np.uint64(n & 63) & np.uint64(1)
        }
        for n in range(2 * size)
    ]
    expected = [{a * size + b for b in range(size)} for a in range(size)]
    expected += [{a * size + b for a in range(size)} for b in range(size)]
    assert sorted(map(sorted, members)) == sorted(map(sorted, expected))


def test_where_there_is_little_to_save_the_gates_stay() -> None:
    assert move_sets(tic_tac_toe()) is None


def test_a_table_that_would_be_too_large_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST", 1000)
    assert move_sets(board(40)) is None


def test_the_kernel_answers_as_before_with_a_table() -> None:
    circuit = board(40)
    random = Random(1)
    states = [tuple(random.randint(0, 1) for _ in range(40)) for _ in range(20)]
    assert_agrees(Kernel(circuit), states, random)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_circuit(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch)
    circuit = random_circuit(seed)
    assert move_sets(circuit) is not None
    random = Random(seed)
    states = [tuple(random.randint(0, 1) for _ in circuit.facts) for _ in range(5)]
    assert_agrees(Kernel(circuit, words=random.choice([1, 4, 8])), states, random)


def test_sets_that_hold_moves_of_several_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch)
    gates = Gates(1 + 6)
    does = [2 * (2 + i) for i in range(6)]
    circuit = circuit_of(
        gates,
        [3, 3],
        legal=[1] * 6,
        terminal=0,
        goals=[[], []],
        following=[gates.any([does[0], does[4], does[5]]) ^ 1],
    )
    kernel = Kernel(circuit)
    moves = [(a, b) for a in range(3) for b in range(3)]
    after = kernel.steps(packed([(0,)] * 9), np.array(moves, np.int32))
    assert [(int(row[0]),) for row in after] == [step(circuit, (0,), m) for m in moves]
