"""The JSON that the scripts of the pages request."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, abort, jsonify

from ggp.search import ALGORITHMS
from ggp.server.manager.manager import Manager
from ggp.server.manager.web.finding import Finder, missing, refuse
from ggp.server.manager.web.told import texts, told_json

__all__ = ["add_answers"]

_KINDS = ("perft", "lvt", "solve")
#: Seconds that an analysis may take, and states in one request for goals.
_MAX_SECONDS, _MAX_STATES = 60.0, 1000


def add_answers(app: Flask, manager: Manager) -> None:
    """Add the routes for games, matches and records to an application."""
    find = Finder(manager)

    @app.get("/api/games/<game_id>/check")
    def check(game_id: str) -> Response:
        return jsonify(manager.ask(find.game(game_id), do="check"))

    @app.get("/api/games/<game_id>/layout")
    def layout(game_id: str) -> Response:
        return jsonify(manager.ask(find.game(game_id), do="layout"))

    @app.post("/api/games/<game_id>/scene")
    def scene(game_id: str) -> Response:
        told = told_json()
        found = manager.ask(
            find.game(game_id),
            do="scene",
            facts=_facts(told),
            moves=texts(told, "moves"),
            successors=True,
        )
        return jsonify(found)

    @app.post("/api/games/<game_id>/analyses")
    def analyse(game_id: str) -> Response:
        told = told_json()
        kind, algorithm = told.get("kind"), told.get("algorithm", "alphabeta")
        seconds, role = told.get("seconds", 10), told.get("role", 0)
        if kind not in _KINDS or algorithm not in ALGORITHMS or type(role) is not int or role < 0:
            refuse("an analysis is perft, lvt or solve, by an algorithm, for a role")
        if not isinstance(seconds, int | float) or not 0 < seconds <= _MAX_SECONDS:
            refuse(f"an analysis takes up to {_MAX_SECONDS:g} seconds")
        analysis = manager.analyses.begin(
            {
                "kind": kind,
                "rules": find.game(game_id).text,
                "facts": _facts(told),
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

    # Matches

    @app.get("/api/matches/<match_id>/scenes/<int:step>")
    def match_scene(match_id: str, step: int) -> Response:
        match = find.match(match_id)
        return jsonify(manager.ask(match.game, do="scene", facts=_state(match.states, step)))

    @app.get("/api/matches/<match_id>/goals")
    def match_goals(match_id: str) -> Response:
        match = find.match(match_id)
        return jsonify(manager.ask(match.game, do="goals", states=match.states[:_MAX_STATES]))

    @app.post("/api/matches/<match_id>/moves")
    def make_move(match_id: str) -> Response:
        match, told = find.match(match_id), told_json()
        role, turn, move = told.get("role"), told.get("turn"), told.get("move")
        if type(role) is not int or type(turn) is not int or not isinstance(move, str):
            refuse("a move has a role and a turn, which are numbers, and a move, which is text")
        if turn != len(match.states) - 1:
            refuse("that turn is over")
        if move not in manager.legal_moves(match, turn, role):
            refuse(f"{move:.200} is not legal here")
        match.make_move(role, turn, move)
        return jsonify({})

    @app.post("/api/matches/<match_id>/abort")
    def abort_match(match_id: str) -> Response:
        find.match(match_id).abort()
        return jsonify({})

    # Records

    @app.get("/api/records/<name>")
    def record(name: str) -> Response:
        return jsonify(manager.read(find.record(name)))

    @app.get("/api/records/<name>/layout")
    def record_layout(name: str) -> Response:
        return jsonify(manager.ask_about(find.record(name), do="layout"))

    @app.get("/api/records/<name>/scenes/<int:step>")
    def record_scene(name: str, step: int) -> Response:
        found = find.record(name)
        facts = _state(manager.read(found)["states"], step)
        return jsonify(manager.ask_about(found, do="scene", facts=facts))

    @app.get("/api/records/<name>/goals")
    def record_goals(name: str) -> Response:
        found = find.record(name)
        states = manager.read(found)["states"][:_MAX_STATES]
        return jsonify(manager.ask_about(found, do="goals", states=states))


def _facts(told: Mapping[str, Any]) -> list[str] | None:
    return texts(told, "facts")


def _state(states: list[list[str]], step: int) -> list[str]:
    if step >= len(states):
        abort(HTTPStatus.NOT_FOUND, f"there are {len(states)} states")
    return states[step]
