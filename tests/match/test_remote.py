from __future__ import annotations

import socket
import threading
import time

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.match import Address
from ggp.match.remote import ask, await_player
from tests.match.fakes import answers, dribbles, fake_player, reply, sends

PLAY = "( PLAY m1 NIL )"


def local(port: int) -> Address:
    return Address("127.0.0.1", port)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://localhost:9147", Address("localhost", 9147)),
        ("localhost:9147", Address("localhost", 9147)),
        ("http://10.0.0.1:80/player/", Address("10.0.0.1", 80, "/player/")),
        ("[::1]:9147", Address("::1", 9147)),
        ("http://host:1/a b/\r\nX: y", Address("host", 1, "/a%20b/X:%20y")),
        ("http://host:1/a%20b/(c)?", Address("host", 1, "/a%20b/(c)")),
        ("http://host:1/ä\x7f", Address("host", 1, "/%C3%A4%7F")),
        ("http://bücher.example:80", Address("xn--bcher-kva.example", 80)),
        ("maxn", None),
        ("maxn:depth=4", None),
        ("random:seed=1,depth=2", None),
        ("package.module.Class", None),
        ("llm:url=http://localhost:8080/v1,model=small", None),
    ],
)
def test_addresses_are_told_from_players(text: str, expected: Address | None) -> None:
    assert Address.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("https://localhost:9147", "http only"),
        ("http://localhost", "has a host and a port"),
        ("http://:9147", "has a host and a port"),
        ("localhost:99999", "[Pp]ort"),
        ("http://[::1:9147", "IPv6"),
        ("http://me:word@host:9147", "no user, query or fragment"),
        ("http://host:9147/a?b=c", "no user, query or fragment"),
        ("http://host:9147/a#b", "no user, query or fragment"),
        ("http://a b:9147", "no name of a host"),
        ("a b:9147", "no name of a host"),
        ("http://a\x00b:9147", "no name of a host"),
        ("http://..:9147", "no name of a host"),
    ],
)
def test_an_address_of_no_player_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        Address.parse(text)


def test_an_address_reads_back() -> None:
    for text in ("http://localhost:9147", "http://[::1]:9148", "http://host:1/player"):
        address = Address.parse(text)
        assert str(address) == text


def test_a_name_cannot_add_headers() -> None:
    with fake_player(answers("noop")) as player:
        ask(local(player.port), PLAY, receiver="a\r\nX: ü", deadline=Deadline.after(5))
    assert "\r\nReceiver: a??X: ?\r\n" in player.requests[0]


def test_a_host_is_tried_at_all_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_player(answers("noop")) as player:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        places = [("127.0.0.1", 1), ("127.0.0.1", player.port)]
        found = [(*kind, place) for place in places]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert ask(Address("host", 9147), PLAY, deadline=Deadline.after(5)) == "noop"


def test_the_request_is_that_of_ggp_base() -> None:
    with fake_player(answers("noop")) as player:
        assert (
            ask(local(player.port), PLAY, receiver="Deep Fish", deadline=Deadline.after(5))
            == "noop"
        )
    assert player.requests == [
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        "Host: 127.0.0.1\r\n"
        "Sender: GAMESERVER\r\n"
        "Receiver: Deep Fish\r\n"
        "Content-Type: text/acl\r\n"
        "Content-Length: 15\r\n"
        "\r\n"
        "( PLAY m1 NIL )"
    ]


@pytest.mark.parametrize(
    "data",
    [
        reply("noop"),
        reply(" \r\n noop \n"),
        reply("noop", status="500 Internal Server Error"),
        reply("noop", end="\n"),
        reply("noop", header="X-Length: none"),
        reply("noop", header="CONTENT-LENGTH:4"),
        reply("noop", length=400),
        b"noise\r\n\r\nnoop",
    ],
)
def test_sloppy_replies_are_understood(data: bytes) -> None:
    with fake_player(sends(data)) as player:
        assert ask(local(player.port), PLAY, deadline=Deadline.after(5)) == "noop"


def test_a_reply_of_known_length_does_not_wait_for_the_end() -> None:
    with fake_player(sends(reply("noop"), keep_open=True)) as player:
        assert ask(local(player.port), PLAY, deadline=Deadline.after(30)) == "noop"


@pytest.mark.parametrize(
    "data",
    [b"", b"noop", reply(""), reply(" \r\n "), reply("noop", length=0), reply("x" * 2_000_000)],
)
def test_bytes_that_are_not_a_reply_are_a_connection_error(data: bytes) -> None:
    with fake_player(sends(data)) as player, pytest.raises(ConnectionError):
        ask(local(player.port), PLAY, deadline=Deadline.after(5))


def test_a_closed_port_is_a_connection_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionError):
        ask(local(port), PLAY, deadline=Deadline.after(5))


def test_a_host_that_cannot_be_is_a_connection_error() -> None:
    with pytest.raises(ConnectionError):
        ask(Address("a" * 100, 9147), PLAY, deadline=Deadline.after(5))


def test_a_reply_without_end_is_late() -> None:
    data = reply("noop", header="X-Length: none")
    with (
        fake_player(sends(data, keep_open=True)) as player,
        pytest.raises(TimeoutError),
    ):
        ask(local(player.port), PLAY, deadline=Deadline.after(0.5))


@pytest.mark.long
def test_long_rules_may_take_longer_than_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.match.remote._CONNECT", 0.2)
    rules = "x" * 20_000_000  # more than the system takes in advance
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def read_slowly() -> None:
            connection, _ = listener.accept()
            with connection:
                time.sleep(1)
                size = 0
                while size < len(rules):
                    size += len(connection.recv(1 << 20))
                connection.sendall(reply("ready"))

        thread = threading.Thread(target=read_slowly)
        thread.start()
        assert ask(local(listener.getsockname()[1]), rules, deadline=Deadline.after(60)) == "ready"
        thread.join()


def test_a_player_that_does_not_read_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(TimeoutError):
        ask(local(listener.getsockname()[1]), "x" * 20_000_000, deadline=Deadline.after(0.3))


@pytest.mark.timing
def test_the_clock_bounds_the_whole_reply() -> None:
    with fake_player(dribbles(reply("noop" * 100), seconds=0.05)) as player:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(local(player.port), PLAY, deadline=Deadline.after(0.5))
        assert time.monotonic() - began < 5


@pytest.mark.timing
def test_cutting_the_clock_ends_the_wait() -> None:
    with fake_player(sends(b"", keep_open=True)) as player:
        deadline = Deadline.after(60)
        threading.Timer(0.2, deadline.cancel).start()
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(local(player.port), PLAY, deadline=deadline)
        assert time.monotonic() - began < 10


def test_a_player_that_listens_late_is_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ConnectionError, match="Connection refused"):
        await_player(local(port), deadline=Deadline.after(0.3))
    heard = list[bytes]()

    def listen() -> None:
        time.sleep(0.3)
        with socket.create_server(("127.0.0.1", port)) as listener:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(1000))

    thread = threading.Thread(target=listen)
    thread.start()
    # one that knows no INFO, and closes the connection, is there all the same
    await_player(local(port), receiver="it", deadline=Deadline.after(60))
    thread.join()
    assert heard[0].endswith(b"\r\n\r\n( INFO )")
    assert b"Receiver: it\r\n" in heard[0]


def test_an_unknown_host_is_not_waited_for() -> None:
    began = time.monotonic()
    with pytest.raises(ConnectionError, match="no player listens"):
        await_player(Address("no-such-host.invalid", 1), deadline=Deadline.after(600))
    assert time.monotonic() - began < 300
