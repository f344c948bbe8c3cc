"""The player server: Flask around the protocol, waitress around Flask."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote_plus

from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from ggp.kif import Source
from ggp.server.access.origins import ANY, Origins
from ggp.server.access.peers import HERE, Peers
from ggp.server.http import HEADERS, LEAVING, LOCAL, RECEIVED, KifServer
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
#: The message that changes nothing, so that any browser may send it.
_INFO = re.compile(r"[\s(]*(info|ping)[\s()]*", re.I)

#: Headers of the replies to the pages of sites that the operator has allowed.
_CROSS_ORIGIN = {
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Sender, Receiver, Content-Type, Accept",
    "Access-Control-Max-Age": "86400",
    "Vary": "Origin",
}


def make_app(
    protocol: PlayerProtocol, *, origins: Origins | None = None, peers: Peers | None = None
) -> Flask:
    """Return the WSGI application that answers every request, whatever its method and path.

    Args:
        protocol: answers the messages.
        origins: the names that the server answers to, and the sites whose pages may send messages;
            None for the names of this machine alone, and no site.
        peers: the networks that may send messages, and those that may read the pages; None for any
            that may send, and this machine, which may read.
    """
    app = Flask(__name__)
    metrics = Metrics(protocol)
    origins, peers = origins or Origins.open(host="127.0.0.1"), peers or Peers()
    # No message consists of one of these words, so the pages conflict with none.
    pages: dict[str, Callable[[], Response]] = {
        "/status": lambda: status_page(protocol),
        "/metrics": lambda: Response(metrics.text(), content_type=CONTENT_TYPE_LATEST),
    }

    @app.before_request
    def answer() -> Response:
        is_get = request.method in ("GET", "HEAD")
        page = pages.get(request.path) if is_get else None
        if page is not None:
            refusal = origins.refusal(request.headers, changes=False) or _unread(peers)
            return refuse(refusal) if refusal else page()
        started = time.monotonic()
        received = float(request.environ.get(RECEIVED, started))
        message = _message()
        is_info = is_get and _INFO.fullmatch(message) is not None
        refusal = origins.refusal(request.headers, changes=not is_info)
        peer = peers.peer(request.remote_addr or "", local=request.environ.get(LOCAL, ""))
        if refusal or peer is None:
            return refuse(refusal or f"{request.remote_addr} may send no messages")
        if request.method == "OPTIONS":
            return _response("")
        _log.debug("message %.2000a", message)
        reply = protocol.handle(
            message,
            received=received,
            address=_address(),
            peer=peer,
            on_leaving=request.environ.get(LEAVING, lambda _leave: None),
        )
        seconds = time.monotonic() - received
        metrics.observe(reply, seconds)
        _log_reply(reply, seconds, peer)
        return _response(reply.text)

    def refuse(reason: str) -> Response:
        metrics.refuse()
        log_fields(
            _log,
            logging.WARNING,
            {"event": "refused", "address": request.remote_addr, "reason": reason},
        )
        return _response(WHAT, HTTPStatus.FORBIDDEN)

    @app.after_request
    def allow(response: Response) -> Response:
        origin = request.headers.get("Origin", "")
        if origin and origins.allows(origin) and response.status_code == HTTPStatus.OK:
            response.headers.update(_CROSS_ORIGIN)
            response.headers["Access-Control-Allow-Origin"] = ANY if origins.allows(ANY) else origin
        return response

    @app.errorhandler(Exception)
    def fail(error: Exception) -> Response:
        _log.error("an error while answering a request", exc_info=error)
        return _response(WHAT)

    return app


def make_server(
    protocol: PlayerProtocol,
    *,
    host: str,
    port: int,
    origins: Origins | None = None,
    peers: Peers | None = None,
) -> KifServer:
    """Return the server of a player. It listens already; `run` serves the requests.

    Args:
        protocol: answers the messages.
        host: the name or address to listen on.
        port: the port; 0 for any free one.
        origins: as for `make_app`; None for the names of this machine and `host`.
        peers: as for `make_app`.

    Raises:
        OSError: the port is taken, or the host is not this machine.
    """
    parse_message("(PLAY match (move))")  # builds the parser before the first message comes
    return KifServer(
        make_app(protocol, origins=origins or Origins.open(host=host), peers=peers),
        host=host,
        port=port,
        max_body=protocol.limits.message,
        # A START and a PLAY of each match.
        max_waiting=2 * protocol.limits.matches,
        every_second=protocol.release_abandoned,
    )


def _unread(peers: Peers) -> str:
    """Return why a page is not shown, for people; "" if it is."""
    local = request.environ.get(LOCAL, "")
    if peers.may_read(request.remote_addr or "", local=local):
        return ""
    return f"{request.path} is for this machine (--allow-status)"


def _response(text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    response = Response(text, status=status)
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


def _log_reply(reply: Reply, seconds: float, peer: str) -> None:
    fields = {
        "event": "reply",
        "verb": reply.verb,
        "match": reply.match,
        "turn": reply.turn,
        "seconds": round(seconds, 3),
        "reply": reply.text,
        "trouble": reply.trouble,
        "peer": None if peer == HERE else peer,
        **{name: value for name, value in request.headers if name.lower().startswith("ggp-match-")},
    }
    log_fields(_log, logging.WARNING if reply.trouble else logging.INFO, fields)
