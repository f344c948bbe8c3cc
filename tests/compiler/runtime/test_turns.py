"""Facts that go round in a cycle, and random play that has a program for each point of it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ggp.batch.playing import StatePlayouts
from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.playout import Playouts
from ggp.compiler.runtime.turns import NO_TURNS, find_turns, no_turns
from tests.compiler.circuits import (
    Gates,
    circuit_of,
    distribution,
    initial,
    one_choice,
    packed,
    random_circuit,
    see,
    step,
    tic_tac_toe,
)
from tests.compiler.runtime.exact import assert_exact


def ring(length: int, *, beginning: int = 0, moved: bool = False) -> Circuit:
    """One of `length` facts is true, in turn, if a move does not stop it.

    There is a second move while the last of them is true.
    """
    gates = Gates(length + 2)
    facts, move = [2 * (1 + i) for i in range(length)], 2 * (1 + length)
    following = [facts[i - 1] for i in range(length)]
    if moved:
        following[0] = gates.all([following[0], move])
    return circuit_of(
        gates, [2], legal=[TRUE, facts[-1]], terminal=FALSE, goals=[((50, TRUE),)],
        following=following, initial=[beginning],
    )  # fmt: skip


def clock(length: int) -> Circuit:
    """Two roles that move in turn, steps, and for each step whether its role did its first move."""
    steps = 2 + length
    gates = Gates(2 + 2 * length + 6)
    white, black = 2, 4
    step = [2 * (1 + 2 + i) for i in range(length)]
    first = [2 * (1 + steps + i) for i in range(length)]
    does = [2 * (1 + 2 + 2 * length + i) for i in range(6)]
    chosen = gates.any([does[0], does[3]])
    return circuit_of(
        gates,
        [3, 3],
        legal=[white, white, black, black, black, white],
        terminal=FALSE,
        goals=[((50, TRUE),), ((50, TRUE),)],
        following=[
            black,
            white,
            FALSE,
            *step[:-1],
            *(
                gates.any([own, gates.all([at, chosen])])
                for at, own in zip(step, first, strict=True)
            ),
        ],
        initial=[0, 2],
    )


def test_whose_turn_it_is_in_tic_tac_toe_goes_round() -> None:
    turns = find_turns(tic_tac_toe())
    assert [turns.known(turn) for turn in range(len(turns))] == [
        {18: True, 19: False},
        {18: False, 19: True},
    ]
    assert turns.signs in ((18,), (19,))


@pytest.mark.parametrize("length", range(2, 7))
def test_a_ring_is_a_cycle_from_the_first_state_on(length: int) -> None:
    turns = find_turns(ring(length, beginning=1))
    assert [turns.known(turn) for turn in range(len(turns))] == [
        {fact: fact == (1 + turn) % length for fact in range(length)} for turn in range(length)
    ]


@pytest.mark.parametrize("circuit", [ring(7), ring(3, moved=True), one_choice([3])])
def test_long_rings_and_facts_that_a_move_changes_are_no_cycle(circuit: Circuit) -> None:
    assert find_turns(circuit) == NO_TURNS


@pytest.mark.parametrize("length", [7, 300])
def test_a_clock_tells_more_than_whose_turn_it_is(length: int) -> None:
    circuit = clock(length)
    turns = find_turns(circuit)
    assert len(turns) == 2
    for turn in range(2):
        known = turns.known(turn)
        assert known[turn] is True
        assert known[1 - turn] is False
        # at an even step white moves, so that the odd steps are false
        assert all(known[2 + step] is False for step in range(1 - turn, length, 2))
        # but whether the first move was done is open for each step
        assert not any(2 + length + step in known for step in range(length - 1))


def test_facts_hold_what_the_cycle_says_in_every_state_of_a_game() -> None:
    for seed in range(20):
        circuit = random_circuit(
            seed, facts=12, moves=[3, 2], size=80, stuck=False, turns=2 + seed % 5
        )
        turns = find_turns(circuit)
        random, state = Random(seed), initial(circuit)
        for made in range(20):
            known = turns.known(made % len(turns))
            assert all(state[fact] == held for fact, held in known.items())
            assert turns.has(packed([state])).all()
            seen = see(circuit, state)
            state = step(circuit, state, [random.choice(own) for own in seen.legal])


@pytest.mark.sample(1)
@pytest.mark.parametrize(("words", "form"), [(8, "code"), (1, "code"), (8, "table"), (1, "table")])
def test_playouts_from_any_turn_match_the_exact_probabilities(words: int, form: Form) -> None:
    compared = 0
    for seed in range(200):
        circuit = random_circuit(
            seed, facts=7, moves=[[3, 2], [4], [2, 1, 3]][seed % 3], size=60, stuck=False,
            turns=2 + seed % 3,
        )  # fmt: skip
        playouts = Playouts(circuit, words=words, form=form, extra_bits=14)
        state = initial(circuit)
        for _ in range(3):
            compared += assert_exact(playouts, state, seed=seed)
            state = step(circuit, state, [0] * len(circuit.roles))
    assert compared >= 10


def test_states_that_no_game_reaches_are_played_without_turns() -> None:
    circuit = tic_tac_toe()
    both = np.array([[3 << 18]], np.uint64)  # it is x's turn and o's
    results = Playouts(circuit).play(both, seed=1, count=1000)
    plain = Playouts(circuit, turns=no_turns).play(both, seed=1, count=1000)
    assert results.histogram == plain.histogram
    assert results.steps == plain.steps > 0
    start = Kernel(circuit).initial().reshape(1, -1)
    states = np.concatenate([start, both])
    means = StatePlayouts(circuit, cache=None).means(
        states, count=4000, generator=np.random.default_rng(0), max_steps=None
    )
    assert means[0, 0] == pytest.approx(64.8, abs=3)
    # with two moves at a time both may win, and then neither gets a point
    expected = plain.sums / plain.count
    assert means[1] == pytest.approx(expected, abs=5)


@pytest.mark.long
def test_states_at_several_turns_are_played_side_by_side() -> None:
    circuit = tic_tac_toe()
    states = [initial(circuit)]
    for moves in ((0, 9), (9, 1), (2, 9), (9, 4)):
        states.append(step(circuit, states[-1], moves))
    expected = []
    for state in states:
        value = 0.0
        for (goals, _), chance in distribution(circuit, state, 9).items():
            value += chance * circuit.goals[0][goals[0]][0]
        expected.append(value)
    means = StatePlayouts(circuit, cache=None).means(
        packed(states),
        count=20_000,
        generator=np.random.default_rng(0),
        max_steps=None,
    )
    assert means[:, 0] == pytest.approx(expected, abs=2.5)


@pytest.mark.parametrize("first", range(3))
def test_a_step_limit_ends_playouts_at_any_turn(first: int) -> None:
    state = packed([[int(fact == first) for fact in range(3)]])
    results = Playouts(ring(3)).play(state, seed=1, count=700, max_steps=5, record=True)
    assert results.lengths is not None
    assert results.lengths.tolist() == [5] * 700
