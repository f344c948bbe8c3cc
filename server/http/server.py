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

A reply may take hours. So the server notices a client that leaves before, see `_Channel.probe`.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore, Thread
from typing import Any
from weakref import WeakSet

from waitress.task import ErrorTask, WSGITask

from ggp.server.access.connections import Channel, Limits, Server, ServiceUnavailable
from ggp.server.http.request import Request
from ggp.server.protocol import WHAT

__all__ = ["HEADERS", "LEAVING", "LOCAL", "RECEIVED", "KifServer"]

#: Headers of every reply.
HEADERS = {"Content-Type": "text/acl"}

#: In the WSGI environment: when the first byte of the request came, on the scale of
#: `time.monotonic`; the address of this machine which the client has connected to; and a function
#: that takes a function, and calls it when the client closes the connection. The application calls
#: that before it waits for long.
RECEIVED, LOCAL, LEAVING = "ggp.received", "ggp.local", "ggp.leaving"

_MAX_HEADER = 2_000_000
#: Connections without a complete request, and connections whose reply is on its way.
_MAX_UNFINISHED, _MAX_LEAVING = 200, 200
#: Requests at once beside those that wait for players, and as many again that ask for no move, so
#: that PLAY and START never keep out INFO, STOP and ABORT.
_RESERVE = 200
#: Requests that are worked on at once; a request that waits for a player is not one of them.
_AT_ONCE = 2
#: Bytes of a request that is not one of them either: the protocol parses these one by one.
_LONG = 100_000
#: Seconds for which a thread waits for another request.
_IDLE = 5.0
#: The bodies of all incomplete requests, as a multiple of the longest.
_MAX_BODIES = 4

#: Seconds without a byte after which the server answers an incomplete request.
_MAX_SILENCE = 2.0
#: Seconds that a request may take to arrive, and that a silent connection is kept open.
_MAX_REQUEST = 20.0
#: Seconds in which a client must take some of its reply.
_MAX_UNREAD = 10.0
#: Seconds for which the server reads on after the reply.
_MAX_DRAIN = 2.0
#: Bytes that a client may send while it waits for the reply.
_MAX_DROPPED = 1 << 20

#: Seconds after which the system asks whether a silent client is still there, between two such
#: questions, and how many go unanswered: a client whose machine has gone closes no connection.
_KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}

_log = logging.getLogger(__name__)


class KifServer(Server):
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
        max_waiting: int,
        every_second: Callable[[], None],
    ) -> None:
        """Listen at once; `run` serves the requests.

        Args:
            application: the WSGI application.
            host: the name or address to listen on.
            port: the port; 0 for any free one.
            max_body: the limit on the body of a request, in bytes.
            max_waiting: the number of requests that the application may keep waiting for long.
            every_second: called about once a second, in the thread that runs the server.
        """
        requests = max_waiting + 2 * _RESERVE
        limits = Limits(
            connections=requests + _MAX_UNFINISHED + _MAX_LEAVING,
            waiting=_MAX_UNFINISHED,
            header=_MAX_HEADER,
            body=max_body,
            bodies=_MAX_BODIES * max_body,
            arrival=_MAX_REQUEST,
            silence=_MAX_SILENCE,
            idle=_MAX_REQUEST,
            unread=_MAX_UNREAD,
            drain=_MAX_DRAIN,
        )
        self._every_second = every_second
        super().__init__(
            application,
            host=host,
            port=port,
            limits=limits,
            dispatcher=_Threads(requests),
            ident="ggp",
        )
        self.channel_class = _Channel

    @property
    def url(self) -> str:
        """The address at which the server listens."""
        host = f"[{self.effective_host}]" if ":" in self.effective_host else self.effective_host
        return f"http://{host}:{self.effective_port}"

    def close(self) -> None:
        """Close all connections, and wait for the threads that still work on a reply."""
        for channel in list(self.active_channels.values()):
            channel.handle_close()
        self.task_dispatcher.join()
        # Only now: a thread that ends pulls the trigger.
        super().close()

    def set_socket_options(self, conn: socket.socket) -> None:
        """Let the system find out that the machine of a client has gone."""
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                conn.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    def look_after(self) -> None:
        """Look after all connections and matches, every second."""
        super().look_after()
        self._every_second()


class _Threads:
    """Runs each request in a thread of its own, instead of waitress's pool.

    Threads take turns, whatever they do; so few of them work at a time, unless they only wait for a
    player. What asks for no move has its thread at once; the server's own thread answers INFO, for
    on a busy machine another thread may not run at once. A thread that is done waits for another
    request for some seconds: to start one takes longer than most answers.
    """

    def __init__(self, limit: int) -> None:
        """Take the number of requests at once."""
        self._limit = limit
        self._threads: WeakSet[Thread] = WeakSet()
        self._tasks = SimpleQueue[_Channel | None]()
        #: How many threads wait for a request, and are not needed for one that is in the queue.
        self._idle = Semaphore(0)
        self._lock = Lock()  # guards the following
        self._taken = set[_Channel]()
        self._working = set[_Channel]()
        self._queue = deque[_Channel]()

    def add_task(self, task: _Channel) -> None:
        request = task.requests[0]
        if request.is_info:
            task.server.answer_next(task)
            return
        is_brief = request.is_brief
        with self._lock:
            if len(self._taken) >= self._limit - (0 if is_brief else _RESERVE):
                request.error = ServiceUnavailable("too many requests at once")
                ready = [task]
            else:
                self._taken.add(task)
                is_apart = is_brief or request.size >= _LONG
                if not is_apart:
                    self._queue.append(task)
                ready = [task] if is_apart else self._next()
        self._start(ready)

    def go_on(self, task: _Channel) -> None:
        """Let another request have its turn, since this one waits or is answered."""
        with self._lock:
            self._working.discard(task)
            ready = self._next()
        self._start(ready)

    def join(self) -> None:
        """Wait for the threads, which end when they have nothing to do."""
        threads = list(self._threads)
        for _ in threads:
            self._tasks.put(None)
        for thread in threads:
            thread.join()

    def _next(self) -> list[_Channel]:
        """Return the requests whose turn it is."""
        ready = []
        while self._queue and len(self._working) < _AT_ONCE:
            ready.append(self._queue.popleft())
            self._working.add(ready[-1])
        return ready

    def _start(self, tasks: list[_Channel]) -> None:
        for task in tasks:
            self._tasks.put(task)
            if not self._idle.acquire(blocking=False):
                thread = Thread(target=self._work, daemon=True, name="request")
                self._threads.add(thread)
                thread.start()

    def _work(self) -> None:
        while True:
            try:
                task = self._tasks.get(timeout=_IDLE)
            except Empty:
                if self._idle.acquire(blocking=False):
                    return
                continue  # a request is on its way
            if task is None:
                return
            try:
                task.service()
            finally:
                with self._lock:
                    self._taken.discard(task)
                self.go_on(task)
            self._idle.release()


