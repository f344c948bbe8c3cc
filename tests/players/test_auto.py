"""The player `auto` chooses its search by the game."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import PlayerContext, make_player
from ggp.players.auto import Auto
from ggp.players.planner import Planner
from ggp.players.proving import Proving
from ggp.reasoner import open_reasoner


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [("nim", "alphabeta"), ("uptoten", "alphabeta"), ("pirates", "speculative")],
)
def test_only_among_three_players_and_more_each_plays_for_itself(game: str, algorithm: str) -> None:
    player = make_player("auto")
    assert isinstance(player, Auto)
    with open_reasoner(Description.load(game), kind="prolog") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
        chosen = player._player
        assert isinstance(chosen, Proving)
        assert chosen._prover_class.algorithm == algorithm
        player.stop(None)


def test_a_puzzle_is_planned() -> None:
    player = make_player("auto")
    assert isinstance(player, Auto)
    with open_reasoner(Description.load("lightsout"), kind="compiled") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(30))
        assert isinstance(player._player, Planner)
        state = reasoner.initial_state()
        while not reasoner.is_terminal(state):
            *_, move = player.moves(state, Deadline.after(10))
            state = reasoner.next_state(state, [move])
        assert reasoner.goals(state) == (100,)
