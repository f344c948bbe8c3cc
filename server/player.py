"""The player server: Flask around the protocol, waitress around Flask."""

from __future__ import annotations

import logging
import re
import time
from urllib.parse import unquote_plus

from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from ggp.kif import Source
from ggp.server.http import HEADERS, RECEIVED, KifServer
from ggp.server.log import log_fields
from ggp.server.messages import parse_message
from ggp.server.metrics import Metrics
from ggp.server.protocol import WHAT, PlayerProtocol, Reply
from ggp.server.status import status_page

__all__ = ["make_app", "make_server"]

_log = logging.getLogger(__name__)

#: The scheme and host that some clients put before the path.
_ORIGIN = re.compile(r"[a-z]+://[^/?]*", re.I)
#: A query may give the message a name.
_PARAMETER = re.compile(r"[a-z]+=", re.I)


def make_app(protocol: PlayerProtocol) -> Flask:
    """Return the WSGI application that answers every request, whatever its method and path."""
    app = Flask(__name__)
    metrics = Metrics(protocol)

    @app.before_request
    def answer() -> Response:
        if request.method == "OPTIONS":
            return _response("")
        if request.method in ("GET", "HEAD"):
            # No message consists of one of these words, so the pages conflict with none.
            if request.path == "/status":
                return status_page(protocol)
            if request.path == "/metrics":
                return Response(metrics.text(), content_type=CONTENT_TYPE_LATEST)
        started = time.monotonic()
        received = float(request.environ.get(RECEIVED, started))
        message = _message()
        _log.debug("message %.2000a", message)
        reply = protocol.handle(message, received=received, address=_address())
        seconds = time.monotonic() - received
        metrics.observe(reply, seconds)
        _log_reply(reply, seconds)
        return _response(reply.text)

    @app.errorhandler(Exception)
    def fail(error: Exception) -> Response:
        _log.error("an error while answering a request", exc_info=error)
        return _response(WHAT)

    return app


def make_server(protocol: PlayerProtocol, *, host: str, port: int) -> KifServer:
    """Return the server of a player. It listens already; `run` serves the requests.

    Raises:
        OSError: the port is taken, or the host is not this machine.
    """
    parse_message("(PLAY match (move))")  # builds the parser before the first message comes
    return KifServer(
        make_app(protocol),
        host=host,
        port=port,
        max_body=protocol.limits.message,
        every_second=protocol.release_abandoned,
    )


def _response(text: str) -> Response:
    response = Response(text)
    response.headers.update(HEADERS)
    return response


def _message() -> str:
    """Return the message: the body, or the path of a GET; a GET without a path asks INFO."""
    if request.method in ("GET", "HEAD"):
        target = _ORIGIN.sub("", request.environ["REQUEST_URI"], count=1).lstrip("/?")
        return unquote_plus(_PARAMETER.sub("", target, count=1)) or "(INFO)"
    return Source.decode(request.environ["wsgi.input"].read()).text


def _address() -> str:
    """Return the name and path that address the player; they stay the same during a match."""
    path = "" if request.method in ("GET", "HEAD") else request.path
    return f"{request.headers.get('Receiver', '')} {path}"


def _log_reply(reply: Reply, seconds: float) -> None:
    fields = {
        "event": "reply",
        "verb": reply.verb,
        "match": reply.match,
        "turn": reply.turn,
        "seconds": round(seconds, 3),
        "reply": reply.text,
        "trouble": reply.trouble,
        **{name: value for name, value in request.headers if name.lower().startswith("ggp-match-")},
    }
    log_fields(_log, logging.WARNING if reply.trouble else logging.INFO, fields)
