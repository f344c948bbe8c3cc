"""Reviews of matches: worked out in the background, and kept with the record."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, jsonify

from ggp.server.manager.manager import Manager
from ggp.server.manager.web.finding import Finder, refuse

__all__ = ["add_reviews"]

#: Seconds of a review: for each joint move, and in all.
_EACH, _LEAST, _MOST = 3.0, 30.0, 120.0

_log = logging.getLogger(__name__)


def add_reviews(app: Flask, manager: Manager) -> None:
    """Add the routes of reviews to an application."""
    find = Finder(manager)
    running: dict[str, str] = {}  # the analyses by the records that they are about

    @app.get("/api/records/<name>/review")
    def review(name: str) -> Response:
        return jsonify(review=manager.records.review(find.record(name).name))

    @app.post("/api/records/<name>/review")
    def begin_review(name: str) -> Response:
        record = find.record(name)
        match = manager.matches.find(name)
        if record.is_growing or (match is not None and not match.is_decided):
            refuse("the match is being played; it is reviewed when it is over")
        if (found := manager.records.review(record.name)) is not None:
            return jsonify(review=found)
        known = manager.analyses.find(running.get(name, ""))
        if known is None or known.is_over:
            told = manager.read(record)
            source = manager.source(record, told)
            if source is None:
                refuse("the game of this record is not known here")

            def keep(found: Mapping[str, Any]) -> None:
                if found["complete"] and record.tournament is None:
                    try:
                        manager.records.keep_review(record.name, found)
                    except OSError as error:
                        _log.warning("%s: %s", error.filename, error.strerror)

            seconds = min(_MOST, max(_LEAST, _EACH * len(told["moves"])))
            rules = source[1]().text
            task = {"kind": "review", "rules": rules, "moves": told["moves"], "seconds": seconds}
            known = manager.analyses.begin(task, on_done=keep)
            running[name] = known.id
        return jsonify(id=known.id)
