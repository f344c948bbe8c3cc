"""A remote player made of raw sockets, which answers whatever a test tells it to."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

#: Called with the connection and the message, it writes the reply; if it returns True, the server
#: keeps the connection open.
Behaviour = Callable[[socket.socket, str], bool | None]


def reply(
    body: str,
    *,
    status: str = "200 OK",
    end: str = "\r\n",
    length: int | None = None,
    header: str = "",
) -> bytes:
    """A reply over HTTP; `header` replaces the Content-Length."""
    header = header or f"Content-Length: {len(body) if length is None else length}"
    head = [f"HTTP/1.0 {status}", "Content-Type: text/acl", header, "", ""]
    return (end.join(head) + body).encode()


def answers(text: str) -> Behaviour:
    """A well-behaved player that always answers the same."""

    def behave(connection: socket.socket, message: str) -> None:
        connection.sendall(reply(text))

    return behave


def sends(data: bytes, *, keep_open: bool = False) -> Behaviour:
    """Answers PLAY with exactly these bytes, and anything else with `ready`."""

    def behave(connection: socket.socket, message: str) -> bool:
        is_play = message.startswith("( PLAY")
        connection.sendall(data if is_play else reply("ready"))
        return keep_open and is_play

    return behave


def dribbles(data: bytes, *, seconds: float) -> Behaviour:
    """Answers PLAY byte by byte, with a pause after each."""

    def behave(connection: socket.socket, message: str) -> None:
        if not message.startswith("( PLAY"):
            connection.sendall(reply("ready"))
            return
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(seconds)

    return behave


@dataclass
class FakePlayer:
    """Where the player listens, and what it has heard."""

    port: int
    #: Requests as they came: headers and body.
    requests: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def messages(self) -> list[str]:
        return [request.partition("\r\n\r\n")[2] for request in self.requests]

    def heard(self, verb: str) -> list[str]:
        return [message for message in self.messages if message.startswith(f"( {verb} ")]

    def wait_for(self, verb: str) -> None:
        """Wait until such a message has come."""
        deadline = time.monotonic() + 30
        while not self.heard(verb):
            assert time.monotonic() < deadline, f"no {verb} has come"
            time.sleep(0.02)


@contextmanager
def fake_player(behave: Behaviour) -> Iterator[FakePlayer]:
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        player = FakePlayer(listener.getsockname()[1])

        def serve() -> None:
            held = []
            while not over.is_set():
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                connection.settimeout(5)
                try:
                    request = _read_request(connection)
                    player.requests.append(request)
                    if behave(connection, request.partition("\r\n\r\n")[2]):
                        held.append(connection)
                        continue
                except OSError:
                    pass  # the other side lost patience, as it should
                connection.close()
            for connection in held:
                connection.close()

        thread = Thread(target=serve)
        thread.start()
        try:
            yield player
        finally:
            over.set()
            thread.join()


def _read_request(connection: socket.socket) -> str:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += _some(connection)
    return (head + b"\r\n\r\n" + body).decode("ascii")


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionError
    return data
