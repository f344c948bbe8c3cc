"""Connections that no client can take from the others: waitress, with limits of number and time.

Waitress stops to accept when it has as many connections as it may have, so that clients which send
or read slowly, or not at all, keep all others out. Here there is always room for a new connection:
where there are too many, the client with the most of them loses the oldest that waits for it.
"""

from __future__ import annotations

import select
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
        self._is_stopped = False
        self._poll = select.poll()
        #: What is polled of each descriptor, and the channels for which that may have changed.
        self._polled: dict[int, int] = {}
        self._changed = deque[Any]()
        #: The connections whose requests this thread answers.
        self._answered_here = deque[Channel]()
        #: When to look after the connections, on the scale of `time.monotonic`.
        self._next_look = 0.0
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
            self.turn(1.0)

    def turn(self, seconds: float) -> None:
        """Wait for some seconds at most until something happens, and take care of that.

        Waitress asks every connection before each turn whether it wants to read or write. Here only
        those are asked for which that may have changed: five hundred clients that wait cost the
        others nothing.
        """
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + 1
            self.look_after()
            self._changed.extend(self._map.values())
        while self._changed:
            self._renew(self._changed.popleft())
        for descriptor, flags in self._poll.poll(1000 * seconds):
            channel = self._map.get(descriptor)
            if channel is not None:
                wasyncore.readwrite(channel, flags)
                self._changed.append(channel)
            while self._answered_here:
                answered = self._answered_here.popleft()
                answered.service()
                if answered.connected:
                    answered.handle_write()

    def note_change(self, channel: Channel) -> None:
        """Ask a connection in the next turn whether it wants to read or write. Thread-safe."""
        self._changed.append(channel)

    def forget(self, descriptor: int) -> None:
        """Poll a descriptor no longer, which is about to be closed."""
        if self._polled.pop(descriptor, 0):
            self._poll.unregister(descriptor)

    def _renew(self, channel: Any) -> None:
        descriptor = channel._fileno
        if self._map.get(descriptor) is not channel:
            return  # it has been closed
        flags = select.POLLIN | select.POLLPRI if channel.readable() else 0
        if channel.writable() and not channel.accepting:
            flags |= select.POLLOUT
        if flags == self._polled.get(descriptor, 0):
            return
        if flags:
            self._poll.register(descriptor, flags)
        else:
            self._poll.unregister(descriptor)
        self._polled[descriptor] = flags

    def answer_next(self, channel: Channel) -> None:
        """Answer a request in this thread, after what it is at. The answer must take no time."""
        self._answered_here.append(channel)

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
        if len(self.active_channels) <= min(self.limits.waiting, self.limits.connections):
            return
        channels = list(self.active_channels.values())
        waiting = [channel for channel in channels if channel.is_waiting]
        _close_some(waiting, len(waiting) - self.limits.waiting)
        # A thread works on the others, or they have their place in the queue for one.
        idle = [channel for channel in channels if channel.connected and not channel.requests]
        _close_some(idle, len(self.active_channels) - self.limits.connections)

    def maintenance(self, _now: float) -> None:
        """Do nothing: `look_after` does it, between two polls."""

    def look_after(self) -> None:
        """Look after all connections; `turn` does this every second."""
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

    def add_channel(self, map: Any = None) -> None:  # noqa: A002 - waitress's own signature
        """Note that the connection is open."""
        super().add_channel(map)
        self.server.note_change(self)

    def del_channel(self, map: Any = None) -> None:  # noqa: A002
        """Note that the connection is about to be closed."""
        self.server.forget(self._fileno)
        super().del_channel(map)

    def service(self) -> None:
        """Work on a request, in a thread of its own."""
        super().service()
        self._tell_of_change()

    def _tell_of_change(self) -> None:
        self.server.note_change(self)
        with suppress(OSError):  # the server has been closed meanwhile
            self.server.pull_trigger()

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
        taken = int(super().write_soon(data))
        if self.total_outbufs_len >= self.adj.send_bytes:
            self._tell_of_change()  # the rest waits to be sent
        return taken

    def _flush_exception(self, flush: Any, do_close: bool = True) -> tuple[bool, bool]:
        flushed, has_failed = super()._flush_exception(flush, do_close=do_close)
        if has_failed:  # then the connection is to be closed
            self.server.note_change(self)
        return flushed, has_failed

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
