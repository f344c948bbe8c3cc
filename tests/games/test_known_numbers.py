"""Numbers that are known of these games: perft counts, values, shortest solutions."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import comb

import pytest

from ggp.gdl import GoalVector
from ggp.reasoner import Reasoner, State, open_reasoner
from tests.games import referees
from tests.games.bundled import load

pytestmark = pytest.mark.usefixtures("forked")


def perft(reasoner: Reasoner, depth: int) -> list[Counter[State]]:
    """For each depth the states that some sequence of moves reaches, with how many do."""
    layers = [Counter({reasoner.initial_state(): 1})]
    for _ in range(depth):
        layer: Counter[State] = Counter()
        for paths, expansion in zip(
            layers[-1].values(), reasoner.expand_all(list(layers[-1])), strict=True
        ):
            for successor in expansion.successors:
                layer[successor] += paths
        layers.append(layer)
    return layers


def value(reasoner: Reasoner) -> GoalVector:
    """The goals when all play well, one after the other; a tie goes to the earlier move."""

    @cache
    def search(state: State) -> GoalVector:
        expansion = reasoner.expand(state)
        if expansion.terminal:
            return expansion.goals
        mover = next((i for i, moves in enumerate(expansion.legal) if len(moves) > 1), 0)
        return max(map(search, expansion.successors), key=lambda goals: goals[mover] or 0)

    return search(reasoner.initial_state())


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "states", "paths"),
    [
        (
            "tictactoe",
            [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78],
            [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
        ),
        # OEIS A212693 counts the states of connect four.
        ("connectfour", [1, 7, 49, 238, 1120, 4263, 16422], [7**d for d in range(7)]),
        ("breakthrough", [1, 22, 484], [1, 22, 484, 11132]),
    ],
)
def test_perft(name: str, states: list[int], paths: list[int]) -> None:
    with open_reasoner(load(name)) as reasoner:
        layers = perft(reasoner, len(paths) - 1)
    assert [len(layer) for layer in layers][: len(states)] == states
    assert [layer.total() for layer in layers] == paths


def test_walk_has_64_states_where_its_tree_has_millions_of_leaves() -> None:
    with open_reasoner(load("walk")) as reasoner:
        layers = perft(reasoner, 16)
        (corner,) = (
            state
            for state, expansion in zip(
                layers[14], reasoner.expand_all(list(layers[14])), strict=True
            )
            if expansion.terminal
        )
    assert len(set().union(*layers)) == 64
    assert layers[14].total() == 4**14
    assert layers[14][corner] == comb(14, 7)
    assert layers[16].total() == 4**16 - comb(14, 7) * 4**2 - layers[15][corner] * 4


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("name", "goals"),
    [
        ("nim", (100, 0)),
        ("chomp", (100, 0)),
        ("hexapawn", (0, 100)),
        ("tictactoe", (50, 50)),
        ("centipede", (20, 5, 5)),
        ("pirates", (80, 0, 20)),
        ("harvest", (70, 70)),
        ("lightsout", (100,)),
    ],
)
def test_value_when_all_play_well(name: str, goals: GoalVector) -> None:
    with open_reasoner(load(name)) as reasoner:
        assert value(reasoner) == goals


def test_five_presses_put_the_lights_out() -> None:
    with open_reasoner(load("lightsout")) as reasoner:
        layers = perft(reasoner, 5)
        solved = [(100,) in map(reasoner.goals, layer) for layer in layers]
    assert solved == [False, False, False, False, False, True]


@pytest.mark.long
def test_the_eight_puzzle_takes_twenty_steps() -> None:
    puzzle = referees.load("eightpuzzle")
    layer = {puzzle.start}
    for _ in range(20):
        assert not any(map(puzzle.is_over, layer))
        layer = {puzzle.after(state, (move,)) for state in layer for move in puzzle.moves(state)[0]}
    assert any(map(puzzle.is_over, layer))


def test_the_hikers_can_meet_after_two_hours_but_not_before() -> None:
    with open_reasoner(load("rendezvous")) as reasoner:
        layers = perft(reasoner, 2)
        met = [(100, 100) in map(reasoner.goals, layer) for layer in layers]
    assert met == [False, False, True]
