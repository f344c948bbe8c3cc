"""The player `llm` asks a server, here a scripted one, and always has a legal move."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.gdl import Description
from ggp.kif import Term
from ggp.match import PlayerContext, make_player
from ggp.players.llm import Llm
from ggp.players.llm.prompt import chosen
from ggp.reasoner import Reasoner, open_reasoner


class Server(ThreadingHTTPServer):
    """Answers what `reply` returns for a request: the content, or a status and a body."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[dict[str, Any]], str | tuple[int, str]] = lambda _: ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def script(self, *replies: str | tuple[int, str]) -> None:
        """Forget what was asked, and give these replies, one after the other."""
        self.requests, self.headers, left = [], [], [*replies]
        self.reply = lambda _: left.pop(0)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, **asked})
        self.server.headers.append(dict(self.headers))
        reply = self.server.reply(asked)
        if isinstance(reply, str):
            reply = 200, json.dumps({"choices": [{"message": {"content": reply}}]})
        self.send_response(reply[0])
        self.end_headers()
        self.wfile.write(reply[1].encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def tictactoe() -> Iterator[Reasoner]:
    with open_reasoner(Description.load("tictactoe"), kind="prolog") as reasoner:
        yield reasoner


def started(reasoner: Reasoner, server: Server, **options: Any) -> Llm:
    player = Llm(url=server.url, **options)
    player.start(PlayerContext(reasoner.roles[0], reasoner, 5), Deadline.after(5))
    return player


def answered(player: Llm, state: bytes) -> list[str]:
    return [str(move) for move in player.moves(state, Deadline.after(5))]


def test_the_model_is_told_rules_state_and_moves(tictactoe: Reasoner, server: Server) -> None:
    server.script("I take the centre.\nMOVE: (place 2 2)")
    player = started(tictactoe, server, model="small", temperature=0.5, tokens=50)
    _, move = answered(player, tictactoe.initial_state())
    assert move == "(place 2 2)"
    (request,) = server.requests
    assert (request["path"], request["model"]) == ("/v1/chat/completions", "small")
    assert (request["temperature"], request["max_tokens"]) == (0.5, 50)
    system, user = request["messages"]
    assert "as the role x" in system["content"]
    assert "(<= terminal" in system["content"]
    assert "(control x)" in user["content"]
    assert user["content"].count("(place ") == 9


def test_an_answer_without_a_legal_move_is_asked_for_again(
    tictactoe: Reasoner, server: Server
) -> None:
    server.script("(place 7 7)", (500, "busy"), "MOVE: (place 3 3)")
    player = started(tictactoe, server)
    assert answered(player, tictactoe.initial_state())[-1] == "(place 3 3)"
    assert len(server.requests) == 3
    assert "none of your legal moves" in server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I resign.", "no legal move in the answer 'I resign.'"),
        ((404, "no such model"), "404 Not Found: no such model"),
        ((200, "<html>"), "no chat completion: <html>"),
        ((200, '{"choices": []}'), "no chat completion"),
    ],
)
def test_without_a_legal_answer_a_random_legal_move_is_played(
    tictactoe: Reasoner,
    server: Server,
    caplog: pytest.LogCaptureFixture,
    reply: str | tuple[int, str],
    reason: str,
) -> None:
    server.script(reply, reply)
    player = started(tictactoe, server, attempts=2)
    with caplog.at_level(logging.WARNING):
        (move,) = answered(player, tictactoe.initial_state())
    assert move in map(str, tictactoe.legal_moves(tictactoe.initial_state(), tictactoe.roles[0]))
    assert len(server.requests) == 2
    assert reason in caplog.text


