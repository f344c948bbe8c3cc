from __future__ import annotations

from itertools import chain

import pytest

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.rows import POINTER_ROW, StepRows, ViewRows
from ggp.compiler.codegen.straightline import Kind, Program
from ggp.compiler.runtime.halves import ends_program, next_program, view_program
from ggp.compiler.runtime.move_sets import move_sets
from ggp.compiler.runtime.pass_rows import PassRows
from tests.compiler.circuits import random_circuit, tic_tac_toe


def read(program: Program) -> set[int]:
    """The rows that a program reads, but for those of its latches."""
    nodes = zip(program.kinds, program.operands, strict=True)
    latches = {row for block in program.blocks for row, _ in block.latches}
    return {operands[0] for kind, operands in nodes if kind is Kind.ROW} - latches


def written(program: Program) -> set[int]:
    return {row for row, _, _ in program.outputs}


@pytest.mark.parametrize("circuit", [tic_tac_toe(), *map(random_circuit, range(6))])
def test_a_view_reads_the_facts_and_writes_the_rest(circuit: Circuit) -> None:
    rows = ViewRows.of(circuit)
    parts = [rows.facts, rows.moves, range(rows.terminal, rows.first_goal), rows.goals]
    sizes = [len(circuit.facts), len(circuit.legal), 1, sum(map(len, circuit.goals))]
    assert [*map(len, parts)] == sizes
    assert len(rows.bad_goals) == len(circuit.roles)
    assert [*chain(*parts, rows.bad_goals)] == [*range(POINTER_ROW + 1, rows.total)]
    program = view_program(circuit)
    assert read(program) <= {*rows.facts}
    assert written(program) == {*rows.written}


@pytest.mark.parametrize("circuit", [tic_tac_toe(), *map(random_circuit, range(6))])
def test_a_view_of_the_ends_has_no_rows_for_moves(circuit: Circuit) -> None:
    rows, all_rows = ViewRows.of(circuit, has_moves=False), ViewRows.of(circuit)
    assert not rows.moves
    assert rows.total == all_rows.total - len(all_rows.moves)
    assert written(ends_program(circuit)) == {*rows.written}


@pytest.mark.parametrize("circuit", [tic_tac_toe(), *map(random_circuit, range(6))])
def test_a_step_reads_facts_and_moves_or_sets_of_moves(circuit: Circuit) -> None:
    for sets in (None, move_sets(circuit)):
        inputs = len(circuit.legal) if sets is None else len(sets.literals)
        rows = StepRows.of(circuit, inputs=inputs)
        assert len(rows.read) == len(circuit.facts) + inputs
        assert len(rows.following) == len(circuit.facts)
        program = next_program(circuit, sets)
        assert read(program) <= {*rows.read}
        assert written(program) == {*rows.following}


def test_a_step_of_moves_has_them_where_the_view_says_that_they_are_legal() -> None:
    circuit = tic_tac_toe()
    step, view = StepRows.of(circuit, inputs=len(circuit.legal)), ViewRows.of(circuit)
    assert (step.first_fact, step.first_input) == (view.first_fact, view.first_move)


def test_the_places_of_a_pass_are_its_rows_in_words() -> None:
    rows = PassRows.of(tic_tac_toe())
    places = rows.places(8)
    assert (places.budget, places.stuck) == (8 * rows.budget, 8 * rows.stuck)
    assert (places.start, places.held) == (8 * rows.start.start, 8 * rows.held.start)
    counters = {rows.budget, rows.active, rows.turn, rows.age_bits, *rows.age, *rows.young}
    assert counters <= {*rows.counters}
    assert not {*rows.generator, *rows.start, *rows.scores} & {*rows.counters}
