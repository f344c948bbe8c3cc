"""Requests as managers write them, and replies, which are read to the end of the stream."""

from __future__ import annotations

import socket
from dataclasses import dataclass

#: Seconds after which a reply counts as missing.
PATIENCE = 30.0


@dataclass(frozen=True)
class HttpReply:
    status: str
    headers: dict[str, str]
    body: str

    @classmethod
    def read(cls, data: bytes) -> HttpReply:
        head, separator, body = data.partition(b"\r\n\r\n")
        assert separator, f"no HTTP reply: {data!r}"
        status, *lines = head.decode("ascii").split("\r\n")
        pairs = (line.split(": ", 1) for line in lines)
        return cls(status, {name.lower(): value for name, value in pairs}, body.decode("ascii"))


def exchange(port: int, *pieces: bytes, half_close: bool = False) -> HttpReply:
    """Send bytes and return the reply; the server must close the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        for piece in pieces:
            connection.sendall(piece)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while data := connection.recv(65536):
            received += data
    return HttpReply.read(received)


def ggp_base(message: str, *, receiver: str = "X", more: str = "") -> bytes:
    """Return a request as ggp-base writes it, and the Tiltyard with more headers."""
    return (
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        "Host: 127.0.0.1:9147\r\n"
        "Sender: GAMESERVER\r\n"
        f"Receiver: {receiver}\r\n"
        f"{more}"
        "Content-Type: text/acl\r\n"
        f"Content-Length: {len(message)}\r\n"
        "\r\n"
        f"{message}"
    ).encode()


def old_ggp_base(message: str) -> bytes:
    """Return a request as older versions of ggp-base write it: with LF line ends."""
    return (
        "POST / HTTP/1.0\n"
        "Accept: text/delim\n"
        "Sender: GAMESERVER\n"
        "Receiver: X\n"
        "Content-type: text/acl\n"
        f"Content-length: {len(message)}\n"
        "\n"
        f"{message}\n"
    ).encode()


def dresden(message: str) -> bytes:
    """Return a request as Dresden's GameController writes it: without a Host."""
    return (
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        "Sender: Gamecontroller\r\n"
        "Receiver: 127.0.0.1\r\n"
        "Content-type: text/acl\r\n"
        f"Content-length: {len(message)}\r\n"
        "\r\n"
        f"{message}"
    ).encode()
