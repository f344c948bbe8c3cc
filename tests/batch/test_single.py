"""One state at a time: the same states, moves and goals as in batches."""

from __future__ import annotations

import numpy as np
import pytest

from ggp import Game
from ggp.batch.single import Position
from ggp.gdl import Description
from tests.batch.games import load
from tests.batch.test_game import PHASES

GAMES = (
    "connectfour",
    "breakthrough",
    "montyhall",
    "rockpaperscissors",
    "triad",
    "tron",
    "uptoten",
)


def agrees(game: Game, position: Position) -> bool:
    """Whether a batch of one says the same of a position."""
    from ggp.batch import States

    states = States(game, position.words)
    legal = [np.flatnonzero(own).tolist() for own in states.legal[0]]
    is_over = bool(states.terminated[0])
    assert (position.terminal, position.goals) == (is_over, states.goals[0].tolist())
    return position.legal == legal and bool((position.packed == states.views.legal).all())


def play(game: Game, seed: int) -> None:
    generator = np.random.default_rng(seed)
    position, states = game.single.initial, game.init()
    for _ in range(60):
        assert agrees(game, position)
        if position.terminal:
            return
        joint = [int(generator.choice(own)) for own in position.legal]
        after, made = game.single.after(position, joint)
        states = game.step(states, [joint])
        assert after is not None
        assert (made, after.words.tolist()) == (1, states.words.tolist())
        position = after


@pytest.mark.parametrize("name", GAMES)
def test_plays_agree_with_batches(name: str) -> None:
    game = load(name)
    for seed in range(5):
        play(game, seed)


def test_moves_are_drawn_until_a_role_has_a_choice() -> None:
    game = load("connectfour")
    begin = game.single.initial
    first, made = game.single.after(begin, [3, -1], role=0, most=100, seed=5)
    assert first is not None
    assert (made, len(first.legal[0])) == (2, 7)
    again, _ = game.single.after(begin, [3, -1], role=0, most=100, seed=5)
    assert again is not None
    assert again.words.tolist() == first.words.tolist()
    others = {
        game.single.after(begin, [3, -1], role=0, most=100, seed=seed)[0].words.tobytes()  # type: ignore[union-attr]
        for seed in range(50)
    }
    assert len(others) == 7  # each of the other role's moves
    one, made = game.single.after(begin, [3, -1], role=0, most=1, seed=5)
    assert one is not None
    assert (made, len(one.legal[0])) == (1, 1)


def test_chance_and_simultaneous_moves_agree_with_batches() -> None:
    with Game(Description.from_text(PHASES)) as game:
        for seed in range(20):
            play(game, seed)


@pytest.mark.parametrize("joint", [[9, -1], [-2, -1], [0, 5]])
def test_a_move_that_is_not_legal(joint: list[int]) -> None:
    game = load("connectfour")
    assert game.single.after(game.single.initial, joint) == (None, 0)
    assert agrees(game, game.single.initial)
