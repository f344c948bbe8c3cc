"""The web server of the manager: waitress around the application."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict, deque
from typing import Any

from flask import Flask
from waitress.task import ErrorTask, ThreadedTaskDispatcher
from waitress.utilities import RequestEntityTooLarge

from ggp.closing import Closing
from ggp.server.access.connections import Channel, Limits, Server, ServiceUnavailable
from ggp.server.manager.places import MAX_HEAVY
from ggp.server.manager.web.streams import MAX_STREAMS

__all__ = ["Site"]

#: Threads for what takes milliseconds: more than there are cores only where they wait for a disk.
_LIGHT = 12
#: Requests that may wait for a thread.
_MAX_QUEUE = 400


class Site(Closing):
    """Serves an application to browsers. It listens at once; `run` serves.

    Streams and heavy work never take all threads, see `MAX_STREAMS` and `MAX_HEAVY`.
    """

    def __init__(self, app: Flask, *, host: str, port: int) -> None:
        """Listen.

        Args:
            app: the application.
            host: the name or address to listen on.
            port: the port; 0 for any free one.

        Raises:
            OSError: the port is taken, or the host is not this machine.
        """
        # That requests wait for a moment when many pages come back is no reason for a warning.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        limits = Limits(
            connections=800,
            waiting=400,
            header=1 << 16,
            body=app.config["MAX_CONTENT_LENGTH"],
            bodies=256 << 20,
            arrival=60,
            silence=10,
            idle=20,
            unread=20,
            drain=20,
        )
        self._threads = _Threads()
        self._server = Server(
            app, host=host, port=port, limits=limits, dispatcher=self._threads, ident=None
        )
        self._server.channel_class = _Channel
        self._threads.start(MAX_STREAMS + MAX_HEAVY + _LIGHT)
        self.port = int(self._server.effective_port)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}"

    def run(self) -> None:
        """Serve until `stop` is called."""
        self._server.run()

    def stop(self) -> None:
        """Make `run` return. Any thread or signal handler may call this."""
        self._server.stop()

    def close(self) -> None:
        """Close all connections."""
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()  # which wakes a thread that waits for its client
        self._threads.stop(timeout=1)
        self._server.close()


class _Queue:
    """The requests that wait for a thread: each client has its turn, whatever the others send."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[Channel]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def append(self, channel: Channel) -> None:
        self._lines.setdefault(channel.client, deque()).append(channel)

    def popleft(self) -> Channel:
        client, line = self._lines.popitem(last=False)
        channel = line.popleft()
        if line:
            self._lines[client] = line
        return channel


class _Threads(ThreadedTaskDispatcher):  # type: ignore[misc] # waitress has no types
    """Waitress's threads, with a queue that is fair and bounded, and a thread that refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = _Queue()
        self._refusing = ThreadedTaskDispatcher()

    def start(self, count: int) -> None:
        """Start the threads."""
        self.set_thread_count(count)
        self._refusing.set_thread_count(1)

    def add_task(self, task: Channel) -> None:
        """Let a thread answer the request of a connection, at once if that is a refusal."""
        request = task.requests[0]
        if len(self.queue) >= _MAX_QUEUE and not request.error:
            request.error = ServiceUnavailable(
                "the manager has too many requests to answer; try again in a moment"
            )
        if request.error:
            self._refusing.add_task(task)
        else:
            super().add_task(task)

    def stop(self, *, timeout: float) -> None:
        """End the threads, or leave those that go on for longer."""
        for threads in (self, self._refusing):
            threads.shutdown(timeout=timeout)


class _ErrorTask(ErrorTask):  # type: ignore[misc] # waitress has no types
    """Answers invalid HTTP, and requests that are too large, too slow, or too many.

    A script is told as by the application, in JSON; else it is a line of text.
    """

    def execute(self) -> None:
        error = self.request.error
        message = f"{error.reason}: {error.body}"
        if isinstance(error, RequestEntityTooLarge):
            message = f"a request may have {self.channel.server.limits.body:,} bytes"
        is_for_script = getattr(self.request, "path", "").startswith("/api/")
        kind = "application/json" if is_for_script else "text/plain; charset=utf-8"
        body = (json.dumps({"error": message}) if is_for_script else f"{message}\n").encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", kind))
        if isinstance(error, ServiceUnavailable):
            self.response_headers.append(("Retry-After", "1"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(Channel):
    error_task_class: Any = _ErrorTask