class _Task(WSGITask):  # type: ignore[misc] # waitress has no types
    def get_environment(self) -> dict[str, Any]:
        environment: dict[str, Any] = super().get_environment()
        channel: _Channel = self.channel
        environment[RECEIVED] = channel.first_byte
        environment[LOCAL] = channel.local
        environment[LEAVING] = channel.on_leaving
        return environment


class _ErrorTask(ErrorTask):  # type: ignore[misc] # waitress has no types
    """Answers invalid HTTP, and requests on which the application failed."""

    def execute(self) -> None:
        _log.warning("bad request: %.500a", self.request.error.body)
        self.response_headers.extend(HEADERS.items())
        self.set_close_on_finish()
        self.content_length = len(WHAT)
        self.write(WHAT.encode())


class _Channel(Channel):
    """One connection. All methods except `service` run in the server's thread."""

    parser_class = Request
    task_class = _Task
    error_task_class = _ErrorTask

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        with suppress(OSError):  # the client has left
            self.local = str(self.socket.getsockname()[0])
        self._dropped = 0
        #: Whether the client has closed its end: it may still wait for the reply, or have left.
        self._has_ended = False
        #: The status line, if it was sent ahead of the reply; whether the reply has begun.
        self._status_line, self._has_begun = b"", False
        self._lock = Lock()  # guards the following
        self._on_leaving: list[Callable[[], None]] = []

    #: The address of this machine which the client has connected to.
    local = ""

    @property
    def arrived(self) -> int:
        """The bytes that have arrived of an incomplete request."""
        return 0 if self.request is None else int(self.request.size)

    def on_leaving(self, leave: Callable[[], None]) -> None:
        """Call a function when the connection is closed; at once if it is.

        The thread that works on the request calls this before it waits for a player.
        """
        self.server.task_dispatcher.go_on(self)
        with self._lock:
            if self.connected:
                self._on_leaving.append(leave)
                return
        leave()

    def handle_close(self) -> None:
        """Close the connection, and tell those who work on the reply."""
        super().handle_close()
        with self._lock:
            leaving, self._on_leaving = self._on_leaving, []
        for leave in leaving:
            leave()

    def readable(self) -> bool:
        """Return whether to read: a client that leaves shows by the end of what it sends."""
        return not (self.will_close or self._has_ended) and self._dropped < _MAX_DROPPED

    def handle_read(self) -> None:
        """Take a request; drop what follows it."""
        try:
            data = self.socket.recv(self.adj.recv_bytes)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()
            return
        is_answered = self._drained_until is not None
        if not data:
            self._has_ended = True
            if is_answered:
                self.handle_close()
            elif not (self.requests or self.close_when_flushed):
                self._refuse_rest()
        elif self.requests or self.close_when_flushed:
            self._dropped += len(data)
        elif not is_answered:
            self._moved = time.monotonic()
            self.received(data)

    def handle_write(self) -> None:
        """Send what is there, and end the reply."""
        super().handle_write()
        if self._drained_until is not None:
            self._dropped = 0
            if self._has_ended:
                self.handle_close()

    def write_soon(self, data: Any) -> int:
        """Queue a part of the reply; the first one is its head."""
        with self.outbuf_lock:
            if not self._has_begun and self._status_line:
                data = data.partition(b"\r\n")[2]
            self._has_begun = True
        return int(super().write_soon(data))

    def look_after(self) -> None:
        """Close the connection, or answer an incomplete request, when its time is over."""
        super().look_after()
        if self._has_ended and self.connected:
            self.probe()

    def probe(self) -> None:
        """Find out whether a client that has closed its end still waits for the reply.

        Some clients close the end at which they send when they have sent the request, others close
        the connection: both look the same until the server sends something. So it sends the status
        line ahead of the reply. The system of a client that has left answers by a reset.
        """
        with self.outbuf_lock:
            request = next(iter(self.requests), None)
            if self._has_begun or request is None:
                return
            if self._status_line:
                has_left = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
            else:
                version = request.version if request.version == "1.1" else "1.0"
                self._status_line = f"HTTP/{version} 200 OK\r\n".encode()
                has_left = self.send(self._status_line, do_close=False) != len(self._status_line)
        if has_left:
            self.handle_close()

    def _refuse_rest(self) -> None:
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
