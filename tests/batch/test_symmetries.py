"""The image of a state by a symmetry goes on as the state does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ggp import Game, States
from ggp.batch import Symmetries
from tests.batch.games import load


def image(states: States, symmetries: Symmetries, number: int) -> States:
    bits = states.observation[:, symmetries.facts[number]]
    packed = np.packbits(bits, axis=1, bitorder="little")
    words = np.zeros((len(states), states.words.shape[1] * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return States(states.game, words.view(np.uint64))


def permuted(values: NDArray[Any], symmetries: Symmetries, number: int) -> NDArray[Any]:
    """What belongs to each move of each role, [n, roles, actions], in the images."""
    roles = np.arange(values.shape[1])[:, None]
    return values[:, roles, symmetries.moves[number]]


@pytest.mark.parametrize(
    ("name", "count"), [("tictactoe", 8), ("connectfour", 2), ("breakthrough", 2), ("nim", 1)]
)
def test_images_go_on_as_their_states_do(name: str, count: int) -> None:
    game = load(name)
    symmetries = game.symmetries()
    assert len(symmetries) == count
    assert symmetries.moves.shape == (count, len(game.roles), game.num_actions)
    states = game.init(64)
    for seed in range(4):
        moves = game.random_moves(states, seed=seed)
        chosen = np.zeros(states.legal.shape, np.bool_)
        np.put_along_axis(chosen, moves[..., None].astype(np.intp), True, axis=2)
        after = game.step(states, moves)
        for number in range(count):
            there = image(states, symmetries, number)
            assert (there.terminated == states.terminated).all()
            assert (there.goals == states.goals).all()
            assert (there.legal == permuted(states.legal, symmetries, number)).all()
            going = ~states.terminated
            made = permuted(chosen, symmetries, number).argmax(axis=2)
            led = game.step(there[going], made[going])
            assert led == image(after, symmetries, number)[going]
        states = after
    first = symmetries.facts[0]
    assert (first == np.arange(*game.observation_shape)).all()


def test_the_shape_of_a_game() -> None:
    with Game.load("montyhall") as game:
        assert (game.num_players, len(game.roles)) == (1, 2)
        assert game.observation_shape == (len(game.facts),)
