"""Servers of language models that break, never end, or send the player elsewhere."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.match import make_player
from ggp.players.llm.chat import Chat, ChatError
from ggp.players.llm.prompt import chosen

Behaviour = Callable[[socket.socket], None]
SECRET = "top-secret-key"
#: Longer than any test takes.
PATIENCE = 120


class Server:
    """Answers each request as it is told, and keeps what it hears."""

    def __init__(self, listener: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        self.heard: list[bytes] = []


@contextmanager
def serving(behave: Behaviour) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener)

        def answer(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                server.heard.append(_request(connection))
                behave(connection)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=answer, args=(connection,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)


def _request(connection: socket.socket) -> bytes:
    """Read all of a request: a socket that is closed with unread data takes the answer back."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(1 << 16)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += connection.recv(1 << 16)
    return data


def silent(_: socket.socket) -> None:
    """Closes the connection without a word."""


def sends(body: bytes, *, status: str = "200 OK", header: str = "") -> Behaviour:
    head = f"HTTP/1.1 {status}\r\n{header}Content-Length: {len(body)}\r\n\r\n".encode()
    return lambda connection: connection.sendall(head + body)


def drips(head: bytes) -> Behaviour:
    """Sends this, and then a byte again and again without end."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(b"x")
            time.sleep(0.02)

    return behave


def floods(connection: socket.socket) -> None:
    """Sends an answer without end, as fast as it is taken."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b" " * (1 << 16))


def asked(url: str, *, key: str = "", seconds: float = PATIENCE) -> str:
    chat = Chat(url=url, key=key)
    return chat.answer([{"role": "user", "content": "?"}], Deadline.after(seconds))


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (lambda connection: connection.sendall(b"HTP nonsense\r\n\r\n"), "no answer from "),
        (silent, "no answer from "),
        (sends(b"[" * 100_000 + b"]" * 100_000), r"no chat completion: \[\["),
        (sends(b'{"choices": [{"message": {"content": {"a": 1}}}]}'), "no chat completion"),
        (sends(b'{"choices": 1' + b"0" * 5000), "no chat completion"),
        (sends(b"x" * 5_000_000), "more than 4,000,000 bytes"),
        (sends(b"zip", header="Content-Encoding: gzip\r\n"), "is compressed"),
        (floods, "more than 4,000,000 bytes"),
        (sends(b"", header=f"A: {'x' * 999_999}\r\n"), "no answer from "),
        (sends(b"a\x1b[2J\nb", status="500 \x1b[2J"), "answers 500 .*: a␛\\[2J b"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error_in_one_line(behave: Behaviour, reason: str) -> None:
    with serving(behave) as server, pytest.raises(ChatError, match=reason) as caught:
        asked(server.url)
    said = str(caught.value)
    assert len(said) < 400
    assert said.isprintable()


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 500 Busy\r\nContent-Length: 100000\r\n\r\n",
    ],
)
def test_an_answer_that_drips_ends_with_the_clock(head: bytes) -> None:
    with serving(drips(head)) as server, pytest.raises(ChatError, match="in time"):
        asked(server.url, seconds=0.3)


def test_a_cancelled_deadline_ends_the_wait() -> None:
    deadline = Deadline()

    def cancels(_: socket.socket) -> None:
        deadline.cancel()
        time.sleep(PATIENCE)

    with serving(cancels) as server, pytest.raises(ChatError, match="in time"):
        Chat(url=server.url).answer([], deadline)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 Other", "307 T", "308 P"])
def test_a_redirect_takes_the_secret_nowhere(status: str) -> None:
    completion = json.dumps({"choices": [{"message": {"content": "noop"}}]}).encode()
    with serving(sends(completion)) as other:
        away = sends(b"", status=status, header=f"Location: {other.url}/steal\r\n")
        with (
            serving(away) as server,
            pytest.raises(ChatError, match="redirects to http://127") as e,
        ):
            asked(server.url, key=SECRET)
        assert SECRET.encode() in server.heard[0]
        assert other.heard == []
        assert asked(other.url, key=SECRET) == "noop"
    assert SECRET not in str(e.value)


def test_a_server_that_repeats_the_secret_does_not_bring_it_into_the_log() -> None:
    refusal = sends(f"invalid key: {SECRET}".encode(), status="401 Unauthorized")
    with serving(refusal) as server, pytest.raises(ChatError, match=r"401 .*key: \*\*\*"):
        asked(server.url, key=SECRET)
    assert SECRET not in repr(Chat(url=server.url, key=SECRET))


def test_the_address_keeps_what_follows_the_path() -> None:
    completion = json.dumps({"choices": [{"message": {"content": "a"}}]}).encode()
    with serving(sends(completion)) as server:
        asked(f"{server.url}/chat/completions?version=2")
        asked(f"{server.url}/?version=2")
    assert len(server.heard) == 2
    for heard in server.heard:
        assert heard.startswith(b"POST /v1/chat/completions?version=2 HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("url=http://me:word@127.0.0.1/v1", "url holds a secret.*use key"),
        ("url=http://127.0.0.1:x/v1", "url is no address"),
        ("url=http://a\tb/v1", "url is no address"),
        ("url=file:///etc/passwd", "is an address such as"),
        ("url=http://127.0.0.1,key=TWO_LINES", "the secret has a blank, a line end"),
    ],
)
def test_addresses_and_secrets_that_cannot_be_used(
    options: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWO_LINES", "a\nX-Other: b")
    with pytest.raises(PlayerError, match=complaint) as caught:
        make_player(f"llm:{options}")
    assert "X-Other" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense://127.0.0.1", "http://[::"])
def test_a_proxy_that_cannot_be_used_is_an_error_in_one_line(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    Chat(url="http://127.0.0.1:1").load()
    with pytest.raises(ChatError, match=r"no answer from http://127\.0\.0\.1:1: ") as caught:
        asked("http://127.0.0.1:1")
    assert "\n" not in str(caught.value)


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    monkeypatch.setattr("ggp.match.player.advice", lambda error: f"get {error.name}")
    with pytest.raises(PlayerError, match=r"get httpx$"):
        make_player("llm:url=http://127.0.0.1")


@pytest.mark.parametrize(
    "answer",
    ["\n" * 500_000, " " * 500_000, "{" * 500_000, "move" * 200_000, "move:" + "\n" * 500_000,
     "move: a" + " " * 500_000 + "b", '{"a": ' + "[" * 500_000 + "}"],
)  # fmt: skip
def test_long_answers_are_read_in_time_that_grows_with_their_length(answer: str) -> None:
    assert chosen(f"MOVE: b\n{answer}", ["c", "b"]) in (None, 1)
    assert chosen(f"{answer}\nMOVE: c", ["c", "b"]) == 0
