"""The web server of the manager: waitress around the application."""

from __future__ import annotations

import logging
import socket
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from ggp.closing import Closing
from ggp.server.manager.web.streams import MAX_STREAMS

__all__ = ["Site"]

#: Threads for requests, in addition to those of the streams.
_THREADS = 24
_MAX_CONNECTIONS = 900
#: Seconds after which a connection without requests is closed.
_IDLE = 20
_MAX_BODY = 16_000_000


class Site(Closing):
    """Serves an application to browsers. It listens at once; `run` serves."""

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
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        self._is_stopped = False
        self._map: dict[int, Any] = {}
        self._server = create_server(
            app,
            map=self._map,
            sockets=[listener],
            threads=MAX_STREAMS + _THREADS,
            connection_limit=_MAX_CONNECTIONS,
            channel_timeout=_IDLE,
            cleanup_interval=_IDLE // 2,
            max_request_body_size=_MAX_BODY,
            ident=None,
            log_socket_errors=False,
        )
        self.port: int = listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}"

    def run(self) -> None:
        """Serve until `stop` is called."""
        while not self._is_stopped:
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """Make `run` return. Any thread or signal handler may call this."""
        self._is_stopped = True
        self._server.pull_trigger()

    def close(self) -> None:
        """Close all connections."""
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)
