"""The WSGI application of the manager: its pages, and the JSON that their scripts request."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, abort, jsonify, render_template, request
from jinja2 import Environment
from werkzeug.exceptions import HTTPException

from ggp.errors import TournamentError
from ggp.server.access.origins import Origins
from ggp.server.manager.games import MAX_RULES, MAX_STYLE, GamesFull
from ggp.server.manager.manager import Manager
from ggp.server.manager.matches import MatchesFull, MatchInProgress
from ggp.server.manager.overview import open_matches
from ggp.server.manager.places import Full, Overloaded, visitor
from ggp.server.manager.processes.guides import GuideError
from ggp.server.manager.records import MAX_RECORD, RecordsFull
from ggp.server.manager.web.answers import add_answers
from ggp.server.manager.web.drafts import add_drafts
from ggp.server.manager.web.exports import add_exports
from ggp.server.manager.web.home import add_home
from ggp.server.manager.web.matches import add_matches
from ggp.server.manager.web.pages import add_pages
from ggp.server.manager.web.reviews import add_reviews
from ggp.server.manager.web.stepping import add_stepping
from ggp.server.manager.web.streams import add_streams

__all__ = ["make_app"]

#: The pages load nothing from elsewhere, and contain no inline scripts or styles.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

#: What the system says where files have no room: on the disk, for this user, or for this process.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_log = logging.getLogger(__name__)


def make_app(manager: Manager, *, origins: Origins | None = None) -> Flask:
    """Return the WSGI application.

    Args:
        manager: the games, matches and records.
        origins: the names that the manager answers to, and the sites whose pages may send requests;
            None for the names of this machine alone, and no other site.
    """
    origins = origins or Origins.open(host="127.0.0.1")
    app = Flask("ggp.server.manager")  # the folder with templates/ and static/
    app.config["MAX_CONTENT_LENGTH"] = max(MAX_RULES + MAX_STYLE, MAX_RECORD) + 100_000
    app.config["MAX_FORM_MEMORY_SIZE"] = app.config["MAX_CONTENT_LENGTH"]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}

    @app.before_request
    def refuse_strangers() -> None:
        visitor.set(request.remote_addr or "")
        changes = request.method not in ("GET", "HEAD") or _is_loaded_by_a_page()
        refusal = origins.refusal(request.headers, changes=changes, scheme=request.scheme)
        if refusal:
            abort(HTTPStatus.FORBIDDEN, refusal)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response

    @app.teardown_request
    def close_files(_: BaseException | None) -> None:
        request.close()

    @app.errorhandler(GuideError)
    @app.errorhandler(GamesFull)
    @app.errorhandler(RecordsFull)
    @app.errorhandler(MatchInProgress)
    @app.errorhandler(TournamentError)
    def explain(error: Exception) -> tuple[Response, int]:
        return _error(str(error), HTTPStatus.CONFLICT)

    @app.errorhandler(Overloaded)
    def put_off(error: Overloaded) -> tuple[Response, int]:
        playing = open_matches(manager) if isinstance(error, MatchesFull) else []
        response, status = _error(str(error), HTTPStatus.SERVICE_UNAVAILABLE, matches=playing)
        if not isinstance(error, Full):
            response.headers["Retry-After"] = "1"  # the scripts of the pages ask again
        return response, status

    @app.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> tuple[Response, int]:
        message = error.description or error.name
        if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            message = f"a request like this may have {request.max_content_length:,} bytes"
        return _error(message, error.code or 500)

    @app.errorhandler(OSError)
    def explain_storage(error: OSError) -> tuple[Response, int]:
        if error.errno not in _FULL:
            return fail(error)
        _log.error("%s: %s", error.filename, error.strerror)
        message = f"the manager could not store this, and nothing of it is there: {error.strerror}"
        return _error(message, HTTPStatus.INSUFFICIENT_STORAGE)

    @app.errorhandler(Exception)
    def fail(error: Exception) -> tuple[Response, int]:
        _log.error("an error while answering a request", exc_info=error)
        return _error("an internal error; the log has the details", 500)

    add_home(app, manager)
    add_pages(app, manager)
    add_stepping(app, manager)
    add_matches(app, manager)
    add_answers(app, manager)
    add_drafts(app, manager)
    add_exports(app, manager)
    add_reviews(app, manager)
    add_streams(app, manager)
    if manager.tournaments:
        # Ratings need a library that the manager does not need otherwise.
        from ggp.server.manager.web.tournaments import add_tournaments

        add_tournaments(app, manager)
    _compile_templates(app.jinja_env)
    return app


def _compile_templates(environment: Environment) -> None:
    """Compile all templates: Python 3.11 raises `SystemError` where two threads compile at once."""
    for name in environment.list_templates(extensions=("html", "css")):
        environment.get_template(name)


def _is_loaded_by_a_page() -> bool:
    """Return whether the browser says that a page asks for this, and does not just link to it.

    A page of another site must not do that: an answer takes work, and a stream wakes a match.
    Browsers say it of most requests to this machine, and of all to servers with HTTPS.
    """
    headers = request.headers
    is_shown = headers.get("Sec-Fetch-Dest", "document") == "document"
    return "Origin" in headers or ("Sec-Fetch-Site" in headers and not is_shown)


def _error(
    message: str, status: int, *, matches: Sequence[Mapping[str, Any]] = ()
) -> tuple[Response, int]:
    """Return an error, as JSON for a script and as a page for a person, with links to matches."""
    if request.path.startswith("/api/") or request.is_json:
        return jsonify(error=message), status
    return Response(render_template("error.html", message=message, matches=matches)), status
