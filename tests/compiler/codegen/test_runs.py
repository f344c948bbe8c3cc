"""The order of a table's entries; the covers that they compute against the gates."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.codegen import runs
from ggp.compiler.codegen.cover import cover
from ggp.compiler.codegen.runs import in_runs
from ggp.compiler.codegen.straightline import Kind, Program
from ggp.compiler.runtime.halves import view_program
from tests.compiler.circuits import by_gates, random_circuit


def by_cover(program: Program, values: dict[int, int]) -> dict[int, int]:
    """Return the values of the nodes that the cover computes, and of those that it reads."""
    values = {0: 0, **values}
    blocks, inputs, functions = cover(program)
    for block in blocks:
        for node in block.tolist():
            x, y, z = (values[below] if below >= 0 else 0 for below in inputs[node].tolist())
            values[node] = int(functions[node]) >> (4 * x + 2 * y + z) & 1
    return values


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**9))
def test_a_cover_computes_what_the_gates_do_with_fewer(seed: int) -> None:
    circuit = random_circuit(seed, facts=9, moves=[3], size=300)
    program = view_program(replace(circuit, loops=()))
    rows = [node for node, kind in enumerate(program.kinds) if kind is Kind.ROW]
    random = Random(seed)
    for _ in range(8):
        values = {node: random.randint(0, 1) for node in rows}
        expected, found = by_gates(program, values), by_cover(program, values)
        assert found.items() <= expected.items()
        assert all(literal >> 1 in found for _, literal, _ in program.outputs)
        assert len(found) <= 1 + len(rows) + sum(program.live())


@pytest.mark.parametrize("window", [3, 64, 4096])
def test_entries_stand_after_what_they_read_and_in_long_runs(
    window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_WINDOW", window)
    random = np.random.default_rng(1)
    count = 6000
    inputs = np.full((count, 3), -1, np.int32)
    for node in range(100, count):
        inputs[node] = random.integers(max(0, node - 2000), node, 3)
    functions = random.integers(0, 5, count).astype(np.uint8)
    nodes = np.arange(100, count, dtype=np.int32)
    order = in_runs(nodes, inputs, functions)
    assert sorted(order.tolist()) == nodes.tolist()
    place = np.zeros(count, np.int64)
    place[order] = 1 + np.arange(len(order))
    assert (place[inputs[order]] < place[order][:, None]).all()

    def breaks(of: list[int]) -> int:
        return sum(a != b for a, b in pairwise(functions[of].tolist()))

    if window > 3:
        assert breaks(order.tolist()) < 0.5 * breaks(nodes.tolist())
