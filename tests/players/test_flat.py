"""The player `flat`: one move ahead by random playouts."""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, parse_term
from ggp.match import Player, PlayerContext, PossibleStates, SearchInfo
from ggp.players.flat import Flat
from ggp.reasoner import Reasoner, open_reasoner
from tests.match.test_possible_states import seen


def seated(reasoner: Reasoner, role: int = 0, *, told: list[SearchInfo] | None = None) -> Player:
    player = Flat(seed=1)
    report = [] if told is None else told
    context = PlayerContext(reasoner.roles[role], reasoner, 1.0, report.append)
    player.start(context, Deadline())
    return player


def after(rounds: int, told: list[SearchInfo]) -> Deadline:
    """Return a deadline that ends after a number of rounds: a player reports once a round."""
    return Deadline().until(lambda: len(told) >= rounds)


def test_it_takes_a_win_and_prevents_a_loss() -> None:
    def best_move(role: int) -> str:
        told = list[SearchInfo]()
        *_, best = seated(reasoner, role, told=told).moves(state, after(10, told))
        return str(best)

    with open_reasoner(Description.load("tictactoe"), kind="compiled") as reasoner:
        state = reasoner.initial_state()
        for moves in ("(place 1 1)", "noop"), ("noop", "(place 2 2)"), ("(place 1 2)", "noop"):
            state = reasoner.next_state(state, [parse_term(move) for move in moves])
        assert best_move(1) == "(place 1 3)"
        state = reasoner.next_state(state, [parse_term("noop"), parse_term("(place 3 3)")])
        assert best_move(0) == "(place 1 3)"


def test_it_reports_its_playouts_and_repeats_them() -> None:
    with open_reasoner(Description.load("connectfour"), kind="compiled") as reasoner:
        state, told = reasoner.initial_state(), list[SearchInfo]()
        first = next(seated(reasoner, told=told).moves(state, Deadline()))
        assert told[0].simulations == 7 * reasoner.lanes
        assert next(seated(reasoner).moves(state, Deadline())) == first


def test_the_only_move_is_played_at_once() -> None:
    with open_reasoner(Description.load("connectfour"), kind="prolog") as reasoner:
        moves = seated(reasoner, 1).moves(reasoner.initial_state(), Deadline())
        assert list(map(str, moves)) == ["noop"]


def test_it_changes_the_door() -> None:
    role = Symbol("candidate")
    game = PerceivedGame.of(Description.load("montyhall"), [role])
    with open_reasoner(game.description, kind="compiled") as reasoner:
        possible = PossibleStates(reasoner, game, role)
        for move, percepts in ("noop", ()), ("(choose 1)", ()), ("noop", ("(opened 3)",)):
            possible.advance(seen(move, *percepts), Deadline())
        told = list[SearchInfo]()
        *_, best = seated(reasoner, told=told).moves_among(possible, after(100, told))
        assert str(best) == "switch"
