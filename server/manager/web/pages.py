"""The pages and their forms. A page never waits for a reasoner."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response as AnyResponse

from ggp.search import ALGORITHMS
from ggp.server.manager.drafts import MAX_DRAFT
from ggp.server.manager.games import MAX_RULES, MAX_STYLE
from ggp.server.manager.manager import Manager
from ggp.server.manager.matches import Seat
from ggp.server.manager.records import MAX_RECORD, Record
from ggp.server.manager.web.finding import Finder, refuse

__all__ = ["add_pages"]

_MAX_SEATS = 64
_MAX_SPEC = 300
#: The range of a clock in seconds.
_MIN_CLOCK, _MAX_CLOCK = 0.1, 24 * 3600.0


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
        file = request.files.get("rules_file")
        stem = (file.filename or "").rpartition("/")[2].removesuffix(".kif") if file else ""
        game = manager.games.add(request.form.get("name") or stem or "game", text, style)
        return redirect(url_for("game_page", game_id=game.id))

    @app.get("/games/<game_id>")
    def game_page(game_id: str) -> str:
        return render_template("game.html", game=find.game(game_id), players=manager.players)

    @app.get("/games/<game_id>/rules")
    def rules(game_id: str) -> Response:
        return Response(find.game(game_id).text, mimetype="text/plain")

    @app.get("/games/<game_id>/style.css")
    def style(game_id: str) -> Response:
        return Response(find.game(game_id).style, mimetype="text/css")

    @app.get("/games/<game_id>/explore")
    def explore(game_id: str) -> str:
        return render_template("explore.html", game=find.game(game_id), algorithms=list(ALGORITHMS))

    @app.post("/games/<game_id>/matches")
    def begin_match(game_id: str) -> AnyResponse:
        game = find.game(game_id)
        installed = {player.name for player in manager.players}
        match = manager.matches.begin(
            game,
            list(_seats(installed)),
            start_clock=_seconds("start_clock"),
            play_clock=_seconds("play_clock"),
            humans_take_time="humans_take_time" in request.form,
        )
        return redirect(url_for("match_page", match_id=match.id))

    @app.get("/matches/<match_id>")
    def match_page(match_id: str) -> AnyResponse | str:
        match = manager.matches.find(match_id)
        if match is None and manager.records.find(match_id):
            return redirect(url_for("record_page", name=match_id))
        match = find.match(match_id)
        return render_template("watch.html", match=match, game=match.game, record=None)

    @app.get("/matches/<match_id>/record.json")
    def match_record(match_id: str) -> Response:
        return _file(Record(match_id, find.match(match_id).record))

    @app.post("/records")
    def bring_record() -> AnyResponse:
        file = request.files.get("record")
        data = file.read(MAX_RECORD + 1) if file else b""
        if not data or len(data) > MAX_RECORD:
            refuse("choose the file of a record, of at most 8 MB")
        return redirect(url_for("record_page", name=manager.records.add(data).name))

    @app.get("/records/<name>")
    def record_page(name: str) -> str:
        return render_template("watch.html", match=None, game=None, record=find.record(name))

    @app.get("/records/<name>/record.json")
    def record_file(name: str) -> Response:
        return _file(find.record(name))


def _seats(installed: Iterable[str]) -> Iterable[Seat]:
    """Read the players of the roles from the fields kind-0, spec-0, kind-1 and so on."""
    for number in range(_MAX_SEATS):
        kind = request.form.get(f"kind-{number}")
        if kind is None:
            return
        spec = request.form.get(f"spec-{number}", "").strip()[:_MAX_SPEC]
        if kind == "human":
            yield Seat("human", " ".join(spec.split()) or "human")
        elif kind == "url":
            yield Seat("url", spec)
        elif kind in installed:
            yield Seat("player", f"{kind}:{spec}" if spec else kind)
        else:
            refuse(f"no player {kind!r}")


def _seconds(name: str) -> float:
    try:
        seconds = float(request.form[name])
    except (KeyError, ValueError):
        refuse(f"{name.replace('_', ' ')}: a number of seconds")
    if not _MIN_CLOCK <= seconds <= _MAX_CLOCK:
        refuse(f"{name.replace('_', ' ')}: from {_MIN_CLOCK:g} to {_MAX_CLOCK:g} seconds")
    return seconds


def _text(name: str, limit: int) -> str:
    """Return the text of the chosen file, or else the pasted text."""
    file: FileStorage | None = request.files.get(f"{name}_file")
    data = file.read(limit + 1) if file and file.filename else request.form.get(name, "").encode()
    if len(data) > limit:
        refuse(f"the {name} may have {limit:,} bytes")
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _file(record: Record) -> Response:
    try:
        data = record.data()
    except OSError:
        abort(HTTPStatus.NOT_FOUND, "there is no record yet: the match has not begun")
    response = Response(data, mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{record.name}.json"'
    return response
