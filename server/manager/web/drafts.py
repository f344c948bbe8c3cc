"""The JSON of the editor page: what its script asks about rules that are being edited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, jsonify, url_for

from ggp.authoring.new import new_rules
from ggp.server.manager.drafts import MAX_DRAFT
from ggp.server.manager.games import MAX_DRAWING
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.questions import Check, Draft, Format, WalkLine
from ggp.server.manager.web.finding import missing, refuse
from ggp.server.manager.web.told import joint_moves, texts, told_json

__all__ = ["add_drafts"]

_PAGE = re.compile(r"[0-9a-f]{16,32}")
#: Seconds for each question about a game.
_MAX_EACH = 30.0
#: Conditions that are claimed never to hold, and the characters of one.
_MAX_CONDITIONS, _MAX_CONDITION = 10, 2000


def add_drafts(app: Flask, manager: Manager) -> None:
    """Add the routes of the editor to an application."""
    drafts = manager.drafts

    @app.get("/edit/new.kif")
    def blank() -> Response:
        return Response(new_rules("A new game"), mimetype="text/plain")

    @app.post("/api/drafts/<page>/check")
    def check_draft(page: str) -> Response:
        told = told_json()
        draft = Draft(_rules(told), _drawing(told))
        return jsonify(drafts.ask(_known(page), "text", draft, Check()))

    @app.post("/api/drafts/<page>/format")
    def format_draft(page: str) -> Response:
        return jsonify(drafts.ask(_known(page), "text", Draft(_rules(told_json())), Format()))

    @app.post("/api/drafts/<page>/line")
    def draft_line(page: str) -> Response:
        told = told_json()
        step = told.get("step")
        if type(step) is not int or step < 0:
            refuse("a step is a number")
        question = WalkLine(joint_moves(told), step)
        draft = Draft(_rules(told), _drawing(told))
        return jsonify(drafts.ask(_known(page), "board", draft, question))

    @app.post("/api/drafts/<page>/board/stop")
    def stop_board(page: str) -> Response:
        drafts.stop_board(_known(page))
        return jsonify({})

    @app.post("/api/drafts/<page>/proofs")
    def prove_draft(page: str) -> Response:
        told = told_json()
        seconds, never = told.get("seconds", _MAX_EACH), texts(told, "never") or []
        if not isinstance(seconds, int | float) or not 0 < seconds <= _MAX_EACH:
            refuse(f"a proof takes up to {_MAX_EACH:g} seconds for each question")
        if len(never) > _MAX_CONDITIONS or any(len(text) > _MAX_CONDITION for text in never):
            refuse(f"up to {_MAX_CONDITIONS} conditions of {_MAX_CONDITION:,} characters each")
        proof = drafts.prove(_known(page), _rules(told), seconds=float(seconds), never=never)
        return jsonify(id=proof.id)

    @app.post("/api/drafts/<page>/leave")
    def leave_draft(page: str) -> Response:
        drafts.leave(_known(page))
        return jsonify({})

    @app.post("/api/games")
    def save_game() -> Response:
        told = told_json()
        name, rules, drawing = told.get("name"), _rules(told), _drawing(told)
        if not isinstance(name, str) or not rules.strip():
            refuse("a game has a name and rules")
        if drawing and (mistake := drafts.mistake(rules, drawing)):
            refuse(mistake)
        game = manager.games.add(name, rules, drawing=drawing)
        return jsonify(id=game.id, name=game.name, url=url_for("game_page", game_id=game.id))


def _known(page: str) -> str:
    """Return the id of a page if it is one."""
    return page if _PAGE.fullmatch(page) else missing("page", page)


def _rules(told: Mapping[str, Any]) -> str:
    rules = told.get("rules")
    if not isinstance(rules, str):
        refuse("the rules are a text")
    if len(rules) > MAX_DRAFT:
        refuse(f"the editor takes rules of up to {MAX_DRAFT:,} characters, not {len(rules):,}")
    return _whole(rules, "rules have")


def _drawing(told: Mapping[str, Any]) -> str:
    """Return the drawing beside the rules; empty for none."""
    drawing = told.get("drawing", "")
    if not isinstance(drawing, str):
        refuse("the drawing is a text")
    if len(drawing) > MAX_DRAWING:
        refuse(f"a drawing has up to {MAX_DRAWING:,} characters, not {len(drawing):,}")
    return _whole(drawing, "drawing has") if drawing.strip() else ""


def _whole(text: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        refuse(f"the {what} half of a character in it, which no file can hold")
    return text
