"""The pages and their forms. None waits for a reasoner.

Only the check of a drawing, and a stylesheet that was not asked for before, take a process.
"""

from __future__ import annotations

import re

from flask import Flask, Response, redirect, render_template, request, url_for
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response as AnyResponse

from ggp.search import algorithm_names
from ggp.server.manager.drafts import MAX_DRAFT
from ggp.server.manager.games import MAX_DRAWING, MAX_RULES, MAX_STYLE
from ggp.server.manager.manager import Manager
from ggp.server.manager.playing.level import LEVELS
from ggp.server.manager.processes.guides import GuideError
from ggp.server.manager.records import MAX_RECORD
from ggp.server.manager.web.finding import Finder, refuse
from ggp.server.manager.web.matches import record_answer

__all__ = ["add_pages"]

#: What every rulesheet has.
_ROLE = re.compile(r"\(\s*role\s", re.IGNORECASE)


def add_pages(app: Flask, manager: Manager) -> None:
    """Add the routes of the pages to an application."""
    find = Finder(manager)

    @app.get("/edit")
    def edit() -> str:
        copied = request.args.get("copy")
        game = None if copied is None else find.game(copied)
        return render_template("edit.html", game=game, max_draft=MAX_DRAFT)

    @app.post("/games")
    def bring_game() -> AnyResponse:
        text, style = _text("rules", MAX_RULES), _text("style", MAX_STYLE)
        if not text.strip():
            refuse("there are no rules: choose a file, or paste them")
        if "\0" in text or not _ROLE.search(text):
            refuse("this is no rulesheet: it names no role, as in (role white)")
        file = request.files.get("rules_file")
        stem = (file.filename or "").rpartition("/")[2].removesuffix(".kif") if file else ""
        drawing = _text("drawing", MAX_DRAWING)
        if drawing and (mistake := manager.drafts.mistake(text, drawing)):
            refuse(mistake)
        name = request.form.get("name") or stem or "game"
        game = manager.games.add(name, text, style=style, drawing=drawing)
        return redirect(url_for("game_page", game_id=game.id))

    @app.get("/games/<game_id>")
    def game_page(game_id: str) -> str:
        return render_template(
            "game.html", game=find.game(game_id), players=manager.players, levels=LEVELS
        )

    @app.get("/games/<game_id>/rules")
    def rules(game_id: str) -> Response:
        return Response(find.game(game_id).text, mimetype="text/plain")

    @app.get("/games/<game_id>/rulesheet")
    def rulesheet(game_id: str) -> str:
        return render_template("rules.html", game=find.game(game_id))

    @app.get("/games/<game_id>/drawing.json")
    def drawing(game_id: str) -> Response:
        return Response(find.game(game_id).drawing, mimetype="application/json")

    @app.get("/games/<game_id>/style.css")
    def style(game_id: str) -> Response:
        return Response(manager.style(find.game(game_id)), mimetype="text/css")

    @app.get("/games/<game_id>/explore")
    def explore(game_id: str) -> str:
        return render_template(
            "explore.html", game=find.game(game_id), algorithms=algorithm_names()
        )

    @app.post("/records")
    def bring_record() -> AnyResponse:
        file = request.files.get("record")
        data = file.read(MAX_RECORD + 1) if file else b""
        if not data or len(data) > MAX_RECORD:
            refuse("choose the file of a record, of at most 8 MB")
        record = manager.records.add(data)
        try:
            manager.read(record)
        except GuideError as error:
            manager.records.remove(record)
            refuse(f"this is no record of a match: {error}")
        return redirect(url_for("record_page", name=record.name))

    @app.get("/records/<name>")
    def record_page(name: str) -> str:
        return render_template("watch.html", match=None, game=None, record=find.record(name))

    @app.get("/records/<name>/record.json")
    def record_file(name: str) -> Response:
        return record_answer(find.record(name))


def _text(name: str, limit: int) -> str:
    """Return the text of the chosen file, or else the pasted text."""
    file: FileStorage | None = request.files.get(f"{name}_file")
    data = file.read(limit + 1) if file and file.filename else request.form.get(name, "").encode()
    if len(data) > limit:
        refuse(f"the {name} may have {limit:,} bytes")
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
