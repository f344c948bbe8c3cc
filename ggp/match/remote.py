"""Asks a player over HTTP, as ggp-base does, and never waits beyond the deadline."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import quote, urlsplit

from ggp.deadline import Deadline
from ggp.errors import PlayerError

__all__ = ["Address", "ask", "await_player"]

#: Seconds to wait for a connection, and between two attempts; and for the answer to INFO.
_CONNECT, _PAUSE, _INFO = 5.0, 0.2, 2.5
#: Seconds between two checks whether the deadline was cancelled.
_TICK = 0.1
#: The longest reply that is read, in bytes.
_MAX_REPLY = 1_000_000

#: What is left as it is in the path of an address; all else is quoted, blanks and line ends too.
_SAFE = "/%:@!$&'()*+,;=~"
#: What a header cannot carry.
_NO_TEXT = re.compile(r"[^\x20-\x7e]")
_NAME = re.compile(r"[A-Za-z0-9._-]+")

_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_CONTENT_LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]+)[ \t]*\r?$", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which a player listens."""

    host: str
    port: int
    path: str = "/"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read ``http://host:port`` or ``host:port``; return None if the text looks like neither.

        The path is quoted, so that an address is one word wherever it stands.

        Raises:
            PlayerError: it is a URL with another scheme or without a port, its host is none, or it
                has what the address of a player does not have: a user or a query.
        """
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
            if not re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/=,]+):[0-9]+/?", text):
                return None
            text = f"http://{text}"
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise PlayerError(f"{text}: {error}") from None
        if parts.scheme != "http":
            raise PlayerError(f"{text}: players are asked over http only")
        if not host or not port:
            raise PlayerError(f"{text}: a player has a host and a port, as in http://host:9147")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise PlayerError(f"{text}: the address of a player has no user, query or fragment")
        return cls(_host(host, text), port, quote(parts.path, safe=_SAFE) or "/")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path.rstrip('/')}"


def ask(address: Address, message: str, *, receiver: str = "", deadline: Deadline) -> str:
    """Send a message and return the body of the reply, without surrounding blanks.

    The reply is read leniently: the status does not matter, lines may end with LF, and without a
    Content-Length the body extends until the connection is closed.

    Args:
        address: where the player listens.
        message: the message, in KIF.
        receiver: the player's name, for the header of that name.
        deadline: how long the whole exchange may take.

    Raises:
        TimeoutError: the reply was not complete in time.
        ConnectionError: there is no connection, or the reply is not HTTP, empty, or over 1 MB.
    """
    try:
        with _connected(address, deadline.within(_CONNECT)) as connection:
            _send(connection, _request(address, message, receiver), deadline)
            body = _read_body(_received(connection, deadline))
    except (TimeoutError, ConnectionError):
        raise
    except (OSError, UnicodeError) as error:  # the host's name may be malformed
        raise ConnectionError(f"{address}: {error}") from None
    text = body.decode(errors="replace").strip()
    if not text:
        raise ConnectionError(f"{address}: the reply is empty")
    return text


def await_player(address: Address, *, receiver: str = "", deadline: Deadline) -> None:
    """Wait until a player listens, and ask it INFO, whatever it answers: some do not know that.

    Args:
        address: where the player should listen.
        receiver: the player's name, for the header of that name.
        deadline: how long to wait.

    Raises:
        ConnectionError: nothing listens there, or there is no such host.
    """
    while True:
        try:
            with _connected(address, deadline.within(_CONNECT)) as connection, suppress(OSError):
                limit = deadline.within(_INFO)
                _send(connection, _request(address, "( INFO )", receiver), limit)
                _read_body(_received(connection, limit))
            return
        except (OSError, UnicodeError) as error:  # the host's name may be malformed
            may_come = isinstance(error, ConnectionError | TimeoutError)
            if not may_come or deadline.remaining <= _PAUSE:
                reason = getattr(error, "strerror", None) or "it does not answer"
                raise ConnectionError(f"no player listens at {address}: {reason}") from None
        time.sleep(_PAUSE)


def _request(address: Address, message: str, receiver: str) -> bytes:
    body = message.encode()
    lines = [
        f"POST {address.path} HTTP/1.0",
        "Accept: text/delim",
        f"Host: [{address.host}]" if ":" in address.host else f"Host: {address.host}",
        "Sender: GAMESERVER",
        f"Receiver: {_NO_TEXT.sub('?', receiver)}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body


def _connected(address: Address, deadline: Deadline) -> socket.socket:
    """Connect to the first of the host's addresses that answers.

    Raises:
        TimeoutError: none answers before the deadline.
        OSError: all refuse, or the host is unknown.
    """
    error: OSError = TimeoutError()
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    for left, (family, kind, protocol, _, where) in zip(
        range(len(found), 0, -1), found, strict=True
    ):
        connection = socket.socket(family, kind, protocol)
        try:
            # Each address gets a fair part of the time, so that one that is silent leaves some.
            connection.settimeout(max(_TICK / 10, deadline.remaining / left))
            connection.connect(where)
        except OSError as refused:
            connection.close()
            error = refused
            if deadline.is_over:
                break
        else:
            return connection
    raise error


def _host(host: str, text: str) -> str:
    """Return a host as it is looked up. Raises `PlayerError`."""
    with suppress(ValueError):
        return str(ip_address(host))
    with suppress(UnicodeError):
        name = host.encode("idna").decode("ascii")
        if _NAME.fullmatch(name):
            return name
    raise PlayerError(f"{text}: {host!a} is no name of a host")


def _send(connection: socket.socket, data: bytes, deadline: Deadline) -> None:
    """Send all data. Raises `TimeoutError` at the deadline: long rules may take a while."""
    unsent = memoryview(data)
    while unsent:
        if deadline.is_over:
            raise TimeoutError
        connection.settimeout(_TICK)
        with suppress(TimeoutError):
            unsent = unsent[connection.send(unsent) :]


def _received(connection: socket.socket, deadline: Deadline) -> Iterator[bytes]:
    """Yield the data that comes until the other side closes. Raises `TimeoutError`."""
    while not deadline.is_over:
        connection.settimeout(max(_TICK / 10, min(_TICK, deadline.remaining)))
        with suppress(TimeoutError):
            data = connection.recv(1 << 16)
            if not data:
                return
            yield data
    raise TimeoutError


def _read_body(chunks: Iterator[bytes]) -> bytes:
    reply = b""
    for chunk in chunks:
        reply += chunk
        if len(reply) > _MAX_REPLY:
            raise ConnectionError("the reply is too long")
        body = _body(reply, is_closed=False)
        if body is not None:
            return body
    body = _body(reply, is_closed=True)
    if body is None:
        raise ConnectionError("the reply is not HTTP")
    return body


def _body(reply: bytes, *, is_closed: bool) -> bytes | None:
    """Return the body of a reply, or None if it is not complete."""
    end = _HEADERS_END.search(reply)
    if end is None:
        return None
    body = reply[end.end() :]
    length = _CONTENT_LENGTH.search(reply, 0, end.start())
    if length is not None and len(body) >= int(length[1]):
        return body[: int(length[1])]
    return body if is_closed else None
