"""Whole matches over HTTP with real players, each in a process of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

import pytest

from ggp.gdl import Description
from ggp.kif import Term, parse_term
from ggp.match import PlayerProcess, game_spelling
from ggp.reasoner import JointMove, Reasoner, State, open_reasoner
from tests.server.conftest import Serve
from tests.server.fakes import SEES_EVERYTHING
from tests.server.sockets import dresden, exchange, ggp_base

GAME = Path(__file__).parents[2] / "games" / "tictactoe.kif"


class Manager:
    """Plays one role of tic-tac-toe at random, and asks the player at a port for the other."""

    def __init__(
        self,
        reasoner: Reasoner,
        *,
        port: int,
        match: str = "Match.1",
        is_dresden: bool = False,
        has_percepts: bool = False,
    ) -> None:
        self._reasoner = reasoner
        self._match = match
        self._port = port
        self._is_dresden = is_dresden
        self._has_percepts = has_percepts
        self._generator = Random(1)
        self.replies: list[str] = []

    def play(self, rules: str, role: int) -> State:
        """Play a match and return the state that it ended in; every answer must be legal."""
        name = str(self._reasoner.roles[role])
        assert self._send("START", f"{name} ({rules}) 20 10") == "ready"
        state, joint_move, turn = self._reasoner.initial_state(), None, 0
        while not self._reasoner.is_terminal(state):
            reply = self._send("PLAY", self._moves(turn, role, joint_move))
            self.replies.append(reply)
            moves = [self._generator.choice(legal) for legal in self._reasoner.view(state).legal]
            answer = game_spelling(parse_term(reply), self._reasoner.view(state).legal[role])
            assert answer is not None, f"{reply} is not legal"
            moves[role] = answer
            joint_move = tuple(moves)
            state, turn = self._reasoner.next_state(state, joint_move), turn + 1
        assert self._send("STOP", self._moves(turn, role, joint_move)) == "done"
        return state

    def _send(self, verb: str, rest: str) -> str:
        if self._is_dresden:
            return exchange(self._port, dresden(f"({verb} {self._match} {rest.upper()})")).body
        return exchange(self._port, ggp_base(f"( {verb} {self._match} {rest} )")).body

    def _moves(self, turn: int, role: int, joint_move: JointMove | None) -> str:
        if not self._has_percepts:
            return _listed(joint_move) if joint_move else "NIL"
        if joint_move is None:
            return "0 NIL NIL"
        percepts = [f"(did {r} {m})" for r, m in zip(self._reasoner.roles, joint_move, strict=True)]
        return f"{turn} {joint_move[role]} ({' '.join(percepts)})"


def _listed(terms: tuple[Term, ...]) -> str:
    return f"({' '.join(map(str, terms))} )"


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize(
    ("is_dresden", "has_percepts"), [(False, False), (True, False), (True, True)]
)
def test_a_match_is_played_to_its_end_with_legal_moves(
    serve: Serve, role: int, is_dresden: bool, has_percepts: bool
) -> None:
    rules = GAME.read_text() + (SEES_EVERYTHING if has_percepts else "")
    port = int(serve(partial(PlayerProcess, "random")).effective_port)
    with open_reasoner(Description.load(GAME), kind="prolog") as reasoner:
        manager = Manager(reasoner, port=port, is_dresden=is_dresden, has_percepts=has_percepts)
        state = manager.play(rules, role)
        assert sum(goal or 0 for goal in reasoner.goals(state)) == 100
    assert all(
        reply == (reply.upper() if is_dresden else reply.lower()) for reply in manager.replies
    )


def test_matches_are_played_at_the_same_time(serve: Serve) -> None:
    port = int(serve(partial(PlayerProcess, "random")).effective_port)

    def play(number: int) -> int:
        with open_reasoner(Description.load(GAME), kind="prolog") as reasoner:
            manager = Manager(reasoner, port=port, match=f"match.{number}")
            state = manager.play(GAME.read_text(), number % 2)
            return sum(goal or 0 for goal in reasoner.goals(state))

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(play, range(6))) == [100] * 6


def test_rules_that_describe_no_game_are_refused(serve: Serve) -> None:
    port = int(serve(partial(PlayerProcess, "random")).effective_port)
    assert exchange(port, ggp_base("(START m x ((role x) (<=)) 20 10)")).body == "busy"
    assert exchange(port, ggp_base("(PLAY m NIL)")).body == "what"
