"""Server-sent events: the events of a match, and the findings of an analyst."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any, TypeAlias

from flask import Flask, Response, abort, request

from ggp.server.manager.manager import Manager

__all__ = ["MAX_STREAMS", "StreamsFull", "add_streams"]

#: Browsers that may watch at the same time; each occupies a thread.
MAX_STREAMS = 48
#: Seconds of silence after which a stream sends a comment, which shows whether the browser is
#: still there.
_PULSE = 10.0

#: Takes the number of known events and a timeout in seconds; returns the new events, the number of
#: all events so far, and whether there will be no more.
News: TypeAlias = Callable[[int, float], tuple[list[dict[str, Any]], int, bool]]


class StreamsFull(Exception):
    """The limit on streams is reached."""


def add_streams(app: Flask, manager: Manager) -> None:
    """Add the routes of the streams to an application."""
    free = BoundedSemaphore(MAX_STREAMS)

    @app.get("/api/matches/<match_id>/events")
    def match_events(match_id: str) -> Response:
        match = manager.matches.find(match_id)
        if match is None:
            abort(HTTPStatus.NOT_FOUND, "there is no such match")
        return stream(lambda after, timeout: match.events(after, timeout=timeout))

    @app.get("/api/analyses/<analysis_id>/events")
    def analysis_events(analysis_id: str) -> Response:
        analysis = manager.analyses.find(analysis_id)
        if analysis is None:
            abort(HTTPStatus.NOT_FOUND, "there is no such analysis")
        return stream(lambda after, timeout: analysis.news(after, timeout=timeout))

    def stream(news: News) -> Response:
        if not free.acquire(blocking=False):
            raise StreamsFull(f"{MAX_STREAMS} pages are watching; close one first")
        response = Response(_told(news, _known()), mimetype="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(free.release)
        return response


def _known() -> int:
    """Return the number of events that a browser knows when it connects again."""
    last = request.headers.get("Last-Event-ID") or request.args.get("after", "0")
    return int(last) if last.isdecimal() else 0


def _told(news: News, known: int) -> Iterator[str]:
    yield "retry: 1000\n\n"
    while True:
        events, known, is_over = news(known, _PULSE)
        for event in events[:-1]:
            yield f"data: {json.dumps(event)}\n\n"
        if events:
            yield f"id: {known}\ndata: {json.dumps(events[-1])}\n\n"
        elif not is_over:
            yield ": still here\n\n"
        if is_over:
            yield f"id: {known}\nevent: end\ndata: {{}}\n\n"
            return
