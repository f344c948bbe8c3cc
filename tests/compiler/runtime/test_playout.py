"""Random playouts: uniform choices, exact distributions, no bias, the same from the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import sqrt

import numpy as np
import pytest

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.playout import Playouts, Results
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError
from tests.compiler.circuits import (
    Gates,
    circuit_of,
    distribution,
    initial,
    one_choice,
    random_circuit,
    short_or_long,
    tic_tac_toe,
)
from tests.compiler.runtime.exact import assert_exact, assert_fits

FORMS: list[tuple[int, Form]] = [(8, "code"), (4, "code"), (1, "code"), (8, "table"), (1, "table")]


def play(circuit: Circuit, **options: object) -> Results:
    playouts = Playouts(circuit)
    return playouts.play(Kernel(circuit).initial(), seed=7, **options)  # type: ignore[arg-type]


@pytest.mark.sample(6)
@pytest.mark.parametrize("legal", [1, 2, 3, 5, 6, 7, 8, 13, 31, 32, 33, 50])
def test_every_legal_move_is_as_likely_as_any_other(legal: int) -> None:
    moves = [3 * i % 50 for i in range(legal)]
    circuit = one_choice([50], legal=[moves])
    playouts = Playouts(circuit, extra_bits=20)
    results = playouts.play(Kernel(circuit).initial(), seed=legal, count=2_000_000)
    counts = np.array(results.histogram[0])
    assert counts.sum() == results.count == results.steps == 2_000_000
    assert set(counts.nonzero()[0]) == set(moves)
    assert_fits(counts[moves], np.full(legal, 2_000_000 / legal))


def test_the_default_bias_is_below_one_in_a_thousand() -> None:
    results = play(one_choice([7]), count=30_000_000)
    share = np.array(results.histogram[0]) * 7 / results.count
    noise = 6 * sqrt(7 / results.count)
    assert (abs(share - 1) < 0.001 + noise).all()


@pytest.mark.long
def test_roles_that_choose_at_the_same_time_choose_independently() -> None:
    moves = [3, 5, 4]
    results = play(one_choice(moves), count=600_000, record=True)
    assert results.goals is not None
    seen = Counter(map(tuple, results.goals.tolist()))
    counts = np.array([seen[joint] for joint in product(*map(range, moves))])
    assert_fits(counts, np.full(60, 10_000.0))


def test_choices_in_turn_are_independent_of_each_other() -> None:
    # a role that chooses among four moves twice, and whose goal is both choices
    facts = 10
    gates = Gates(facts + 4)
    first, second = [2 * (1 + i) for i in range(4)], [2 * (5 + i) for i in range(4)]
    begun, over = 18, 20
    does = [2 * (1 + facts + i) for i in range(4)]
    circuit = circuit_of(
        gates,
        [4],
        legal=[TRUE] * 4,
        terminal=over,
        goals=[[(4 * i + k, gates.all([first[i], second[k]])) for i in range(4) for k in range(4)]],
        following=[
            *(
                gates.any([gates.all([begun, first[i]]), gates.all([begun ^ 1, does[i]])])
                for i in range(4)
            ),
            *(gates.all([begun, does[i]]) for i in range(4)),
            TRUE,
            begun,
        ],
    )
    results = play(circuit, count=1_600_000)
    assert_fits(np.array(results.histogram[0]), np.full(16, 100_000.0))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("words", "form"), FORMS)
def test_playouts_of_random_circuits_match_the_exact_probabilities(words: int, form: Form) -> None:
    compared = 0
    for seed in range(120):
        moves = [[3, 2], [4], [2, 1, 3]][seed % 3]
        circuit = random_circuit(seed, facts=5, moves=moves, size=60, stuck=False)
        playouts = Playouts(circuit, words=words, form=form, extra_bits=14)
        compared += assert_exact(playouts, initial(circuit), seed=seed)
    assert compared >= 8


def test_random_circuits_get_stuck_where_a_role_has_no_legal_move() -> None:
    stuck = 0
    for seed in range(12):
        circuit = random_circuit(seed, facts=3, moves=[2, 2], size=30)
        try:
            distribution(circuit, initial(circuit), 4)
        except LookupError:
            with pytest.raises(GameError):
                play(circuit, count=20_000, max_steps=4)
            stuck += 1
    assert stuck >= 3


def test_playouts_of_tic_tac_toe_match_the_theory() -> None:
    results = play(tic_tac_toe(), count=4_000_000)
    x_wins, draws, o_wins = 0.584920634920635, 0.126984126984127, 0.288095238095238
    expected = results.count * np.array([o_wins, draws, x_wins])
    # the choices are uniform to one in a thousand only
    assert (
        abs(np.array(results.histogram[0]) - expected) < 0.001 * expected + 6 * expected**0.5
    ).all()
    assert results.histogram[1] == results.histogram[0][::-1]
    assert results.sums.tolist() == [
        50 * results.histogram[role][1] + 100 * results.histogram[role][2] for role in range(2)
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("pause", [1, 2, 5])
def test_playouts_may_pause_before_they_start(pause: int) -> None:
    circuit = tic_tac_toe()
    state = Kernel(circuit).initial()
    found = []
    for words, form in FORMS:
        playouts = Playouts(circuit, words=words, form=form)
        playouts.pause = pause
        found.append(playouts.play(state, seed=3, count=100_000))
    for results in found:
        assert results.histogram == found[0].histogram
        assert results.steps == found[0].steps
        assert results.count == 100_000
    plain = Playouts(circuit).play(state, seed=3, count=100_000)
    assert found[0].histogram != plain.histogram  # the random numbers are those of other passes
    assert abs(found[0].histogram[0][2] / 100_000 - 0.58492) < 0.01
    assert abs(found[0].steps - plain.steps) < 0.01 * plain.steps


@pytest.mark.parametrize("count", [1, 7, 512, 1000, 40_000])
def test_short_games_count_no_more_than_long_ones(count: int) -> None:
    circuit = short_or_long(40)
    playouts, state = Playouts(circuit), Kernel(circuit).initial()
    total = 0
    rounds = max(1, 40_000 // count)
    rounds = min(rounds, 2000)
    for seed in range(rounds):
        results = playouts.play(state, seed=seed, count=count)
        assert results.count == count == sum(results.histogram[0])
        assert results.steps == results.histogram[0][0] + 40 * results.histogram[0][1]
        total += results.histogram[0][1]
    played = rounds * count
    assert abs(total - played / 2) < 6 * sqrt(played) / 2 + 0.001 * played


def test_short_games_count_no_more_when_time_ends_the_run() -> None:
    circuit = short_or_long(40)
    playouts, state = Playouts(circuit), Kernel(circuit).initial()
    playouts.compile()
    count = long = 0
    for seed in range(100):
        results = playouts.play(state, seed=seed, seconds=0.0001)
        assert results.count >= 512
        count += results.count
        long += results.histogram[0][1]
    assert abs(long / count - 0.5) < 6 * sqrt(0.25 / count) + 0.002


@pytest.mark.long
def test_the_same_seed_gives_the_same_playouts_on_any_cpu() -> None:
    circuit = tic_tac_toe()
    state = Kernel(circuit).initial()
    found = [
        Playouts(circuit, words=words, form=form).play(state, seed=3, count=3000, record=True)
        for words, form in FORMS
    ]
    for results in found[1:]:
        assert results.histogram == found[0].histogram
        assert results.steps == found[0].steps
        assert np.array_equal(results.goals, found[0].goals)  # type: ignore[arg-type]
        assert np.array_equal(results.lengths, found[0].lengths)  # type: ignore[arg-type]
    other = Playouts(circuit).play(state, seed=4, count=3000)
    assert other.histogram != found[0].histogram


def test_clashing_roles_do_not_depend_on_the_lane_width() -> None:
    circuit = one_choice([3, 5, 4])
    state = Kernel(circuit).initial()
    found = [
        Playouts(circuit, words=words).play(state, seed=3, count=5000).histogram
        for words in (8, 4, 1)
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.sample(4)
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 7, 8])
def test_a_step_limit_ends_playouts(limit: int) -> None:
    results = play(tic_tac_toe(), count=2000, max_steps=limit, record=True)
    assert results.lengths is not None
    assert results.lengths.max() == limit
    assert (results.lengths >= min(limit, 5)).all()
    assert results.steps == results.lengths.sum()


def test_playouts_begin_in_the_state_given() -> None:
    circuit = tic_tac_toe()
    kernel = Kernel(circuit)
    # x has two in a row, o has two in another, x is to move: one of five moves wins
    state = kernel.pack(np.array([0, 1, 12, 13, 18], np.int32))
    results = Playouts(circuit).play(state, seed=1, count=10_000, max_steps=1)
    assert results.histogram[0][2] == pytest.approx(10_000 / 5, rel=0.2)
    won = kernel.pack(np.array([0, 1, 2, 12, 13, 19], np.int32))
    results = Playouts(circuit).play(won, seed=1, count=100)
    assert (results.count, results.steps, results.histogram[0]) == (100, 0, (0, 0, 100))


def test_a_playout_without_one_goal_is_counted_without_one() -> None:
    gates = Gates(1 + 2)
    circuit = circuit_of(
        gates,
        [1, 1],
        legal=[TRUE, TRUE],
        terminal=2,
        goals=[((10, TRUE), (20, TRUE)), ((30, TRUE),)],
        following=[TRUE],
    )
    results = play(circuit, count=1000, record=True)
    assert results.histogram == ((0, 0), (1000,))
    assert results.goals is not None
    assert results.goals.tolist() == [[-1, 0]] * 1000


def test_a_role_without_a_legal_move_is_the_games_error() -> None:
    gates = Gates(1 + 2)
    circuit = circuit_of(
        gates, [2], legal=[FALSE, 3], terminal=FALSE, goals=[((0, TRUE),)], following=[TRUE]
    )
    with pytest.raises(GameError):
        play(circuit, count=10)


def test_a_game_without_end_stops_when_the_clock_does() -> None:
    gates = Gates(1 + 1)
    circuit = circuit_of(
        gates, [1], legal=[TRUE], terminal=FALSE, goals=[((0, TRUE),)], following=[TRUE]
    )
    with pytest.raises(TimeUp):
        play(circuit, count=10, deadline=Deadline.after(0.05))


@pytest.mark.parametrize(
    "options", [{}, {"seconds": 1.0, "record": True}, {"count": 1, "seconds": 1.0, "record": True}]
)
def test_playouts_need_to_know_how_many(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="count"):
        play(tic_tac_toe(), **options)


def test_no_playouts_give_nothing() -> None:
    results = play(tic_tac_toe(), count=0, record=True)
    assert (results.count, results.steps) == (0, 0)
    assert results.goals is not None
    assert results.goals.shape == (0, 2)