def test_a_late_server_does_not_make_the_player_late(
    tictactoe: Reasoner, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    gone = threading.Event()

    def late(_: dict[str, Any]) -> str:
        gone.wait(20)
        return ""

    server.script()
    server.reply = late
    player = started(tictactoe, server)
    moves = list(player.moves(tictactoe.initial_state(), Deadline.after(0.1)))
    gone.set()
    assert len(moves) == 1
    assert "did not come in time" in caplog.text


def test_the_history_is_told_with_the_moves_of_all(tictactoe: Reasoner, server: Server) -> None:
    server.script("MOVE: (place 2 2)", '{"move": "(place 3 1)"}')
    player = started(tictactoe, server, form="json")
    state = tictactoe.initial_state()
    for replies in (("(place 2 2)", "noop"), ("noop", "(place 1 1)"), None):
        answered(player, state)
        if replies is None:
            break
        legal = tictactoe.view(state).legal
        joint = [next(m for m in moves if str(m) == reply)
                 for moves, reply in zip(legal, replies, strict=True)]  # fmt: skip
        state = tictactoe.next_state(state, joint)
    told = json.loads(server.requests[-1]["messages"][-1]["content"])
    assert told["history"] == ["(place 2 2) noop", "noop (place 1 1)"]
    assert "(mark 1 1 o)" in told["state"]
    assert len(told["legal"]) == 7


def test_scrambled_words_are_understood(tictactoe: Reasoner, server: Server) -> None:
    server.script()
    server.reply = lambda asked: json.dumps(
        {"move": json.loads(asked["messages"][-1]["content"])["legal"][4]}
    )
    player = started(tictactoe, server, form="json", scramble=7)
    state = tictactoe.initial_state()
    move = answered(player, state)[-1]
    legal = list(map(str, tictactoe.legal_moves(state, tictactoe.roles[0])))
    assert move == legal[4]
    told = json.dumps(server.requests[0]["messages"])
    assert not any(word in told for word in ("place", "control", "mark", "noop"))
    assert "(<= terminal" in told  # keywords stay


def test_a_key_is_sent_and_is_no_part_of_the_options(
    tictactoe: Reasoner, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_A_TEST", "abc")
    server.script("MOVE: (place 1 1)")
    player = started(tictactoe, server, key="SECRET_OF_A_TEST", rules=False, history=False)
    answered(player, tictactoe.initial_state())
    assert server.headers[0]["Authorization"] == "Bearer abc"
    assert "<=" not in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("llm", "'url' must be given"),
        ("llm:url=nowhere", "is an address such as"),
        ("llm:url=http://localhost:1,key=NO_SUCH_VARIABLE", "no variable NO_SUCH_VARIABLE"),
        ("llm:url=http://localhost:1,attempts=0", "at least 1"),
        ("llm:url=http://localhost:1,form=poem", "text or json"),
    ],
)
def test_wrong_options(spec: str, complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        make_player(spec)


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("MOVE: a", "a"),
        ("I could play b, but: **Move:** `(f 1 2)`.", "(f 1 2)"),
        ("move: (F  1 2 )", "(f 1 2)"),
        ("first b, then a is best", "a"),
        ('Well: {"move": "b"} is what I play, not a', "b"),
        ('{"move": 3} b', "b"),
        ("(f 1 22) or about", None),
        ("(g (f 1 2))", None),
        ("", None),
    ],
)
def test_how_answers_are_read(answer: str, move: str | None) -> None:
    moves = ["a", "b", "(f 1 2)"]
    place = chosen(answer, moves)
    assert (None if place is None else moves[place]) == move


@pytest.mark.parametrize(
    ("answer", "place"), [("MOVE: (go a)", 0), ("MOVE: (go A)", 1), ('{"move": "(GO A)"}', None)]
)
def test_capitals_count_where_they_alone_tell_two_moves_apart(
    answer: str, place: int | None
) -> None:
    assert chosen(answer, ["(go a)", "(go A)", "noop"]) == place


def test_a_match_with_percepts(server: Server) -> None:
    from ggp.gdl.percepts import PerceivedGame
    from ggp.match import PossibleStates

    description = Description.load("montyhall")
    role = next(role for role in description.roles if str(role) != "random")
    game = PerceivedGame.of(description, [role])
    with open_reasoner(game.description, kind="prolog") as reasoner:
        possible = PossibleStates(reasoner, game, role)
        first: tuple[Term, ...] = possible.legal
        server.script(f"MOVE: {first[-1]}")
        player = Llm(url=server.url)
        player.start(PlayerContext(role, reasoner, 5), Deadline.after(5))
        *_, move = player.moves_among(possible, Deadline.after(5))
    assert move == first[-1]
