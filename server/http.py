"""Waitress, adapted to the HTTP that game managers speak.

Managers write their HTTP by hand. They end lines with LF, count Content-Length in characters,
read replies to the end of the stream, and take any body for the answer, an error page as well.
Therefore

- the server closes each connection after one request;
- a message ends where its parentheses do, whatever Content-Length says;
- the server answers an incomplete request after a few seconds of silence, or when the client
  closes its end;
- each request has a thread of its own, so that none waits behind a player that thinks;
- the server answers invalid HTTP with one line of KIF.
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

#: Headers of every reply. They allow the pages of any site to send messages.
HEADERS = {
    "Content-Type": "text/acl",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Sender, Receiver, Content-Type, Accept",
    "Access-Control-Max-Age": "86400",
}

#: In the WSGI environment: when the first byte of the request came, on the scale of
#: `time.monotonic`.
RECEIVED = "ggp.received"

_MAX_HEADER = 2_000_000
_MAX_CONNECTIONS = 500
#: Connections without a complete request; beyond this number the server closes the oldest.
_MAX_UNFINISHED = 200

#: Seconds without a byte after which the server answers an incomplete request.
_MAX_SILENCE = 2.0
#: Seconds that a request may take to arrive, and that a silent connection is kept open.
_MAX_REQUEST = 20.0
#: Seconds for which the server reads on after the reply. If it closed a connection on which bytes
#: still arrive, the connection would be reset and the reply could be lost.
_MAX_DRAIN = 2.0

_log = logging.getLogger(__name__)


class KifServer(TcpWSGIServer):  # type: ignore[misc] # waitress has no types
    """Serves a WSGI application to game managers.

    Raises:
        OSError: the port is taken, or the host is not this machine.
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
        """Listen at once; `run` serves the requests.

        Args:
            application: the WSGI application.
            host: the name or address to listen on.
            port: the port; 0 for any free one.
            max_body: the limit on the body of a request, in bytes.
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
        """The address at which the server listens."""
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
        """Close all connections, and wait for the threads that still work on a reply."""
        for channel in list(self.active_channels.values()):
            channel.close()
        self.task_dispatcher.join()
        # Only now: a thread that ends pulls the trigger.
        super().close()

    def handle_accept(self) -> None:
        """Accept a connection; close the oldest idle one if there are too many."""
        super().handle_accept()
        unfinished = [c for c in list(self.active_channels.values()) if c.is_unfinished]
        if len(unfinished) > _MAX_UNFINISHED:
            min(unfinished, key=lambda channel: channel.opened).handle_close()

    def maintenance(self, _now: float) -> None:
        """Check the timeouts of all connections. Waitress calls this every second."""
        for channel in list(self.active_channels.values()):
            channel.look_after()
        self._every_second()


class _Threads:
    """Runs each request in a thread of its own, instead of waitress's pool."""

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
    """Answers invalid HTTP, and requests on which the application failed."""

    def execute(self) -> None:
        _log.warning("bad request: %s", self.request.error.body)
        self.response_headers.extend(HEADERS.items())
        self.set_close_on_finish()
        self.content_length = len(WHAT)
        self.write(WHAT.encode())


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """One connection. All methods except `service` run in the server's thread."""

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
        """Whether the request has not arrived completely."""
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
        """Answer what has arrived of the request, since no more will."""
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
        """Close the connection, or answer an incomplete request, when its time is over."""
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
