"""Clients that leave while a player thinks, and those that only close the end they send at."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack
from threading import Event
from threading import enumerate as all_threads

import pytest
from waitress.adjustments import Adjustments

from ggp.server.http import KifServer
from ggp.server.http.request import Request
from tests.server.conftest import Serve
from tests.server.fakes import FakeSession, patient, start
from tests.server.sockets import PATIENCE, HttpReply, exchange, ggp_base, old_ggp_base

INFO = "((name fake) (status available))"


class Thinker:
    """A server whose player thinks until it is released."""

    def __init__(self, serve: Serve) -> None:
        self.release = Event()
        self.session = FakeSession()
        self.server: KifServer = serve(lambda: self.session)
        self.port = int(self.server.effective_port)
        assert self.ask(start(clocks="10 86400")) == "ready"
        self.session.thinks = patient(self.release)

    def ask(self, message: str) -> str:
        return exchange(self.port, ggp_base(message)).body

    def connect(self, request: bytes) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection.sendall(request)
        return connection

    def wait_until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.02)

    @property
    def connections(self) -> int:
        return len(self.server.active_channels)


@pytest.fixture
def thinker(serve: Serve) -> Thinker:
    return Thinker(serve)


def requests() -> int:
    """The threads that work on requests."""
    return sum(thread.name == "request" for thread in all_threads())


@pytest.mark.long
def test_clients_that_leave_hold_nothing(thinker: Thinker) -> None:
    clients = [thinker.connect(ggp_base("(PLAY m1 NIL)")) for _ in range(60)]
    thinker.wait_until(lambda: thinker.session.turn >= 0)
    thinker.wait_until(lambda: requests() == 1)  # the newest waits
    for client in clients:
        client.close()
    thinker.wait_until(lambda: requests() == 0 and thinker.connections == 0)
    assert thinker.ask("(INFO)") == INFO
    thinker.release.set()
    assert thinker.ask("(PLAY m1 NIL)") == "(choose 0)"  # the player has gone on
    assert thinker.session.turn == 0


@pytest.mark.long
def test_a_client_that_resets_the_connection_is_noticed(thinker: Thinker) -> None:
    client = thinker.connect(ggp_base("(PLAY m1 NIL)"))
    thinker.wait_until(lambda: thinker.session.turn >= 0)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    thinker.wait_until(lambda: requests() == 0 and thinker.connections == 0)
    thinker.release.set()


@pytest.mark.long
@pytest.mark.parametrize(
    ("request_bytes", "version"),
    [
        (ggp_base("(PLAY m1 NIL)"), "1.0"),
        (old_ggp_base("(PLAY m1 NIL)"), "1.0"),
        (b"POST / HTTP/1.1\r\n\r\n(PLAY m1 NIL)", "1.1"),
        (b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n(PLAY m1 NIL)", "1.0"),
        (b"GET /(PLAY+m1+NIL) HTTP/1.1\r\n\r\n", "1.1"),
    ],
)
@pytest.mark.parametrize("seconds", [0.0, 2.5])
def test_a_client_that_only_closes_its_end_gets_its_answer(
    thinker: Thinker, request_bytes: bytes, version: str, seconds: float
) -> None:
    with thinker.connect(request_bytes) as client:
        client.shutdown(socket.SHUT_WR)
        thinker.wait_until(lambda: thinker.session.turn >= 0)
        time.sleep(seconds)  # the server looks every second whether the client is there
        assert requests() == 1
        thinker.release.set()
        received = b"".join(iter(lambda: client.recv(1 << 16), b""))
    reply = HttpReply.read(received)
    assert reply.status == f"HTTP/{version} 200 OK"
    assert reply.headers["content-type"] == "text/acl"
    assert reply.headers["connection"].lower() == "close"
    assert reply.body == "(choose 0)"


def test_what_a_client_sends_while_it_waits_is_dropped(thinker: Thinker) -> None:
    with thinker.connect(ggp_base("(PLAY m1 NIL)") + b"\r\n(STOP m1 NIL)") as client:
        thinker.wait_until(lambda: thinker.session.turn >= 0)
        client.sendall(ggp_base("(STOP m1 NIL)") * 100)
        assert thinker.ask("(INFO)") == INFO
        thinker.release.set()
        received = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert HttpReply.read(received).body == "(choose 0)"


@pytest.mark.long
def test_requests_that_wait_leave_room_for_others(serve: Serve) -> None:
    release = Event()
    server = serve(lambda: FakeSession(thinks=patient(release)))
    port = int(server.effective_port)

    def send(message: str) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        client.sendall(ggp_base(message))
        return client

    def ask(message: str) -> str:
        return exchange(port, ggp_base(message)).body

    with ExitStack() as stack:
        stack.callback(release.set)
        for number in range(64):
            stack.enter_context(send(start(f"m{number}", clocks="86400 86400")))
        while requests() < 64:
            time.sleep(0.01)
        for number in range(64):
            for _ in range(10):
                stack.enter_context(send(f"(PLAY m{number} NIL)"))
        assert ask("(INFO)") == "((name fake) (status busy))"
        assert {ask(f"(ABORT m{number})") for number in range(64)} == {"aborted"}
        assert ask("(INFO)") == INFO


@pytest.mark.parametrize(
    ("request_bytes", "is_brief"),
    [
        (ggp_base("( INFO )"), True),
        (ggp_base("(stop m1 NIL)"), True),
        (ggp_base("\n(ABORT m1)"), True),
        (b"POST / HTTP/1.0\r\n\r\nping()", True),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n(ABORT m)\r\n0\r\n\r\n", True),
        (b"GET / HTTP/1.0\r\n\r\n", True),
        (b"GET /%28INFO%29 HTTP/1.0\r\n\r\n", True),
        (b"GET /status HTTP/1.0\r\n\r\n", True),
        (ggp_base("(PLAY m1 NIL)"), False),
        (ggp_base(start()), False),
        (ggp_base("(INFORM m1)"), False),
        (b"GET /%28PLAY+m1+NIL%29 HTTP/1.0\r\n\r\n", False),
        (b"GET /?%28PLAY+m1+NIL%29 HTTP/1.0\r\n\r\n", False),
        (b"POST / HTTP/1.0\r\n\r\n", False),
        (b"\x00\r\n\r\n", True),
    ],
)
def test_what_asks_for_no_move_is_told_by_its_beginning(
    request_bytes: bytes, is_brief: bool
) -> None:
    request = Request(Adjustments(max_request_body_size=1000))
    request.received(request_bytes)
    request.finish()
    assert request.is_brief is is_brief
    if request.error is None:
        length = int(request.headers.get("CONTENT_LENGTH", 0))
        assert len(request.get_body_stream().read()) >= length
