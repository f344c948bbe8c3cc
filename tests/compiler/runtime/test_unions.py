"""The gates of sets of moves against the slow evaluator, for all joint moves."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.straightline import Builder, Kind, Program
from ggp.compiler.runtime import unions
from ggp.compiler.runtime.unions import Unions, complete
from tests.compiler.circuits import Gates, by_gates, circuit_of, random_circuit, step


def next_program(
    circuit: Circuit, possible: list[list[int]], late: Collection[int] = ()
) -> Program:
    """A program that reads facts and moves, and writes the next facts into the rows after these.

    A second phase adds the moves that are late, numbered among all roles'.
    """
    builder = Builder()
    facts = builder.new_rows(len(circuit.facts))
    known = {1 + fact: builder.row(row) for fact, row in enumerate(facts)}
    firsts = [*accumulate(map(len, circuit.moves), initial=0)]
    moves = builder.new_rows(firsts[-1])
    results = builder.new_rows(len(circuit.next))
    able = [[first + move for move in own] for first, own in zip(firsts, possible, strict=False)]
    made = {move: builder.row(moves[move]) for own in able for move in own}
    made |= {own[0]: TRUE for own in able if len(own) == 1}
    wanted = circuit.next.tolist()
    found = Unions.of(circuit, wanted, known, able)
    if found is None:
        known |= {1 + len(facts) + move: made.get(move, FALSE) for move in range(firsts[-1])}
    else:
        united = found.add(builder, {m: x for m, x in made.items() if m not in late})
        builder.begin_phase("late")
        with builder.private(shares=False):
            complete(builder, united.incomplete, {m: x for m, x in made.items() if m in late})
        builder.begin_phase("last")
        known |= found.literals(builder, united)
    for row, literal in zip(results, builder.add(circuit, wanted, known), strict=True):
        builder.write(row, literal)
    return builder.program()


def after(program: Program, circuit: Circuit, state: list[int], moves: list[int]) -> list[int]:
    done = [
        int(i == move)
        for move, own in zip(moves, circuit.moves, strict=True)
        for i in range(len(own))
    ]
    rows = dict(enumerate([*state, *done]))
    first = len(rows)
    values: dict[int, int] = {}
    for phase in program.phases:
        read = {
            node: rows.get(program.operands[node][0], 0)
            for node, kind in enumerate(program.kinds)
            if kind is Kind.ROW
        }
        now = by_gates(program, values | read)
        blocks = [block for block in program.blocks if block.phase == phase]
        values |= {node: now[node] for block in blocks for node in range(block.first, block.last)}
        rows |= {
            row: now[literal >> 1] ^ (literal & 1)
            for row, literal, block in program.outputs
            if program.blocks[block] in blocks
        }
    return [rows[first + fact] for fact in range(len(state))]


def assert_agrees(
    circuit: Circuit, possible: list[list[int]], random: Random, late: Collection[int] = ()
) -> None:
    program = next_program(circuit, possible, late)
    for _ in range(4):
        state = [random.randint(0, 1) for _ in circuit.facts]
        for moves in product(*possible):
            assert after(program, circuit, state, [*moves]) == [*step(circuit, state, moves)]


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**9), most=st.integers(1, 12))
def test_random_circuits_make_the_same_step(seed: int, most: int) -> None:
    random = Random(seed)
    circuit = random_circuit(seed, facts=6, moves=[5, 12, 1][: random.randint(1, 3)], size=120)
    if circuit.loops:
        return
    possible = [
        sorted(random.sample(range(len(own)), min(len(own), random.randint(1, most))))
        for own in circuit.moves
    ]
    moves = sum(map(len, circuit.moves))
    late = random.sample(range(moves), random.choice([0, random.randint(0, moves)]))
    assert_agrees(circuit, possible, random, late)


@settings(deadline=None, max_examples=40)
@given(
    sets=st.lists(st.sets(st.integers(0, 13)), min_size=1, max_size=12),
    most_sets=st.sampled_from([0, 3000]),
    per_move=st.sampled_from([0, 1, 4]),
)
def test_any_sets_of_two_roles(sets: list[set[int]], most_sets: int, per_move: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unions, "_MOST_SETS", most_sets)
        patch.setattr(unions, "_UNIONS", per_move)
        gates = Gates(len(sets) + 14)
        first = 1 + len(sets)
        following = [gates.any(2 * (first + move) for move in sorted(own)) ^ 1 for own in sets]
        circuit = circuit_of(
            gates, [8, 6], legal=[TRUE] * 14, terminal=FALSE, goals=[(), ()], following=following
        )
        assert_agrees(circuit, [[*range(8)], [*range(6)]], Random(1))


def test_a_large_set_is_the_complement_of_the_rest() -> None:
    gates = Gates(1 + 100)
    following = [gates.any(2 * (2 + move) for move in range(98))]
    circuit = circuit_of(
        gates, [100], legal=[TRUE] * 100, terminal=FALSE, goals=[()], following=following
    )
    program = next_program(circuit, [[*range(100)]])
    assert sum(program.live()) - 2 == 1  # of two rows


@pytest.mark.long
def test_what_sets_have_in_common_is_computed_once() -> None:
    cells = 12
    pairs = [*product(range(cells), range(cells))]
    gates = Gates(2 * cells + len(pairs))
    does = [2 * (1 + 2 * cells + move) for move in range(len(pairs))]
    rows = [
        [does[move] for move, pair in enumerate(pairs) if pair[0] == cell] for cell in range(cells)
    ]
    untouched = [
        gates.any(does[move] for move, pair in enumerate(pairs) if cell not in pair)
        for cell in range(cells)
    ]
    circuit = circuit_of(
        gates, [len(pairs)], legal=[TRUE] * len(pairs), terminal=FALSE, goals=[()],
        following=[*(gates.any(row) for row in rows), *untouched],
    )  # fmt: skip
    program = next_program(circuit, [[*range(len(pairs))]])
    assert_agrees(circuit, [[*range(len(pairs))]], Random(2))
    # a row takes 11 gates, a column 11, and both together one
    assert sum(program.live()) - len(pairs) <= cells * (11 + 11 + 1)
