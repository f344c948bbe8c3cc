"""Matches: how they begin, their pages, and the JSON that the scripts of these pages request."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ggp.errors import PlayerError
from ggp.printable import printable
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.players import Players
from ggp.server.manager.processes.questions import Draw, Scene, Seen, Summary, Values
from ggp.server.manager.records import Record
from ggp.server.manager.setup import Seat
from ggp.server.manager.viewers import Seated, view_of
from ggp.server.manager.web.exports import download
from ggp.server.manager.web.finding import MAX_STATES, Finder, missing, refuse, sealed, state_at
from ggp.server.manager.web.told import joint_moves, number, parsed, told_json

__all__ = ["add_matches", "record_answer"]

_MAX_SEATS = 64
_MAX_SPEC = 300
#: The range of a clock in seconds.
_MIN_CLOCK, _MAX_CLOCK = 0.1, 24 * 3600.0
_NO_SEAT = (
    "this seat is not yours: open the link of the seat, or ask the person who began the match"
)


def add_matches(app: Flask, manager: Manager) -> None:
    """Add the routes of matches to an application."""
    find = Finder(manager)

    @app.post("/games/<game_id>/matches")
    def begin_match(game_id: str) -> AnyResponse:
        return redirect(begun(game_id))

    @app.post("/api/games/<game_id>/matches")
    def begin_match_of_script(game_id: str) -> Response:
        return jsonify(url=begun(game_id))

    def begun(game_id: str) -> str:
        """Begin the match that a form describes, and return the address of its page."""
        game = find.game(game_id)
        match = manager.matches.begin(
            game,
            list(_seats(manager.players)),
            start_clock=_seconds("start_clock"),
            play_clock=_seconds("play_clock"),
            humans_take_time="humans_take_time" in request.form,
            start=start(),
        )
        # The fragment of an address is not sent to servers, and the page takes the key out of it.
        return url_for("match_page", match_id=match.id, _anchor=f"key={match.setup.host}")

    def start() -> dict[str, Any] | None:
        """Read where the match begins; None for the initial state."""
        text = request.form.get("start", "").strip()
        if not text:
            return None
        told = parsed(text, "a record with a step, or a line of moves,")
        if "moves" in told:
            return {"moves": joint_moves(told)}
        name = told.get("record")
        record = find.record(name if isinstance(name, str) else "")
        if record.rules is not None:
            refuse("a match of a tournament cannot be played on")
        return {"record": str(record.path), "step": number(told, "step")}

    @app.get("/matches/<match_id>")
    def match_page(match_id: str) -> AnyResponse | str:
        match = manager.matches.find(match_id)
        if match is None and manager.records.find(match_id):
            return redirect(url_for("record_page", name=match_id))
        match = find.match(match_id)
        return render_template("watch.html", match=match, game=match.game, record=None)

    @app.get("/matches/<match_id>/record.json")
    def match_record(match_id: str) -> Response:
        match = find.match(match_id)
        return record_answer(sealed(Record(match_id, match.record), match))

    @app.get("/api/matches/<match_id>")
    def match_status(match_id: str) -> Response:
        match = find.match(match_id)
        return jsonify(over=match.is_over, running=match.is_running)

    @app.get("/api/matches/<match_id>/drawings/<int:step>")
    def match_drawing(match_id: str, step: int) -> Response:
        return jsonify(state(find.match(match_id), step, Draw))

    @app.get("/api/matches/<match_id>/scenes/<int:step>")
    def match_scene(match_id: str, step: int) -> Response:
        return jsonify(state(find.match(match_id), step, Scene))

    def state(match: Match, step: int, question: type[Draw]) -> dict[str, Any]:
        """Return a state as the viewer may see it: where the rules hide something, by a role.

        Without a role it is the initial state.
        """
        viewer = _viewer(match)
        if viewer is None or not viewer.is_hidden:
            return manager.ask(match.game, question(state_at(match.states, step)))
        if not viewer.roles:  # the rules tell how the game begins
            return manager.ask(match.game, Draw(state_at(match.states, 0)))
        moves, role = match.moves, request.args.get("role", -1, type=int)
        if step > len(moves):
            missing("state", str(step))
        role = role if role in viewer.roles else min(viewer.roles)
        return manager.ask(match.game, Seen(role, moves[:step]))

    @app.get("/api/matches/<match_id>/values/<int:step>")
    def match_values(match_id: str, step: int) -> Response:
        match = find.match(match_id)
        if _viewer(match) is not None:
            return jsonify(values=None)  # a player gets no help
        return jsonify(manager.ask(match.game, Values(state_at(match.states, step))))

    @app.get("/api/matches/<match_id>/summary")
    def match_summary(match_id: str) -> Response:
        match = find.match(match_id)
        viewer = _viewer(match)
        if viewer is not None and viewer.is_hidden:
            return jsonify(goals=[], choices=[])
        return jsonify(manager.ask(match.game, Summary(match.states[:MAX_STATES])))

    _add_seats(app, find)


def _add_seats(app: Flask, find: Finder) -> None:
    """Add the routes for people who play."""

    @app.post("/api/matches/<match_id>/seat")
    def take_seat(match_id: str) -> Response:
        match, key = find.match(match_id), _key()
        match.claim(key)
        roles, is_host = match.roles_of(key), match.is_host(key)
        people = match.people() if is_host else {}
        links = {
            role: url_for("match_page", match_id=match.id, _anchor=f"key={seat.key}")
            for role, seat in people.items()
        }
        # Before the match begins no role is known yet, and a seat gets its own stream, too.
        return jsonify(roles=roles, is_host=is_host, links=links, view=view_of(key))

    @app.post("/api/matches/<match_id>/moves")
    def make_move(match_id: str) -> Response:
        match, told = find.match(match_id), told_json()
        role, turn, move = number(told, "role"), number(told, "turn"), told.get("move")
        if not isinstance(move, str):
            refuse("a move is a text")
        if role not in match.roles_of(_key()):
            abort(HTTPStatus.FORBIDDEN, _NO_SEAT)
        legal = match.legal(role, turn)
        if legal is None:
            refuse("that turn is over")
        if move not in legal:
            refuse(f"{move:.200} is not legal here")
        match.make_move(role, turn, move)
        return jsonify({})

    @app.post("/api/matches/<match_id>/give-up")
    def give_up(match_id: str) -> Response:
        match, role = find.match(match_id), number(told_json(), "role")
        if role not in match.roles_of(_key()):
            abort(HTTPStatus.FORBIDDEN, _NO_SEAT)
        match.give_up(role)
        return jsonify({})

    @app.post("/api/matches/<match_id>/take-back")
    def take_back(match_id: str) -> Response:
        match, step = find.match(match_id), number(told_json(), "step")
        people = match.people()
        if len(people) != 1 or match.roles_of(_key()) != list(people):
            abort(HTTPStatus.FORBIDDEN, "only a person against computers takes moves back")
        if match.is_over or match.is_hidden or step >= len(match.moves):
            refuse("there is no such move to be taken back")
        match.take_back(step)
        return jsonify({})

    @app.post("/api/matches/<match_id>/again")
    def begin_again(match_id: str) -> Response:
        match, told = find.match(match_id), told_json()
        if not match.is_host(_key()):
            abort(HTTPStatus.FORBIDDEN, "only the browser that began this match begins it again")
        seats = [Seat(seat.kind, seat.spec) for seat in match.seats]
        if told.get("swap") is True:
            seats = [*seats[1:], seats[0]]
        setup = match.setup
        other = find.manager.matches.begin(
            match.game,
            seats,
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            humans_take_time=setup.humans_take_time,
            start=setup.start,
        )
        return jsonify(
            url=url_for("match_page", match_id=other.id, _anchor=f"key={other.setup.host}")
        )

    @app.post("/api/matches/<match_id>/abort")
    def abort_match(match_id: str) -> Response:
        match = find.match(match_id)
        if not match.is_host(_key()):
            abort(HTTPStatus.FORBIDDEN, "only the browser that began this match ends it")
        match.abort("its host ended it")
        return jsonify({})


def record_answer(record: Record) -> Response:
    """Return the file of a record, to be downloaded."""
    try:
        data = record.shown()
    except OSError:
        abort(HTTPStatus.NOT_FOUND, "there is no record yet: the match has not begun")
    return download(data, "application/json", f"{record.name}.json")


def _viewer(match: Match) -> Seated | None:
    """Return the seat from which a page asks; None if the page may see all."""
    return None if match.is_decided else match.viewer(request.args.get("as", ""))


def _key() -> str:
    """Return the secret that a request brings; empty for none."""
    key = told_json().get("key", "")
    return key if isinstance(key, str) else ""


def _seats(players: Players) -> Iterator[Seat]:
    """Read the players of the roles from the fields kind-0, spec-0, kind-1 and so on."""
    for place in range(_MAX_SEATS):
        kind = request.form.get(f"kind-{place}")
        if kind is None:
            return
        told = request.form.get(f"spec-{place}", "").strip()[:_MAX_SPEC]
        try:
            yield players.seat(kind, told)
        except PlayerError as error:
            refuse(printable(str(error)))


def _seconds(name: str) -> float:
    try:
        seconds = float(request.form[name])
    except (KeyError, ValueError):
        refuse(f"{name.replace('_', ' ')}: a number of seconds")
    if not _MIN_CLOCK <= seconds <= _MAX_CLOCK:
        refuse(f"{name.replace('_', ' ')}: from {_MIN_CLOCK:g} to {_MAX_CLOCK:g} seconds")
    return seconds
