"""What holds for the connections of both servers."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from ggp.server.access.connections import Channel
from ggp.server.http import KifServer
from ggp.server.player import make_server
from tests.server.fakes import Table
from tests.server.sockets import PATIENCE


@pytest.fixture
def server() -> Iterator[KifServer]:
    """A server that only `poll` moves on."""
    server = make_server(Table().protocol, host="127.0.0.1", port=0)
    yield server
    server.close()


def poll(server: KifServer, until: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end
        server.turn(0.01)


def connect(server: KifServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(server.effective_port)), timeout=PATIENCE)


def test_a_connection_whose_time_is_over_takes_no_other_along(server: KifServer) -> None:
    with connect(server):
        poll(server, lambda: len(server.active_channels) == 1)
        (old,) = server.active_channels.values()
        assert isinstance(old, Channel)
        old._drained_until = 0.0  # it is to be closed when the server looks after it
        # The next connection, which gets its number, comes in the turn in which the server finds
        # that it is time to look after the connections.
        with connect(server) as client:
            server._next_look = 0.0
            poll(server, lambda: bool({*server.active_channels.values()} - {old}))
            assert not old.connected
            client.sendall(b"GET / HTTP/1.0\r\n\r\n")
            poll(server, lambda: has_reply(client))
            assert client.recv(100).startswith(b"HTTP/1.0 200 OK")


def has_reply(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return bool(client.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        client.settimeout(PATIENCE)


@pytest.mark.parametrize("is_info", [True, False])
def test_info_needs_no_other_thread(
    server: KifServer, monkeypatch: pytest.MonkeyPatch, is_info: bool
) -> None:
    started = list[Thread]()

    def start(thread: Thread) -> None:
        started.append(thread)

    monkeypatch.setattr(Thread, "start", start)
    message = b"( INFO )" if is_info else b"( STOP m (a) )"
    with connect(server) as client:
        head = f"POST / HTTP/1.1\r\nContent-Length: {len(message)}\r\n\r\n"
        client.sendall(head.encode() + message)
        poll(server, lambda: bool(started) or has_reply(client))
        assert bool(started) != is_info
        if is_info:
            assert client.recv(1000).endswith(b"((name fake) (status available))")
    monkeypatch.undo()
    for thread in started:
        thread.start()
