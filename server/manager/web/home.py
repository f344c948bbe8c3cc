"""The home page: games, matches in play, results; and the removal of what users added."""

from __future__ import annotations

from flask import Flask, Response, jsonify, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from ggp.server.manager.manager import Manager
from ggp.server.manager.overview import open_matches, results
from ggp.server.manager.web.finding import Finder, missing, refuse

__all__ = ["add_home"]


def add_home(app: Flask, manager: Manager) -> None:
    """Add the home page, and what its script requests, to an application."""
    find = Finder(manager)

    @app.get("/")
    def home() -> str:
        return render_template(
            "home.html", games=list(manager.games), tournaments=manager.tournaments
        )

    @app.get("/api/games")
    def list_games() -> Response:
        found, left = manager.profiles.of_all(manager.games)
        told = {name: {**profile, "svg": None} for name, profile in found.items()}
        return jsonify(games=told, left=left)

    @app.get("/games/<game_id>/picture.svg")
    def picture(game_id: str) -> Response:
        profile = manager.profiles.of(find.game(game_id))
        if profile is None or not profile["svg"]:
            missing("picture", game_id)
        response = Response(profile["svg"], mimetype="image/svg+xml")
        response.headers["Cache-Control"] = "max-age=60"
        return response

    @app.get("/api/matches")
    def list_matches() -> Response:
        return jsonify(matches=open_matches(manager))

    @app.get("/api/results")
    def list_results() -> Response:
        with manager.places.take("results"):
            return jsonify(results=list(results(manager)))

    @app.post("/games/<game_id>/remove")
    def remove_game(game_id: str) -> AnyResponse:
        game = find.game(game_id)
        if not game.is_brought:
            refuse(f"{game.name} comes with the program and cannot be removed")
        manager.matches.forget(lambda match: match.game.id == game.id)
        manager.games.remove(game)
        manager.guides.drop(game.id)
        return redirect(url_for("home"))

    @app.post("/matches/<match_id>/remove")
    def remove_match(match_id: str) -> AnyResponse:
        match = find.match(match_id)
        manager.matches.forget(lambda each: each.id == match.id)
        return redirect(url_for("home"))

    @app.post("/records/<name>/remove")
    def remove_record(name: str) -> AnyResponse:
        # Not that of a tournament, which the manager only shows.
        record = manager.records.find(name) or missing("record", name)
        manager.matches.forget(lambda match: match.id == record.name)
        manager.records.remove(record)
        return redirect(url_for("home"))
