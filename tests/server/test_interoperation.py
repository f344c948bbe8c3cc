"""Whole matches with managers that write and read exactly as the real ones do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from ggp.gdl import Description
from ggp.kif import Symbol, parse
from ggp.match import (
    Address,
    LocalPlayer,
    MatchSettings,
    PlayerProcess,
    Referee,
    RemotePlayer,
    game_spelling,
)
from ggp.reasoner import JointMove, Reasoner, open_reasoner
from tests.match.fakes import fake_player
from tests.match.games import MARK
from tests.server.conftest import Serve
from tests.server.fakes import RULES, FakeSession
from tests.server.managers import Dresden, DresdenTwo, GgpBase, Manager, Tiltyard

GAME = Path(__file__).parents[2] / "games" / "tictactoe.kif"
TEXT = GAME.read_text()
X, O = Symbol("x"), Symbol("o")  # noqa: E741 - the roles of the game


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    with open_reasoner(Description.load(GAME), kind="prolog") as prolog:
        yield prolog


def without_comments(text: str) -> str:
    """What Dresden sends: its parser has dropped the comments."""
    return " ".join(map(str, parse(text)))


def opened(name: str, port: int, role: int) -> Manager:
    match name:
        case "ggp-base":
            return GgpBase(port, "Match.1")
        case "tiltyard":
            return Tiltyard(port, "tiltyard.x.1", rules=TEXT, players=["us", "them"])
        case "dresden":
            return Dresden(port, "Match.1")
        case _:
            return DresdenTwo(port, "Match.1", role=role, roles=(X, O))


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("name", ["ggp-base", "tiltyard", "dresden", "dresden, GDL-II"])
def test_a_whole_match(serve: Serve, reasoner: Reasoner, name: str, role: int) -> None:
    port = int(serve(partial(PlayerProcess, "random")).effective_port)
    manager = opened(name, port, role)
    chance = Random(1)
    assert manager.start((X, O)[role], without_comments(TEXT), 20, 10) == "ready"
    state, joint_move = reasoner.initial_state(), None
    while not (view := reasoner.view(state)).terminal:
        answer = manager.play(joint_move)
        moves = [chance.choice(legal) for legal in view.legal]
        # ggp-base takes a move in the game's own spelling only.
        own = game_spelling(answer, view.legal[role]) if "dresden" in name else answer
        assert own is not None
        assert own in view.legal[role]
        if "dresden" in name:
            assert str(answer) == str(answer).upper()
        moves[role] = own
        joint_move = tuple(moves)
        state = reasoner.next_state(state, joint_move)
    assert manager.stop(joint_move) == "done"
    assert sum(goal or 0 for goal in reasoner.goals(state)) == 100


# What the managers write, to the byte

HEAD = b"POST / HTTP/1.0\r\nAccept: text/delim\r\n"


def test_the_bytes_of_ggp_base(serve: Serve) -> None:
    manager = GgpBase(int(serve(FakeSession).effective_port), "Match.1")
    rules = parse("(role white) (role black) (<= (legal ?r (choose 1)) (role ?r))")
    text = " ".join(map(str, rules))
    joint_move: JointMove = tuple(parse("(choose 0) (choose 2)"))
    assert manager.info() == "((name fake) (status available))"
    assert manager.preview(text, 30) == "ready"
    assert manager.start(Symbol("white"), text, 30, 15) == "ready"
    assert str(manager.play(None)) == "(choose 0)"
    assert manager.info() == "((name fake) (status available))"
    assert str(manager.play(joint_move)) == "(choose 1)"
    assert manager.abort() == "aborted"
    assert manager.stop(joint_move) == "done"
    middle = (
        b"Host: localhost\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\nContent-Type: text/acl\r\n"
    )
    spelled = b"( role white ) ( role black ) ( <= ( legal ?r ( choose 1 ) ) ( role ?r ) ) "
    assert manager.written == [
        HEAD + middle + b"Content-Length: %d\r\n\r\n" % len(message) + message
        for message in (
            b"( INFO )",
            b"( PREVIEW (" + spelled + b") 30 )",
            b"( START Match.1 white (" + spelled + b") 30 15)",
            b"( PLAY Match.1 NIL )",
            b"( INFO )",
            b"( PLAY Match.1 (( choose 0 ) ( choose 2 ) ) )",
            b"( ABORT Match.1 )",
            b"( STOP Match.1 (( choose 0 ) ( choose 2 ) ) )",
        )
    ]


def test_the_bytes_of_dresden(serve: Serve) -> None:
    manager = Dresden(int(serve(FakeSession).effective_port), "Match.1")
    joint_move: JointMove = tuple(parse("(choose 0) (choose 2)"))
    rules = "(role white)(role black)"
    assert manager.start(Symbol("white"), rules, 30, 15) == "ready"
    assert str(manager.play(None)) == "(choose 0)"
    assert str(manager.play(joint_move)) == "(choose 1)"
    assert manager.stop(joint_move) == "done"
    middle = b"Sender: Gamecontroller\r\nReceiver: 127.0.0.1\r\nContent-type: text/acl\r\n"
    assert manager.written == [
        HEAD + middle + b"Content-length: %d\r\n\r\n" % len(message) + message
        for message in (
            b"(START Match.1 WHITE ((ROLE WHITE)(ROLE BLACK)) 30 15)",
            b"(PLAY Match.1 NIL)",
            b"(PLAY Match.1 ((CHOOSE 0) (CHOOSE 2)))",
            b"(STOP Match.1 ((CHOOSE 0) (CHOOSE 2)))",
        )
    ]


def test_the_bytes_of_dresden_with_gdl_two(serve: Serve) -> None:
    roles = (Symbol("white"), Symbol("black"))
    port = int(serve(FakeSession).effective_port)
    manager = DresdenTwo(port, "Match.1", role=1, roles=roles)
    manager.start(roles[1], "(role white)(role black)", 30, 15)
    manager.play(None)
    manager.play(tuple(parse("(choose 2) (choose 0)")))
    manager.stop(tuple(parse("(choose 2) (choose 1)")))
    assert [written.partition(b"\r\n\r\n")[2] for written in manager.written][1:] == [
        b"(PLAY Match.1 0 NIL NIL)",
        b"(PLAY Match.1 1 (CHOOSE 0) ((DID WHITE (CHOOSE 2)) (DID BLACK (CHOOSE 0)) ))",
        b"(STOP Match.1 2 (CHOOSE 1) ((DID WHITE (CHOOSE 2)) (DID BLACK (CHOOSE 1)) ))",
    ]
    assert manager.read == ["ready", "(choose 0)", "(choose 1)", "done"]


def test_the_bytes_of_the_tiltyard(serve: Serve) -> None:
    port = int(serve(FakeSession).effective_port)
    manager = Tiltyard(port, "tiltyard.x.1", rules=RULES, players=["", "abc"])
    manager.start(Symbol("white"), RULES, 30, 15)
    manager.play(None)
    start, first = manager.written
    for word in (b"white", b"black", b"choose", b"round", b"goal white"):
        assert word not in start
    for keyword in (b"( role ", b"( init ", b"( legal ?", b"( next ", b" terminal ", b"( goal "):
        assert keyword in start
    assert first == (
        HEAD + b"Host: localhost\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\n"
        b"GGP-Match-Host: Tiltyard\r\nGGP-Match-ID: tiltyard.x.1\r\n"
        b"GGP-Match-Players: da39a3ee5e6b4b0d3255bfef95601890afd80709, "
        b"a9993e364706816aba3e25717850c26c9cd0d89d\r\n"
        b"GGP-Match-Step: 1\r\nContent-Type: text/acl\r\nContent-Length: 25\r\n\r\n"
        b"( PLAY tiltyard.x.1 NIL )"
    )


def test_a_manager_may_hang_up_as_soon_as_it_has_its_answer(serve: Serve) -> None:
    # ggp-base reads what Content-Length says and closes its end at once.
    port = int(serve(FakeSession).effective_port)
    for number in range(20):
        manager = GgpBase(port, f"m{number}")
        assert manager.start(Symbol("white"), RULES, 10, 5) == "ready"
        assert manager.abort() == "aborted"


# The other way round: players of other frameworks at our referee

REPLIES = {
    "ggp-base": (
        "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {length}\r\n"
        "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n"
        "\r\n{body}"
    ),
    "Dresden's own players": "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\n\r\n{body}\r\n",
    "a player of Stanford's course": "HTTP/1.0 200 OK\nContent-Length: {length}\n\n{body}",
}


@pytest.mark.parametrize("kind", REPLIES)
def test_players_of_other_frameworks_are_understood(kind: str) -> None:
    def behave(connection: socket.socket, message: str) -> None:
        verb = message.split()[1]
        body = {"START": "ready", "PLAY": "( mark 2 )", "STOP": "done"}[verb]
        reply = REPLIES[kind].format(length=len(body), body=body)
        connection.sendall(reply.encode())

    with fake_player(behave) as player:
        address = Address.parse(player.url)
        assert address is not None
        settings = MatchSettings("Match.1", Description.from_text(MARK), 10, 5)
        with Referee(settings, [RemotePlayer(address, name="PLAYER")]) as referee:
            list(referee.run())
    assert referee.record.errors == (("",), ("",))
    assert referee.record.goal_values == (100,)
    # What ggp-base's server would have written, but for the blanks within terms.
    play = player.requests[1]
    assert play == (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n"
        "Receiver: PLAYER\r\nContent-Type: text/acl\r\nContent-Length: 20\r\n\r\n"
        "( PLAY Match.1 NIL )"
    )


def test_our_server_and_our_referee_understand_each_other(serve: Serve) -> None:
    port = int(serve(partial(PlayerProcess, "random")).effective_port)
    settings = MatchSettings("Match.1", Description.load(GAME), 20, 10)
    participants = [RemotePlayer(Address("127.0.0.1", port)), LocalPlayer("legal")]
    with Referee(settings, participants) as referee:
        list(referee.run())
    assert referee.record.is_completed
    assert not any("".join(errors) for errors in referee.record.errors)
