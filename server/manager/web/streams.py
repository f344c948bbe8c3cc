"""Server-sent events: the events of a match, and the findings of an analyst.

A stream occupies a thread as long as it lasts. If all are taken, a stream tells the news and ends,
and the browser comes back for more: any number of pages can watch, some of them a moment late.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http import HTTPStatus
from typing import Any, TypeAlias

from flask import Flask, Response, abort, request

from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Closing
from ggp.server.manager.matches import MatchesFull
from ggp.server.manager.places import Overloaded, Places

__all__ = ["MAX_STREAMS", "add_streams"]

#: Browsers that are told at once; each occupies a thread.
MAX_STREAMS = 48
#: How many of them are at one address.
_MAX_OF_VISITOR = 36
#: Seconds of silence after which a stream sends a comment, which shows whether the browser is
#: still there.
_PULSE = 10.0
#: Milliseconds after which a browser comes back: from a stream that broke, and one that ended
#: because all others were taken.
_RETRY, _RETURN = 1000, 2000
#: Python refuses to read numbers of thousands of digits.
_NUMBER = re.compile(r"[0-9]{1,18}")

#: Takes the number of known events and a timeout in seconds; returns the new events, the number of
#: all events so far, and whether there will be no more.
News: TypeAlias = Callable[[int, float], tuple[list[dict[str, Any]], int, bool]]


def add_streams(app: Flask, manager: Manager) -> None:
    """Add the routes of the streams to an application."""
    places = Places(total=MAX_STREAMS, of_visitor=_MAX_OF_VISITOR, of_subject=MAX_STREAMS)
    #: Tells the events of this process from those of an earlier one, which are numbered alike.
    epoch = secrets.token_hex(4)

    @app.get("/api/matches/<match_id>/events")
    def match_events(match_id: str) -> Response:
        match = manager.matches.find(match_id)
        if match is None:
            abort(HTTPStatus.NOT_FOUND, "there is no such match")
        view = request.args.get("as", "")

        def news(after: int, timeout: float) -> tuple[list[dict[str, Any]], int, bool]:
            with suppress(MatchesFull, OSError):  # it stays paused, and the next pulse tries again
                manager.matches.wake(match)
            return match.events(after, timeout=timeout, view=view)

        return stream(news, is_timed=True)

    @app.get("/api/analyses/<analysis_id>/events")
    def analysis_events(analysis_id: str) -> Response:
        analysis = manager.analyses.find(analysis_id)
        if analysis is None:
            abort(HTTPStatus.NOT_FOUND, "there is no such analysis")
        return stream(lambda after, timeout: analysis.news(after, timeout=timeout))

    def stream(news: News, *, is_timed: bool = False) -> Response:
        known = _known(epoch)
        with ExitStack() as stack, suppress(Overloaded):
            stack.enter_context(places.take("streams"))
            told = _told(news, known, epoch, is_lasting=True, is_timed=is_timed)
            response = Response(told, mimetype="text/event-stream")
            response.call_on_close(stack.pop_all().close)
            return not_stored(response)
        # All at once, so that no thread waits for a browser that does not read.
        told = _told(news, known, epoch, is_lasting=False, is_timed=is_timed)
        return not_stored(Response("".join(told), mimetype="text/event-stream"))

    def not_stored(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-store"
        return response


def _known(epoch: str) -> int:
    """Return the number of events that a browser knows when it connects again."""
    last = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    told_by, _, number = last.partition("-")
    return int(number) if told_by == epoch and _NUMBER.fullmatch(number) else 0


def _told(news: News, known: int, epoch: str, *, is_lasting: bool, is_timed: bool) -> Iterator[str]:
    yield f"retry: {_RETRY if is_lasting else _RETURN}\n\n"
    if is_timed:  # the times of the events are those of this machine
        yield f"data: {json.dumps({'event': 'clock', 'now': time.time()})}\n\n"
    while True:
        try:
            events, known, is_over = news(known, _PULSE if is_lasting else 0.0)
        except Closing:
            return  # without an end: the browser comes back to the next manager
        for event in events[:-1]:
            yield f"data: {json.dumps(event)}\n\n"
        if events:
            yield f"id: {epoch}-{known}\ndata: {json.dumps(events[-1])}\n\n"
        elif not is_over:
            yield ": still here\n\n"
        if is_over:
            yield f"id: {epoch}-{known}\nevent: end\ndata: {{}}\n\n"
            return
        if not is_lasting:
            yield f"id: {epoch}-{known}\nevent: again\ndata: {{}}\n\n"
            return
