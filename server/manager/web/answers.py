"""The JSON that the scripts of the pages request."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, jsonify

from ggp.search import algorithm_names
from ggp.server.manager.games import ListedGame
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.questions import (
    Check,
    Decisive,
    Draw,
    Layout,
    Learned,
    Profile,
    Scene,
    Successors,
    Summary,
    Values,
    WalkLine,
)
from ggp.server.manager.web.finding import MAX_STATES, Finder, missing, refuse, state_at
from ggp.server.manager.web.told import joint_moves, number, texts, told_json

__all__ = ["add_answers"]

_KINDS = ("perft", "lvt", "solve", "learn")
#: Seconds that an analysis may take.
_MAX_SECONDS = 60.0


def add_answers(app: Flask, manager: Manager) -> None:
    """Add the routes for games, analyses and records to an application."""
    find = Finder(manager)

    @app.get("/api/games/<game_id>/check")
    def check(game_id: str) -> Response:
        return jsonify(manager.ask(find.game(game_id), Check()))

    @app.get("/api/games/<game_id>/layout")
    def layout(game_id: str) -> Response:
        return jsonify(manager.ask(find.game(game_id), Layout()))

    @app.get("/api/games/<game_id>/profile")
    def profile(game_id: str) -> Response:
        game = find.game(game_id)
        found = manager.profiles.of(game) or manager.ask(game, Profile())
        return jsonify({**found, "svg": None})

    @app.get("/api/games/<game_id>/learned")
    def learned(game_id: str) -> Response:
        return jsonify(manager.ask(find.game(game_id), Learned()))

    @app.post("/api/games/<game_id>/draw")
    def draw(game_id: str) -> Response:
        return jsonify(_state_of(find.game(game_id), Draw))

    @app.post("/api/games/<game_id>/scene")
    def scene(game_id: str) -> Response:
        return jsonify(_state_of(find.game(game_id), Scene))

    def _state_of(game: ListedGame, question: type[Draw]) -> dict[str, Any]:
        told = told_json()
        facts, moves = texts(told, "facts"), texts(told, "moves")
        return manager.ask(game, question(facts, moves))

    @app.post("/api/games/<game_id>/successors")
    def successors(game_id: str) -> Response:
        told = told_json()
        question = Successors(texts(told, "facts"), number(told, "after"))
        return jsonify(manager.ask(find.game(game_id), question))

    @app.post("/api/games/<game_id>/line")
    def line(game_id: str) -> Response:
        told = told_json()
        question = WalkLine(joint_moves(told), number(told, "step"))
        return jsonify(manager.ask(find.game(game_id), question))

    @app.post("/api/games/<game_id>/decisive")
    def decisive(game_id: str) -> Response:
        facts = texts(told_json(), "facts") or []
        return jsonify(manager.ask(find.game(game_id), Decisive(facts)))

    @app.post("/api/games/<game_id>/analyses")
    def analyse(game_id: str) -> Response:
        told = told_json()
        kind, algorithm = told.get("kind"), told.get("algorithm", "alphabeta")
        seconds, role = told.get("seconds", 10), told.get("role", 0)
        # the place of a class would let a page import any module
        is_known = kind in _KINDS and algorithm in algorithm_names()
        if not is_known or type(role) is not int or role < 0:
            refuse("an analysis is perft, lvt, solve or learn, by an algorithm, for a role")
        if not isinstance(seconds, int | float) or not 0 < seconds <= _MAX_SECONDS:
            refuse(f"an analysis takes up to {_MAX_SECONDS:g} seconds")
        game = find.game(game_id)
        analysis = manager.analyses.begin(
            {
                "kind": kind,
                "name": game.name,
                "rules": game.text,
                "facts": texts(told, "facts"),
                "seconds": float(seconds),
                "algorithm": algorithm,
                "role": role,
            }
        )
        return jsonify(id=analysis.id)

    @app.post("/api/analyses/<analysis_id>/stop")
    def stop(analysis_id: str) -> Response:
        analysis = manager.analyses.find(analysis_id) or missing("analysis", analysis_id)
        analysis.close()
        return jsonify({})

    # Records

    @app.get("/api/records/<name>")
    def record(name: str) -> Response:
        return jsonify(manager.read(find.record(name)))

    @app.get("/api/records/<name>/layout")
    def record_layout(name: str) -> Response:
        return jsonify(manager.ask_about(find.record(name), Layout()))

    @app.get("/api/records/<name>/scenes/<int:step>")
    def record_scene(name: str, step: int) -> Response:
        found = find.record(name)
        facts = state_at(manager.read(found)["states"], step)
        return jsonify(manager.ask_about(found, Scene(facts)))

    @app.get("/api/records/<name>/drawings/<int:step>")
    def record_drawing(name: str, step: int) -> Response:
        found = find.record(name)
        facts = state_at(manager.read(found)["states"], step)
        return jsonify(manager.ask_about(found, Draw(facts)))

    @app.get("/api/records/<name>/values/<int:step>")
    def record_values(name: str, step: int) -> Response:
        found = find.record(name)
        if found.is_sealed:
            return jsonify(values=None)
        facts = state_at(manager.read(found)["states"], step)
        return jsonify(manager.ask_about(found, Values(facts)))

    @app.get("/api/records/<name>/summary")
    def record_summary(name: str) -> Response:
        found = find.record(name)
        states = manager.read(found)["states"][:MAX_STATES]
        return jsonify(manager.ask_about(found, Summary(states)))
