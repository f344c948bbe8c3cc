"""Moves that stand in groups are chosen, and change the state, as they should; which moves do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.codegen.straightline import Builder
from ggp.compiler.runtime import pass_program, rare_moves
from ggp.compiler.runtime.choice import note_stuck, tally
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.pass_program import pass_programs
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.playout import Playouts
from ggp.compiler.runtime.rare_moves import groups_of, moves_made
from ggp.compiler.runtime.turns import NO_TURNS, find_turns
from ggp.errors import GameError
from tests.compiler.circuits import (
    Gates,
    by_gates,
    circuit_of,
    distribution,
    initial,
    one_choice,
    random_circuit,
    tic_tac_toe,
)
from tests.compiler.runtime.exact import assert_exact, assert_fits

FORMS: list[tuple[int, Form]] = [(8, "code"), (4, "code"), (1, "code"), (8, "table"), (1, "table")]


@contextmanager
def grouped(seed: int, *, again: bool) -> Iterator[None]:
    """Have some moves of each role stand in groups, which count them again or share the counts."""
    random = Random(seed)

    def groups(moves: Iterable[int], _: NDArray[np.float64]) -> list[list[int]]:
        shuffled = random.sample([*moves], len([*moves]))
        rare, count = shuffled[: random.randint(1, len(shuffled))], random.randint(1, 3)
        return [group for i in range(count) if (group := rare[i::count])]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_moves, "_FEWEST_MOVES", 0)
        patch.setattr(pass_program, "groups_of", groups)
        patch.setattr(pass_program, "_FEW_GATES", 1000 if again else 0)
        yield


@pytest.mark.sample(5)
@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("legal", [1, 2, 3, 4, 7, 8, 13, 15, 16, 31, 33, 50])
def test_every_legal_move_is_as_likely_as_any_other(legal: int, again: bool) -> None:
    moves = [3 * i % 50 for i in range(legal)]
    circuit = one_choice([50], legal=[moves])
    with grouped(legal, again=again):
        playouts = Playouts(circuit, extra_bits=20)
        results = playouts.play(Kernel(circuit).initial(), seed=legal, count=500_000)
    counts = np.array(results.histogram[0])
    assert set(counts.nonzero()[0]) == set(moves)
    assert_fits(counts[moves], np.full(legal, 500_000 / legal))


@pytest.mark.long
@pytest.mark.parametrize("again", [True, False])
def test_roles_that_choose_at_the_same_time_choose_independently(again: bool) -> None:
    moves = [3, 5, 4]
    circuit = one_choice(moves)
    with grouped(1, again=again):
        results = Playouts(circuit).play(
            Kernel(circuit).initial(), seed=2, count=600_000, record=True
        )
    assert results.goals is not None
    seen = Counter(map(tuple, results.goals.tolist()))
    counts = np.array([seen[joint] for joint in product(*map(range, moves))])
    assert_fits(counts, np.full(60, 10_000.0))


@pytest.mark.sample(1)
@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize(("words", "form"), FORMS)
def test_playouts_of_random_circuits_match_the_exact_probabilities(
    words: int, form: Form, again: bool
) -> None:
    compared = 0
    for seed in range(60):
        moves = [[3, 2], [4], [2, 5, 3]][seed % 3]
        circuit = random_circuit(seed, facts=5, moves=moves, size=60, stuck=False)
        if len(distribution(circuit, initial(circuit), 3)) < 2:
            continue
        with grouped(seed, again=again):
            playouts = Playouts(circuit, words=words, form=form, extra_bits=14)
            compared += assert_exact(playouts, initial(circuit), seed=seed)
    assert compared >= 3


@pytest.mark.long
def test_playouts_of_tic_tac_toe_match_the_theory() -> None:
    circuit = tic_tac_toe()
    x_wins, draws, o_wins = 0.584920634920635, 0.126984126984127, 0.288095238095238
    for seed in range(4):
        with grouped(seed, again=seed % 2 == 0):
            results = Playouts(circuit, extra_bits=20).play(
                Kernel(circuit).initial(), seed=seed, count=400_000
            )
        assert_fits(np.array(results.histogram[0]), 400_000 * np.array([o_wins, draws, x_wins]))


def test_each_group_has_a_phase_and_a_row_that_says_who_needs_it() -> None:
    circuit = tic_tac_toe()
    with grouped(1, again=True):
        programs = pass_programs(circuit, PassRows.of(circuit), find_turns(circuit))
    for turn, program in enumerate(programs):
        phases = [f"rare{turn}.{number}" for number in range(len(program.rare))]
        assert phases
        assert set(phases) == {phase for phase in program.phases if phase.startswith("rare")}


@given(
    shares=st.lists(st.sampled_from([0.0, 1e-6, 1e-4, 1e-3, 0.01, 0.2]), max_size=120),
    impossible=st.sets(st.integers(0, 119)),
)
def test_groups_are_of_rare_moves(shares: list[float], impossible: set[int]) -> None:
    moves = [move for move in range(len(shares)) if move not in impossible]
    groups = groups_of(moves, np.array(shares))
    members = [move for group in groups for move in group]
    assert len(members) == len(set(members))
    assert set(members) <= set(moves)
    for group in groups:
        lanes = 512 * sum(shares[move] for move in group)
        assert lanes * len(group) <= 3.0 + 1e-9
        assert len(group) >= 8
    if members:
        assert len(members) >= 32
        left = set(moves) - set(members)
        assert max(shares[m] for m in members) <= min((shares[m] for m in left), default=1.0)


def test_what_is_never_made_stands_in_one_group() -> None:
    shares = np.array([0.0] * 100 + [0.1] * 10)
    assert groups_of(range(110), shares) == [[*range(100)]]
    assert groups_of(range(80, 110), shares) == []


def test_the_sample_counts_how_often_moves_are_made() -> None:
    circuit = one_choice([70, 3], legal=[[0, 1, 69], [0, 2]])
    found = moves_made(circuit, NO_TURNS)
    assert found is not None
    (made,) = found
    assert made[[0, 1, 69, 70, 72]] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.5, 0.5])
    assert made.sum() == pytest.approx(2)


def test_the_sample_tells_turns_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rare_moves, "_FEWEST_MOVES", 0)
    circuit = tic_tac_toe()
    found = moves_made(circuit, find_turns(circuit))
    assert found is not None
    assert len(found) == 2
    for turn, made in enumerate(found):
        own, other = np.split(made, 2)[:: 1 if turn == 0 else -1]
        assert own.max() < 0.2  # nine cells
        assert other.max() == pytest.approx(1)  # the role waits
        assert made.sum() == pytest.approx(2)


def test_few_moves_are_not_sampled() -> None:
    assert moves_made(tic_tac_toe(), NO_TURNS) is None


def test_a_role_without_moves_is_not_sampled() -> None:
    circuit = circuit_of(
        Gates(1 + 70), [70, 0], legal=[TRUE] * 70, terminal=2, goals=[(), ()], following=[TRUE]
    )
    assert moves_made(circuit, NO_TURNS) is None
    with pytest.raises(GameError):
        Playouts(circuit).play(Kernel(circuit).pack(np.empty(0, np.int32)), seed=1, count=1)


def stuck_game(seed: int) -> Circuit:
    """The game ends where the role has no legal move, and a fact holds; or where another does."""
    random = Random(seed)
    gates = Gates(6 + 4)
    facts = [2 * (1 + i) for i in range(6)]
    legal = [gates.all([*random.sample(facts, 2)]) ^ random.getrandbits(1) for _ in range(4)]
    stuck = gates.all([*(literal ^ 1 for literal in legal), facts[0]])
    return circuit_of(
        gates, [4], legal=legal, terminal=gates.any([stuck, facts[5]]), goals=[()],
        following=[TRUE] * 6,
    )  # fmt: skip


def test_who_is_stuck_is_told_from_the_count() -> None:
    noted = 0
    for seed in range(20):
        circuit = stuck_game(seed)
        builder = Builder()
        rows = builder.new_rows(6)
        known = {1 + fact: builder.row(row) for fact, row in enumerate(rows)}
        legal = builder.add(circuit, circuit.legal.tolist(), known)
        before = set(known)
        tree = tally(builder, dict(enumerate(legal)))
        note_stuck(builder, circuit, [range(4)], [tree], known)
        noted += set(known) != before
        (literal,) = builder.add(circuit, [circuit.terminal], known)
        program = builder.program()
        for state in product([0, 1], repeat=6):
            values = by_gates(program, {known[1 + i] >> 1: bit for i, bit in enumerate(state)})
            expected = [0, *state, *[0] * 4]
            for x, y in circuit.gates[len(expected) :].tolist():
                expected.append((expected[x >> 1] ^ x & 1) & (expected[y >> 1] ^ y & 1))
            terminal = expected[circuit.terminal >> 1] ^ circuit.terminal & 1
            assert values[literal >> 1] ^ literal & 1 == terminal
    assert noted >= 10


def test_several_roles_are_stuck_at_once() -> None:
    gates = Gates(6 + 6)
    legal = [2 * (1 + fact) for fact in range(6)]
    circuit = circuit_of(
        gates, [3, 3], legal=legal, terminal=gates.all([literal ^ 1 for literal in legal]),
        goals=[(), ()], following=[TRUE] * 6,
    )  # fmt: skip
    builder = Builder()
    known = {1 + fact: builder.row(row) for fact, row in enumerate(builder.new_rows(6))}
    literals = builder.add(circuit, legal, known)
    trees = [tally(builder, {m: literals[m] for m in moves}) for moves in (range(3), range(3, 6))]
    note_stuck(builder, circuit, [range(3), range(3, 6)], trees, known)
    counts = [builder.any(tree.count) ^ 1 for tree in trees if tree]
    assert known[circuit.terminal >> 1] == builder.all(counts)


def test_what_gates_share_is_divided_once() -> None:
    gates = Gates(80 + 1)
    left = right = 2
    for fact in range(1, 79):  # a way for each fact, and twice as many paths
        left, right = (
            gates.all([left, right, 2 * (1 + fact)]), gates.all([left, right, 2 * (2 + fact)])
        )  # fmt: skip
    circuit = circuit_of(
        gates, [1], legal=[3], terminal=gates.all([left, right]), goals=[()], following=[TRUE] * 80
    )
    builder = Builder()
    known = {1 + fact: builder.row(row) for fact, row in enumerate(builder.new_rows(80))}
    tree = tally(builder, dict(enumerate(builder.add(circuit, [3], known))))
    note_stuck(builder, circuit, [range(1)], [tree], known)
    assert circuit.terminal >> 1 in known


def test_a_role_without_moves_is_never_noted() -> None:
    circuit = circuit_of(
        Gates(2 + 1), [1], legal=[FALSE], terminal=2, goals=[()], following=[TRUE, TRUE]
    )
    builder = Builder()
    known = {1 + fact: builder.row(row) for fact, row in enumerate(builder.new_rows(2))}
    builder.add(circuit, circuit.legal.tolist(), known)
    before = dict(known)
    note_stuck(builder, circuit, [[]], [None], known)
    assert known == before
