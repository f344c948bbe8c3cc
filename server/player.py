"""The player server on the web: Flask around the protocol, waitress around Flask."""

from __future__ import annotations

import logging
import re
import time
from urllib.parse import unquote_plus

from flask import Flask, Response, request

from ggp.kif import Source
from server.http import HEADERS, RECEIVED, KifServer
from server.messages import parse_message
from server.protocol import WHAT, PlayerProtocol, Reply

__all__ = ["make_app", "make_server"]

_log = logging.getLogger(__name__)

#: What comes before the path of a request that names the server again.
_ORIGIN = re.compile(r"[a-z]+://[^/?]*", re.I)
#: A query may give the message a name.
_PARAMETER = re.compile(r"[a-z]+=", re.I)


def make_app(protocol: PlayerProtocol) -> Flask:
    """Return the WSGI application that answers every request, whatever its method and path."""
    app = Flask(__name__)

    @app.before_request
    def answer() -> Response:
        if request.method == "OPTIONS":
            return _response("")
        started = time.monotonic()
        received = float(request.environ.get(RECEIVED, started))
        message = _message()
        _log.debug("message %.2000a", message)
        reply = protocol.handle(message, received=received, address=_address())
        _log_reply(reply, time.monotonic() - received)
        return _response(reply.text)

    @app.errorhandler(Exception)
    def fail(error: Exception) -> Response:
        _log.error("an error while answering a request", exc_info=error)
        return _response(WHAT)

    return app


def make_server(protocol: PlayerProtocol, *, host: str, port: int) -> KifServer:
    """Return the server of a player, which listens already; `run` serves.

    Raises:
        OSError: nothing can listen there; the port is taken, or the host is not this machine.
    """
    parse_message("(PLAY match (move))")  # builds the parser before anyone waits for it
    return KifServer(
        make_app(protocol), host=host, port=port, every_second=protocol.release_abandoned
    )


def _response(text: str) -> Response:
    response = Response(text)
    response.headers.update(HEADERS)
    return response


def _message() -> str:
    """Return the message: the body, or what follows the slash in a GET; a bare GET asks INFO."""
    if request.method in ("GET", "HEAD"):
        target = _ORIGIN.sub("", request.environ["REQUEST_URI"], count=1).lstrip("/?")
        return unquote_plus(_PARAMETER.sub("", target, count=1)) or "(INFO)"
    return Source.decode(request.environ["wsgi.input"].read()).text


def _address() -> str:
    """Return as whom the manager addresses the player, which is the same all through a match."""
    path = "" if request.method in ("GET", "HEAD") else request.path
    return f"{request.headers.get('Receiver', '')} {path}"


def _log_reply(reply: Reply, seconds: float) -> None:
    fields = {
        "verb": reply.verb,
        "match": "" if reply.match is None else reply.match,
        "turn": "" if reply.turn is None else reply.turn,
        "seconds": f"{seconds:.3f}",
        "reply": reply.text,
        "trouble": reply.trouble,
        **{name: value for name, value in request.headers if name.lower().startswith("ggp-match-")},
    }
    told = (f"{name.lower()}={value!a:.200}" for name, value in fields.items() if value != "")
    _log.log(logging.WARNING if reply.trouble else logging.INFO, " ".join(told))
