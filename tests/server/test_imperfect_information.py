"""Games of GDL-II over HTTP: the players get percepts, and must play by them."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Term, parse_term
from ggp.match import ForkServer, game_spelling
from ggp.reasoner import open_reasoner
from ggp.server.fallback import WithFallback
from tests.games.bundled import load
from tests.server.conftest import Serve
from tests.server.sockets import dresden, exchange


class Manager:
    """Dresden's manager for GDL-II: it sends a role its percepts, and plays the others."""

    def __init__(self, port: int, game: str, role: int, *, is_numbered: bool, seed: int) -> None:
        self._port = port
        self._match = f"{game}.{role}.{is_numbered}.{seed}"
        self._game = game
        self._role = role
        self._is_numbered = is_numbered
        self._random = Random(seed)
        #: What the player answered.
        self.moves: list[str] = []

    def play(self, *, deadline: int = 3) -> int:
        """Play to the end; every answer must be legal. Return the player's goal."""
        description = load(self._game)
        role = description.roles[self._role]
        game = PerceivedGame.of(description, [role])
        rules = description.source.text
        assert self._ask(f"(START {self._match} {role} ({rules}) 5 {deadline})") == "ready"
        with open_reasoner(game.description, kind="prolog") as reasoner:
            state, told = reasoner.initial_state(), self._told(0, None, ())
            while not reasoner.is_terminal(state):
                reply = self._ask(f"(PLAY {self._match} {told})")
                legal = reasoner.view(state).legal
                move = game_spelling(parse_term(reply), legal[self._role])
                assert move is not None, f"{reply} is not legal"
                self.moves.append(str(move))
                joint_move = [self._random.choice(moves) for moves in legal]
                joint_move[self._role] = move
                state = reasoner.next_state(state, joint_move)
                percepts = game.percepts(reasoner.facts(state), role)
                told = self._told(len(self.moves), move, percepts)
            assert self._ask(f"(STOP {self._match} {told})") == "done"
            return reasoner.goals(state)[self._role] or 0

    def _told(self, turn: int, move: Term | None, percepts: tuple[Term, ...]) -> str:
        if move is None:
            return "0 NIL NIL" if self._is_numbered else "NIL"
        listed = f"({' '.join(map(str, percepts))})"
        return f"{turn} {move} {listed}" if self._is_numbered else listed

    def _ask(self, message: str) -> str:
        return exchange(self._port, dresden(message)).body


def serve_player(serve: Serve, player: str, fork_server: ForkServer) -> int:
    """Serve a player with its fallback; return the port."""
    opened = partial(WithFallback.open, player, fork_server=fork_server, fallbacks=fork_server)
    return int(serve(opened).effective_port)


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_numbered", [False, True])
@pytest.mark.parametrize("player", ["random", "legal"])
@pytest.mark.parametrize("role", [0, 1])
def test_tic_tac_toe_in_the_dark_is_played_with_legal_moves(
    serve: Serve, fork_server: ForkServer, is_numbered: bool, player: str, role: int
) -> None:
    port = serve_player(serve, player, fork_server)
    manager = Manager(port, "kriegtictactoe", role, is_numbered=is_numbered, seed=role)
    assert manager.play() in (0, 50, 100)


@pytest.mark.long
def test_a_player_that_searches_switches_the_door(serve: Serve, fork_server: ForkServer) -> None:
    port = serve_player(serve, "alphabeta", fork_server)
    manager = Manager(port, "montyhall", 0, is_numbered=True, seed=0)
    manager.play()
    assert manager.moves[-1] == "switch"
