"""With the engine, the players play solved games perfectly against all replies."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.match import Player, PlayerContext, make_player
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

GAMES = Path(__file__).parents[2] / "games"
NAMES = ("minimax", "bounded", "alphabeta", "maxn")

each_player = pytest.mark.parametrize("name", NAMES)


@cache
def reasoner(game: str) -> CompiledReasoner:
    return CompiledReasoner(Description.load(GAMES / f"{game}.kif"))


def seated(spec: str, game: str, role: int) -> Player:
    player, rules = make_player(spec), reasoner(game)
    player.start(PlayerContext(rules.roles[role], rules, 1.0), Deadline.after(0))
    return player


def results(game: str, player: Player, role: int, state: State | None = None) -> set[int]:
    """Play against everything that the others can do; return the player's goals."""
    rules = reasoner(game)
    answers: dict[State, set[int]] = {}

    def from_here(state: State) -> set[int]:
        if state not in answers:
            view = rules.view(state)
            if view.terminal:
                goal = view.goals[role]
                assert goal is not None
                return {goal}
            *_, move = player.moves(state, Deadline())
            options = [[move] if i == role else moves for i, moves in enumerate(view.legal)]
            after = (rules.next_state(state, joint_move) for joint_move in product(*options))
            answers[state] = set().union(*map(from_here, after))
        return answers[state]

    return from_here(rules.initial_state() if state is None else state)


@pytest.mark.sample(2)
@each_player
@pytest.mark.parametrize("role", [0, 1])
def test_tic_tac_toe_is_never_lost_whatever_the_opponent_plays(name: str, role: int) -> None:
    assert results("tictactoe", seated(name, "tictactoe", role), role) <= {50, 100}


@each_player
def test_the_first_player_wins_nim(name: str) -> None:
    assert results("nim", seated(name, "nim", 0), 0) == {100}


@each_player
def test_the_second_player_wins_hexapawn(name: str) -> None:
    assert results("hexapawn", seated(name, "hexapawn", 1), 1) == {100}


#: Red wins in nine moves of its own, whatever yellow does.
WON = """(control red) (disc 2 1 red) (disc 3 1 red) (disc 3 2 red) (disc 4 1 yellow) (disc 4 2 red)
    (disc 4 3 yellow) (disc 5 1 yellow) (disc 5 2 yellow)"""


@pytest.mark.long
@each_player
def test_a_position_that_is_won_in_seventeen_steps_is_won(name: str) -> None:
    won = reasoner("connectfour5x5").state_of(parse_term(f"({WON})").items)  # type: ignore[union-attr]
    player = seated(f"{name}", "connectfour5x5", 0)
    assert results("connectfour5x5", player, 0, won) == {100}
