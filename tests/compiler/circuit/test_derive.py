"""Derived circuits are compared with what the ground rules say, evaluated one by one."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.compiler.circuit.derivation import Derivation
from ggp.compiler.circuit.evaluate import evaluate
from ggp.compiler.circuit.gates import Graph
from ggp.compiler.circuit.order import in_order, reaches
from ggp.compiler.grounding.ground_program import GroundProgram, read_aspif
from ggp.errors import ReasonerError, ReasonerTimeout

#: Atoms 1 to INPUTS are given.
INPUTS, ATOMS = 3, 9

#: Rules as (head, body). Only inputs are negated, and positive atoms may form cycles.
rules = st.lists(
    st.integers(INPUTS + 1, ATOMS).flatmap(
        lambda head: st.tuples(
            st.just(head),
            st.lists(
                st.one_of(st.integers(1, ATOMS), st.integers(1, INPUTS).map(lambda atom: -atom)),
                max_size=4,
            ),
        )
    ),
    max_size=20,
)


def program_of(given_rules: list[tuple[int, list[int]]]) -> GroundProgram:
    lines = ["asp 1 0 0"]
    lines += (
        f"1 0 1 {head} 0 {len(body)}{''.join(f' {literal}' for literal in body)}"
        for head, body in given_rules
    )
    lines += (f"5 {atom} 2" for atom in range(1, INPUTS + 1))
    lines += [f"4 1 x 1 {ATOMS}", "0"]
    return read_aspif("\n".join([*lines, ""]).encode())


def least_model(given_rules: list[tuple[int, list[int]]], held: set[int]) -> set[int]:
    model = set(held)
    while True:
        more = {
            head
            for head, body in given_rules
            if all(lit in model if lit > 0 else -lit not in held for lit in body)
        }
        if more <= model:
            return model
        model |= more


@given(rules, st.permutations(range(1, ATOMS + 1)))
def test_atoms_have_the_values_of_the_least_model(
    given_rules: list[tuple[int, list[int]]], asked: list[int]
) -> None:
    program = program_of(given_rules)
    graph = Graph(INPUTS)
    inputs = {atom: 2 * atom for atom in range(1, INPUTS + 1)}
    derivation = Derivation(program, graph=graph, given={0: 1} | inputs, due=time.monotonic() + 60)
    literals = [*derivation.literals(asked[:4]), *derivation.literals(asked[4:])]
    derivation.check_negation()
    latches = derivation.latches
    ordered = in_order(*graph.operands, inputs=INPUTS, latches=latches, roots=literals)
    roots = ordered.literals(literals)
    for bits in product((0, 1), repeat=INPUTS):
        values = evaluate(ordered.gates, ordered.loops, bits, lanes=1)
        held = {atom for atom, bit in enumerate(bits, start=1) if bit}
        model = least_model(given_rules, held)
        true = [bool(values[root >> 1] ^ root & 1) for root in roots]
        assert true == [atom in model for atom in asked]
    for atom, literal in zip(asked, literals, strict=True):
        below, pending = set[int](), [literal >> 1]
        while pending:
            if (node := pending.pop()) not in below:
                below.add(node)
                pending += (graph.gates.left[node] >> 1, graph.gates.right[node] >> 1)
                pending += [latches[node] >> 1] if node in latches else []
        for target in range(1, INPUTS + 1):
            found = reaches(graph, [literal], latches, range(target, target + 1))
            assert found == (target in below), atom


def test_each_gate_comes_after_those_it_needs() -> None:
    given_rules = [(4, [1, 2]), (5, [4, -3]), (6, [5, 4]), (6, [1]), (7, [6, -2])]
    graph = Graph(INPUTS)
    inputs = {atom: 2 * atom for atom in range(1, INPUTS + 1)}
    derivation = Derivation(
        program_of(given_rules), graph=graph, given={0: 1} | inputs, due=time.monotonic() + 60
    )
    roots = derivation.literals([7, 5])
    ordered = in_order(*graph.operands, inputs=INPUTS, latches={}, roots=roots)
    nodes = np.arange(INPUTS + 1, len(ordered.gates))
    assert len(nodes)
    assert (ordered.gates[nodes] >> 1 < nodes[:, None]).all()
    # what the first root needs comes first
    assert ordered.literal(roots[0]) >> 1 < len(ordered.gates)


def test_an_atom_that_depends_on_its_own_negation_is_an_error() -> None:
    program = program_of([(4, [-5]), (5, [4])])
    derivation = Derivation(
        program,
        graph=Graph(INPUTS),
        given={0: 1, 1: 2, 2: 4, 3: 6},
        due=time.monotonic() + 60,
    )
    derivation.literals([4])
    with pytest.raises(ReasonerError, match="own negation"):
        derivation.check_negation()


def test_the_time_limit_is_looked_at() -> None:
    derivation = Derivation(
        program_of([(4, [1])]), graph=Graph(INPUTS), given={0: 1}, due=time.monotonic() - 1
    )
    with pytest.raises(ReasonerTimeout, match="time limit"):
        derivation.literals([4])
