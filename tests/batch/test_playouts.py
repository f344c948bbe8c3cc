"""Playouts from many states: the right means, the right number of playouts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp import States
from ggp.errors import GameError
from ggp.reasoner import State
from tests.batch.games import load, reference, small
from tests.batch.test_game import PHASES, STUCK


@cache
def expected(state: State) -> tuple[float, ...]:
    """The exact mean goals of random play, by the reference."""
    prolog = reference("tictactoe")
    expansion = prolog.expand(state)
    if expansion.terminal:
        return tuple(float(goal or 0) for goal in expansion.goals)
    means = [expected(after) for after in expansion.successors]
    return tuple(float(np.mean(column)) for column in zip(*means, strict=True))


def late(seed: int, n: int) -> States:
    """States of tic-tac-toe after five moves, some of them terminal."""
    game = load("tictactoe")
    states = game.init(n)
    for step in range(5):
        states = game.step(states, game.random_moves(states, seed=seed + step))
    return states


@settings(max_examples=5)
@given(seed=st.integers(0, 2**30), n=st.sampled_from([1, 3, 40, 700]))
def test_means_are_those_of_random_play(seed: int, n: int) -> None:
    game, states, prolog = load("tictactoe"), late(seed, n), reference("tictactoe")
    count = 4000
    means = game.playouts(states, count, seed=seed)
    assert means.dtype == np.float32
    assert means.shape == (n, 2)
    for index in {0, n // 2, n - 1}:
        exact = np.array(expected(prolog.state_of(states.facts(index))))
        # a mean of 4000 goals has a standard error of 0.8 at most
        assert (np.abs(means[index] - exact) < 4.5).all()
        if states.terminated[index]:
            assert means[index].tolist() == states.goals[index].tolist()


@pytest.mark.parametrize(("n", "count"), [(1, 1), (1, 513), (3, 7), (511, 2), (513, 3), (1100, 1)])
def test_each_state_gets_its_count_of_playouts(n: int, count: int) -> None:
    """Goals are 0, 50 or 100, so means times the count are multiples of 50, and sum up to 100."""
    means = load("tictactoe").playouts(late(1, n), count, seed=2).astype(float) * count
    assert np.abs(means / 50 - (means / 50).round()).max() < 1e-3
    assert np.abs(means.sum(axis=1) - 100 * count).max() < 1e-2


def test_a_seed_decides() -> None:
    game = load("tictactoe")
    states = game.init(5)
    one, same, other = (game.playouts(states, 30, seed=seed).tolist() for seed in (1, 1, 2))
    assert one == same != other
    assert game.playouts(states, 30).tolist() != game.playouts(states, 30).tolist()


def test_steps_are_limited() -> None:
    game = load("tictactoe")
    assert game.playouts(game.init(3), 5, max_steps=0).tolist() == [[50, 50]] * 3
    assert game.playouts(game.init(3), 5, max_steps=4).tolist() == [[50, 50]] * 3
    assert (game.playouts(game.init(3), 500, max_steps=5, seed=1)[:, 0] > 50).all()


def test_missing_goals_count_as_nothing() -> None:
    game = small(PHASES)
    means = game.playouts(game.init(2), 1000, seed=1)
    assert (np.abs(means[:, 0] - 50) < 8).all()
    assert (means[:, 1:] == 0).all()


def test_wrong_use() -> None:
    game = load("tictactoe")
    with pytest.raises(ValueError, match="count of 1"):
        game.playouts(game.init(), 0)
    with pytest.raises(ValueError, match="0 steps"):
        game.playouts(game.init(), 1, max_steps=-1)
    stuck = small(STUCK)
    with pytest.raises(GameError, match="no legal move"):
        stuck.playouts(stuck.init(3))
