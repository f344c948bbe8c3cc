"""Connections that no client can take from the others: waitress, with limits of number and time.

Waitress stops to accept when it has as many connections as it may have, so that clients which send
or read slowly, or not at all, keep all others out. Here there is always room for a new connection:
where there are too many, the client with the most of them loses the oldest that waits for it.
"""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.utilities import BadRequest, Error

__all__ = ["Channel", "Limits", "RequestParser", "RequestTimeout", "Server", "ServiceUnavailable"]

#: More connections than a process can open: waitress itself sets no limit.
_ANY_NUMBER = 1 << 30
#: Connections to accept before the others have their turn: each turn looks at all of them.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a client may do with its connections."""

    #: Connections, and those of them that wait for a request.
    connections: int
    waiting: int
    #: Bytes of a request's headers, of its body, and of all bodies that have not arrived yet.
    header: int
    body: int
    bodies: int
    #: Seconds that a request may take to arrive, and those of them without a byte.
    arrival: float
    silence: float
    #: Seconds for which a connection without a request is kept open.
    idle: float
    #: Seconds in which a client must take some of the reply that is there for it.
    unread: float
    #: Seconds for which the server reads on after the last reply. If it closed a connection on
    #: which bytes still arrive, the connection would be reset and the reply could be lost.
    drain: float


class RequestTimeout(Error):  # type: ignore[misc] # waitress has no types
    """The answer to a request that does not arrive."""

    code = 408
    reason = "Request Timeout"


class ServiceUnavailable(Error):  # type: ignore[misc] # waitress has no types
    """The answer of a server that has too much to do."""

    code = 503
    reason = "Service Unavailable"


