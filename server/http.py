"""Waitress, made to speak HTTP with everything that calls itself a game manager.

Managers write their HTTP by hand. They end lines with LF, count Content-Length in characters,
read replies to the end of the stream, and take whatever comes back for the answer, an error page
as well. So here

- every connection serves one request and is closed;
- a message ends where its parentheses do, whatever Content-Length says of it;
- whoever stops half-way through a request is answered after a few seconds, or when they close
  their end;
- every request has a thread of its own, so that none waits behind a player that thinks;
- what is no HTTP is answered by one line of KIF.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any
from weakref import WeakSet

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from ggp.server.protocol import WHAT
from ggp.server.request import Request

__all__ = ["HEADERS", "RECEIVED", "KifServer"]

#: Headers of every reply. A browser may send messages too, if it is allowed to.
HEADERS = {
    "Content-Type": "text/acl",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Sender, Receiver, Content-Type, Accept",
    "Access-Control-Max-Age": "86400",
}

#: In the environment of a request: when its first byte came, as `time.monotonic` has it.
RECEIVED = "ggp.received"

_MAX_HEADER = 2_000_000
_MAX_CONNECTIONS = 500
#: Connections on which no whole request has come yet; beyond, the oldest of them is closed.
_MAX_UNFINISHED = 200

#: Seconds without a byte after which a request is taken as it is.
_MAX_SILENCE = 2.0
#: Seconds within which a request must have come, and for which a silent connection is kept.
_MAX_REQUEST = 20.0
#: Seconds for which a connection is drained after the reply. To close it while bytes come in
#: would reset it, and the reply could be lost.
_MAX_DRAIN = 2.0

_log = logging.getLogger(__name__)


class KifServer(TcpWSGIServer):  # type: ignore[misc] # waitress has no types
    """Serves a WSGI application to game managers.

    Raises:
        OSError: nothing can listen there; the port is taken, or the host is not this machine.
    """

    def __init__(
        self,
        application: Callable[..., Any],
        *,
        host: str,
        port: int,
        max_body: int,
        every_second: Callable[[], None],
    ) -> None:
        """Listen at once; `run` serves.

        Args:
            application: the WSGI application.
            host: name or address to listen at.
            port: 0 takes any free port.
            max_body: bytes that the body of a request may have.
            every_second: called about once a second, in the thread that runs the server.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        self._every_second = every_second
        self._is_stopped = False
        super().__init__(
            application,
            _sock=listener,
            bind_socket=False,
            sockinfo=(family, socket.SOCK_STREAM, 0, listener.getsockname()),
            dispatcher=_Threads(),
            ident="ggp",
            cleanup_interval=1,
            recv_bytes=1 << 16,
            connection_limit=_MAX_CONNECTIONS,
            max_request_header_size=_MAX_HEADER,
            max_request_body_size=max_body,
            log_socket_errors=False,
        )
        self.channel_class = _Channel

    @property
    def url(self) -> str:
        """Where the server listens."""
        host = f"[{self.effective_host}]" if ":" in self.effective_host else self.effective_host
        return f"http://{host}:{self.effective_port}"

    def run(self) -> None:
        """Serve until `stop` is called."""
        while not self._is_stopped:
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """Make `run` return. Any thread or signal handler may call this."""
        self._is_stopped = True
        self.pull_trigger()

    def close(self) -> None:
        """Close all connections; wait for the replies under way, which find no reader."""
        for channel in list(self.active_channels.values()):
            channel.close()
        self.task_dispatcher.join()
        # not before: a reply that ends pulls the trigger
        super().close()

    def handle_accept(self) -> None:
        """Take a connection, and make room for the next where too many just sit there."""
        super().handle_accept()
        unfinished = [c for c in list(self.active_channels.values()) if c.is_unfinished]
        if len(unfinished) > _MAX_UNFINISHED:
            min(unfinished, key=lambda channel: channel.opened).handle_close()

    def maintenance(self, _now: float) -> None:
        """Look after the connections. Waitress calls this every second."""
        for channel in list(self.active_channels.values()):
            channel.look_after()
        self._every_second()


class _Threads:
    """Gives each request a thread of its own, in the place of waitress's pool."""

    def __init__(self) -> None:
        self._threads: WeakSet[Thread] = WeakSet()

    def add_task(self, task: _Channel) -> None:
        thread = Thread(target=task.service, daemon=True, name="request")
        self._threads.add(thread)
        thread.start()

    def join(self) -> None:
        for thread in list(self._threads):
            thread.join()


class _Task(WSGITask):  # type: ignore[misc] # waitress has no types
    def get_environment(self) -> dict[str, Any]:
        environment: dict[str, Any] = super().get_environment()
        environment[RECEIVED] = self.channel.first_byte
        return environment


class _ErrorTask(ErrorTask):  # type: ignore[misc] # waitress has no types
    """Answers what is no HTTP, and what the application failed to answer."""

    def execute(self) -> None:
        _log.warning("bad request: %s", self.request.error.body)
        self.response_headers.extend(HEADERS.items())
        self.set_close_on_finish()
        self.content_length = len(WHAT)
        self.write(WHAT.encode())


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """One connection. Its methods run in the server's thread, but for `service`."""

    parser_class = Request
    task_class = _Task
    error_task_class = _ErrorTask
    request: Any
    close_when_flushed: bool

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.first_byte: float | None = None
        self.opened = self._last_byte = time.monotonic()
        self._drained_until: float | None = None

    @property
    def is_unfinished(self) -> bool:
        """Whether the request has not come yet, or not all of it."""
        return not (self.requests or self.close_when_flushed or self._drained_until is not None)

    def handle_read(self) -> None:
        try:
            data = self.socket.recv(self.adj.recv_bytes)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()
            return
        if self._drained_until is not None:
            if not data:
                self.handle_close()
        elif data:
            self._last_byte = time.monotonic()
            self.first_byte = self.first_byte or self._last_byte
            self.received(data)
        else:
            self._finish()

    def handle_write(self) -> None:
        self._flush_exception(self._flush_some_if_lockable if self.requests else self._flush_some)
        if self.socket is not None and self.close_when_flushed and not self.total_outbufs_len:
            self.close_when_flushed = False
            self._drained_until = time.monotonic() + _MAX_DRAIN
            with suppress(OSError):  # the other end may have gone
                self.socket.shutdown(socket.SHUT_WR)
        if self.will_close:
            self.handle_close()

    def _finish(self) -> None:
        """Answer what has come, since no more will."""
        with self.requests_lock:
            request, self.request = self.request, None
            if request is not None:
                request.finish()
                self.requests.append(request)
        if request is not None:
            self.server.add_task(self)
        else:
            self.handle_close()

    def look_after(self) -> None:
        """Give up waiting where nothing more is to be expected."""
        now = time.monotonic()
        if self._drained_until is not None:
            if now > self._drained_until:
                self.handle_close()
        elif self.requests or self.close_when_flushed:
            return
        elif self.first_byte is None:
            if now - self.opened > _MAX_REQUEST:
                self.handle_close()
        elif now - self._last_byte > _MAX_SILENCE or now - self.first_byte > _MAX_REQUEST:
            self._finish()
