"""States and matches as files: SVG, GIF, and a page that needs no server."""

from __future__ import annotations

from base64 import b64decode

from flask import Flask, Response, jsonify, request

from ggp.server.manager.export.replay import replay_page
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.questions import Drawings, Gif, Summary, Svg
from ggp.server.manager.web.finding import MAX_STATES, Finder, state_at
from ggp.server.manager.web.told import texts, told_json

__all__ = ["add_exports", "download"]

#: The limit on the frames of a GIF.
_MAX_FRAMES = 400


def add_exports(app: Flask, manager: Manager) -> None:
    """Add the routes of the files to an application. A match in progress has a record, too."""
    find = Finder(manager)

    @app.get("/records/<name>/state.svg")
    def state_svg(name: str) -> Response:
        record = find.record(name)
        step = request.args.get("step", 0, type=int)
        facts = state_at(manager.read(record)["states"], max(0, step))
        title = f"{name}, step {step}"
        found = manager.ask_about(record, Svg(facts, title))
        return download(found["svg"].encode(), "image/svg+xml", f"{name}-{step}.svg")

    @app.get("/records/<name>/match.gif")
    def match_gif(name: str) -> Response:
        record = find.record(name)
        states = manager.read(record)["states"][:_MAX_FRAMES]
        titles = [f"{step} / {len(states) - 1}" for step in range(len(states))]
        found = manager.ask_about(record, Gif(states, titles))
        return download(b64decode(found["gif"]), "image/gif", f"{name}.gif")

    @app.get("/records/<name>/replay.html")
    def replay(name: str) -> Response:
        record = find.record(name)
        told = manager.read(record)
        told["states"] = told["states"][:MAX_STATES]
        told["moves"] = told["moves"][: MAX_STATES - 1]
        drawn = manager.ask_about(record, Drawings(told["states"]))
        summary = manager.ask_about(record, Summary(told["states"]))
        game = told["game"] and manager.games.find(told["game"])
        page = replay_page(
            {**drawn, "summary": summary, "record": told},
            title=game.name if game else name,
            style=manager.style(game) if game else "",
        )
        return download(page.encode(), "text/html", f"{name}.html")

    @app.post("/api/games/<game_id>/svg")
    def game_svg(game_id: str) -> Response:
        game, facts = find.game(game_id), texts(told_json(), "facts") or []
        return jsonify(manager.ask(game, Svg(facts, game.name)))


def download(data: bytes, kind: str, name: str) -> Response:
    """Return a file that the browser keeps under a name."""
    response = Response(data, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