class Server(TcpWSGIServer):  # type: ignore[misc] # waitress has no types
    """Listens at once; `run` serves.

    Raises:
        OSError: the port is taken, or the host is not this machine.
    """

    def __init__(
        self,
        application: Callable[..., Any],
        *,
        host: str,
        port: int,
        limits: Limits,
        dispatcher: object,
        ident: str | None,
    ) -> None:
        """Listen.

        Args:
            application: the WSGI application.
            host: the name or address to listen on.
            port: the port; 0 for any free one.
            limits: what a client may do.
            dispatcher: runs the requests in threads, as waitress's own does.
            ident: the name of the server in its replies; None to give none.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        self.limits = limits
        self._is_stopped = self._is_time = False
        super().__init__(
            application,
            _sock=listener,
            bind_socket=False,
            sockinfo=(family, socket.SOCK_STREAM, 0, listener.getsockname()),
            dispatcher=dispatcher,
            ident=ident,
            cleanup_interval=1,
            recv_bytes=1 << 16,
            connection_limit=_ANY_NUMBER,
            max_request_header_size=limits.header,
            max_request_body_size=limits.body + 1,
            log_socket_errors=False,
        )
        self.channel_class = Channel

    def run(self) -> None:
        """Serve until `stop` is called."""
        while not self._is_stopped:
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)
            if self._is_time:
                self._is_time = False
                self.look_after()

    def stop(self) -> None:
        """Make `run` return. Any thread or signal handler may call this."""
        self._is_stopped = True
        self.pull_trigger()

    def accept(self) -> tuple[socket.socket, Any] | None:
        """Accept a connection, if there is one."""
        accepted: tuple[socket.socket, Any] | None = super().accept()
        self._has_accepted = accepted is not None
        return accepted

    def handle_accept(self) -> None:
        """Accept the connections that there are; close others if there are too many."""
        for _ in range(_AT_ONCE):
            self._has_accepted = False
            super().handle_accept()
            if not self._has_accepted:
                break
        channels = list(self.active_channels.values())
        waiting = [channel for channel in channels if channel.is_waiting]
        _close_some(waiting, len(waiting) - self.limits.waiting)
        # A thread works on the others, or they have their place in the queue for one.
        idle = [channel for channel in channels if channel.connected and not channel.requests]
        _close_some(idle, len(self.active_channels) - self.limits.connections)

    def maintenance(self, _now: float) -> None:
        """Note that it is time to look after the connections, as waitress does every second.

        Waitress is then about to poll all connections. One that is closed here would be polled
        nevertheless, and what is wrong with it be said of the next one that gets its number.
        """
        self._is_time = True

    def look_after(self) -> None:
        """Look after all connections; `run` does this every second, between two polls."""
        channels = list(self.active_channels.values())
        for channel in channels:
            channel.look_after()
        arriving = sorted(channels, key=lambda channel: channel.arrived)
        total = sum(channel.arrived for channel in arriving)
        while total > self.limits.bodies:
            largest = arriving.pop()
            total -= largest.arrived
            largest.handle_close()


def _close_some(channels: list[Channel], count: int) -> None:
    """Close some of these connections, each the oldest of the client that has the most of them."""
    if count <= 0:
        return
    own: dict[str, deque[Channel]] = {}
    for channel in sorted(channels, key=lambda channel: channel.opened):
        own.setdefault(channel.client, deque()).append(channel)
    for _ in range(min(count, len(channels))):
        max(own.values(), key=len).popleft().handle_close()


class RequestParser(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """One request while it arrives, the only one of its connection until it is answered.

    What a client sends beyond it, without waiting for the reply, is dropped and the connection
    closed after the reply, as HTTP allows: a client could have a thread wait for each of hundreds
    of replies that it does not read.
    """

    completed: bool

    def received(self, data: bytes) -> int:
        """Take bytes, and return how many."""
        try:
            taken: int = super().received(data)
        except Exception as error:  # such as a Content-Length that is no number for Python
            self.error, self.completed, taken = BadRequest(repr(error)), True, len(data)
        if self.completed and not self.error and taken < len(data):
            self.headers["CONNECTION"] = "close"
            return len(data)
        return taken


class Channel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """One connection. All methods except `service` run in the server's thread."""

    parser_class = RequestParser
    requests: list[Any]
    request: Any
    close_when_flushed: bool
    total_outbufs_len: int

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        #: When the connection was opened, when the first byte of the request came that is arriving,
        #: and when a byte last came or went, on the scale of `time.monotonic`.
        self.opened = self.first_byte = self._moved = time.monotonic()
        self._drained_until: float | None = None

    @property
    def client(self) -> str:
        """The address of the client."""
        return str(self.addr[0])

    @property
    def is_waiting(self) -> bool:
        """Whether the connection waits for a request, or for the rest of one."""
        is_busy = self.requests or self.total_outbufs_len or self.close_when_flushed
        return not is_busy and self._drained_until is None

    @property
    def arrived(self) -> int:
        """The bytes that have arrived of the body of an incomplete request."""
        return 0 if self.request is None else int(self.request.body_bytes_received)

    def received(self, data: bytes) -> bool:
        """Take bytes of a request."""
        if self.request is None:
            self.first_byte = time.monotonic()
        return bool(super().received(data))

    def handle_read(self) -> None:
        """Take what the client sends; after the last reply it is dropped."""
        try:
            data = self.socket.recv(self.adj.recv_bytes)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.handle_close()
        elif self._drained_until is None:
            self._moved = time.monotonic()
            self.received(data)

    def handle_write(self) -> None:
        """Send what is there, and end the reply that is the last one."""
        self._flush_exception(self._flush_some_if_lockable if self.requests else self._flush_some)
        if self.socket is not None and self.close_when_flushed and not self.total_outbufs_len:
            self.close_when_flushed = False
            self._drained_until = time.monotonic() + self.server.limits.drain
            with suppress(OSError):  # the other end may have gone
                self.socket.shutdown(socket.SHUT_WR)
        if self.will_close:
            self.handle_close()

    def write_soon(self, data: Any) -> int:
        """Queue a part of the reply. The time to take it begins when there is something to take."""
        if not self.total_outbufs_len:
            self._moved = time.monotonic()
        return int(super().write_soon(data))

    def _flush_some(self, do_close: bool = True) -> bool:  # waitress's own signature
        has_sent = bool(super()._flush_some(do_close=do_close))
        if has_sent:
            self._moved = time.monotonic()
        return has_sent

    def look_after(self) -> None:
        """Close the connection, or end a request that does not arrive, when its time is over."""
        now, limits = time.monotonic(), self.server.limits
        rested = now - self._moved
        if self._drained_until is not None:
            if now > self._drained_until:
                self.handle_close()
        elif self.total_outbufs_len:
            # Perhaps a thread waits for the client to take its reply; this wakes it.
            if rested > limits.unread:
                self.handle_close()
        elif self.requests or self.close_when_flushed:
            return
        elif self.request is None:
            if rested > limits.idle:
                self.handle_close()
        elif rested > limits.silence or now - self.first_byte > limits.arrival:
            self._refuse_rest()

    def _refuse_rest(self) -> None:
        """Answer a request that does not arrive."""
        with self.requests_lock:
            request, self.request = self.request, None
            request.error = RequestTimeout("the request took too long to arrive")
            request.completed = True
            self.requests.append(request)
        self.server.add_task(self)
