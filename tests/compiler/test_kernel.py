"""The kernel against the slow evaluator, at every lane width, as code and as a table."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen import assemble, vector
from ggp.compiler.codegen import llvm_text as codegen
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.runtime.halves import view_program
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.loops import transpose
from ggp.errors import TooManyJointMoves
from ggp.native.numba_support import Words
from tests.compiler.circuits import (
    Gates,
    circuit_of,
    initial,
    packed,
    random_circuit,
    see,
    step,
    tic_tac_toe,
)

FORMS: list[Form | None] = ["code", "table", None]
WIDTHS = [*product([8, 4, 1], FORMS)]
unhurried = settings(
    deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def bits(row: Words, count: int) -> tuple[int, ...]:
    return tuple(int(row[i >> 6]) >> (i & 63) & 1 for i in range(count))


def assert_agrees(kernel: Kernel, states: list[tuple[int, ...]], random: Random) -> None:
    circuit = kernel.circuit
    array = packed(states)
    views = kernel.views(array)
    moves = [[random.randrange(len(own)) for own in circuit.moves] for _ in states]
    after = kernel.steps(array, np.array(moves, np.int32))
    for i, state in enumerate(states):
        seen = see(circuit, state)
        assert bool(views.terminal[i]) == seen.terminal
        assert tuple(views.goals[i]) == seen.goals
        legal = bits(views.legal[i], int(kernel.first_move[-1]))
        for role, first in enumerate(kernel.first_move[:-1]):
            own = legal[first : first + len(circuit.moves[role])]
            assert tuple(k for k, is_legal in enumerate(own) if is_legal) == seen.legal[role]
        assert bits(after[i], len(circuit.facts)) == step(circuit, state, moves[i])


@pytest.mark.sample(4)
@pytest.mark.parametrize(("words", "form"), WIDTHS)
@unhurried
@given(seed=st.integers(0, 10**9), count=st.sampled_from([1, 63, 64, 65, 530]))
@example(seed=381, count=1)  # a loop of the step asks for a move
def test_agrees_with_the_slow_evaluator_on_random_circuits(
    words: int, form: Form | None, seed: int, count: int
) -> None:
    random = Random(seed)
    circuit = random_circuit(seed)
    facts = len(circuit.facts)
    # the evaluator is slow: many lanes hold the same few states, in an order of their own
    few = [tuple(random.randint(0, 1) for _ in range(facts)) for _ in range(8)]
    kernel = Kernel(circuit, words=words, form=form)
    assert_agrees(kernel, few, random)
    array = packed(few)
    views = kernel.views(array)
    chosen = np.array([random.randrange(8) for _ in range(count)])
    many = kernel.views(array[chosen])
    assert (many.legal == views.legal[chosen]).all()
    assert (many.terminal == views.terminal[chosen]).all()
    assert (many.goals == views.goals[chosen]).all()
    moves = np.zeros((8, len(circuit.roles)), np.int32)
    after = kernel.steps(array, moves)
    assert (kernel.steps(array[chosen], moves[chosen]) == after[chosen]).all()
    assert (kernel.steps(array, moves[chosen], chosen) == after[chosen]).all()


def test_a_latch_is_driven_even_if_no_gate_of_its_loop_is_needed() -> None:
    circuit = random_circuit(11474)
    random = Random(11474)
    states = [tuple(random.randint(0, 1) for _ in circuit.facts) for _ in range(8)]
    assert_agrees(Kernel(circuit, words=1), states, random)


@pytest.mark.parametrize("chunk", [1, 7])
@pytest.mark.parametrize("seed", range(6))
def test_code_cut_into_small_functions_is_the_same_code(
    seed: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codegen, "CHUNK", chunk)
    monkeypatch.setattr(codegen, "WHOLE", chunk)
    circuit = random_circuit(seed, size=150)
    random = Random(seed)
    states = [tuple(random.randint(0, 1) for _ in circuit.facts) for _ in range(5)]
    assert_agrees(Kernel(circuit, words=4), states, random)


def test_a_cpu_without_ternary_logic_gets_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector.Lanes, "on", classmethod(lambda cls, _, words: cls(words, False)))
    circuit = random_circuit(3, size=700)
    random = Random(3)
    states = [tuple(random.randint(0, 1) for _ in circuit.facts) for _ in range(5)]
    assert_agrees(Kernel(circuit, words=4), states, random)


def test_expands_into_all_children_in_lexicographic_order() -> None:
    circuit = random_circuit(27, facts=70, moves=[3, 1, 4], size=200, stuck=False)
    random = Random(11)
    states = [tuple(random.randint(0, 1) for _ in range(70)) for _ in range(40)]
    kernel = Kernel(circuit, words=1)
    children = kernel.expand(packed(states), limit=12)
    for i, state in enumerate(states):
        seen = see(circuit, state)
        joint = [] if seen.terminal else list(product(*seen.legal))
        own = slice(children.first[i], children.first[i + 1])
        assert [tuple(moves) for moves in children.moves[own]] == joint
        expected = [step(circuit, state, moves) for moves in joint]
        assert [bits(row, 70) for row in children.states[own]] == expected
    assert len(children.states) > 100


def perft(kernel: Kernel, states: Words, depth: int) -> list[int]:
    counts = [len(states)]
    for _ in range(depth):
        states = kernel.expand(states, limit=100).states
        counts.append(len(states))
    return counts


def test_perft_of_tic_tac_toe() -> None:
    kernel = Kernel(tic_tac_toe())
    # the numbers of games that go on after a number of moves, as is well known
    expected = [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert perft(kernel, kernel.initial(), 9) == expected


def test_no_states_give_no_results() -> None:
    kernel = Kernel(tic_tac_toe())
    none = np.zeros((0, 1), np.uint64)
    assert len(kernel.views(none).terminal) == 0
    assert len(kernel.expand(none, limit=100).states) == 0
    assert len(kernel.steps(none, np.zeros((0, 2), np.int32))) == 0


def test_a_state_with_too_many_joint_moves_is_refused() -> None:
    kernel = Kernel(tic_tac_toe())
    with pytest.raises(TooManyJointMoves):
        kernel.expand(kernel.initial(), limit=8)
    assert len(kernel.expand(kernel.initial(), limit=9).states) == 9


@pytest.mark.parametrize("moves", [[[10, 0]], [[0, -1]]])
def test_a_move_that_does_not_exist_is_refused(moves: list[list[int]]) -> None:
    kernel = Kernel(tic_tac_toe())
    with pytest.raises(IndexError):
        kernel.steps(kernel.initial(), np.array(moves, np.int32))


def test_a_game_without_facts_still_has_a_state() -> None:
    circuit: Circuit = circuit_of(
        Gates(1), [1], legal=[1], terminal=0, goals=[((7, 1),)], following=[]
    )
    kernel = Kernel(circuit)
    assert kernel.initial().shape == (1, 1)
    assert kernel.views(kernel.initial()).goals.tolist() == [[0]]
    assert kernel.expand(kernel.initial(), limit=1).states.tolist() == [[0]]


@pytest.mark.parametrize("words", [1, 4, 8])
def test_transposing_swaps_words_and_bits(words: int) -> None:
    random = Random(5)
    blocks = np.array([random.getrandbits(64) for _ in range(64 * words)], np.uint64)
    before = blocks.reshape(64, words).copy()
    transpose(blocks, words)
    after = blocks.reshape(64, words)
    for block in range(words):
        for i in range(64):
            for k in range(64):
                assert int(after[i, block]) >> k & 1 == int(before[k, block]) >> i & 1


@pytest.mark.parametrize("words", [1, 8])
@pytest.mark.parametrize("seed", range(6))
def test_children_do_not_depend_on_their_neighbours(seed: int, words: int) -> None:
    random = Random(seed)
    kernel = Kernel(random_circuit(seed, facts=200), words=words)
    sparse = [tuple(int(random.random() < 0.03) for _ in range(200)) for _ in range(30)]
    dense = [tuple(random.randint(0, 1) for _ in range(200)) for _ in range(30)]
    # long stretches of one sparse parent, then parents that differ from lane to lane, and again
    parents = [i for i in range(12) for _ in range(64)] + [30 + i % 30 for i in range(512)]
    parents += [i for i in range(12, 30) for _ in range(57)]
    states = packed([*sparse, *dense])
    moves = np.array(
        [[random.randrange(len(own)) for own in kernel.circuit.moves] for _ in parents], np.int32
    )
    together = kernel.steps(states, moves, np.array(parents))
    order = random.sample(range(len(parents)), len(parents))
    shuffled = kernel.steps(states, moves[order], np.array(parents)[order])
    assert (shuffled == together[order]).all()
    for i in random.sample(range(len(parents)), 40):
        state = [*sparse, *dense][parents[i]]
        assert bits(together[i], 200) == step(kernel.circuit, state, moves[i].tolist())


def test_the_initial_state_has_the_initial_facts() -> None:
    circuit = random_circuit(21, facts=130)
    kernel = Kernel(circuit)
    assert bits(kernel.initial()[0], 130) == initial(circuit)


def test_a_circuit_too_large_for_code_becomes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = random_circuit(16, size=700)

    def entries() -> int:
        made = assemble.assemble(
            lambda: [view_program(circuit)], ["view"], key="", words=4, form=None, cache=None
        )
        return len(made.table)

    assert entries() == 0
    monkeypatch.setattr(assemble, "LARGEST_CODE", 10)
    assert entries() > 0
