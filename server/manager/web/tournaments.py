"""The pages of tournaments: live standings, and every match with its replay."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, jsonify, render_template, request, url_for
from jinja2 import ChoiceLoader, PrefixLoader

from ggp.server.manager.manager import Manager
from ggp.server.manager.tournaments import Tournament
from ggp.server.manager.web.finding import Finder, refuse
from ggp.tournament import TEMPLATES, Plan, Result, Running, Standings, template_values

__all__ = ["add_tournaments"]


def add_tournaments(app: Flask, manager: Manager) -> None:
    """Add the routes of tournaments to an application."""
    find = Finder(manager)
    loaders = [app.jinja_loader] if app.jinja_loader else []
    app.jinja_env.loader = ChoiceLoader([*loaders, PrefixLoader({"tournament": TEMPLATES})])

    def standings_of(tournament: Tournament) -> tuple[Standings, tuple[Result, ...]]:
        with manager.places.take(f"tournament {tournament.id}"):  # computing ratings takes long
            return tournament.standings()

    @app.get("/tournament.css")
    def tournament_style() -> Response:
        return Response(render_template("tournament/standings.css"), mimetype="text/css")

    @app.get("/tournaments/<tournament_id>")
    def tournament_page(tournament_id: str) -> str:
        tournament = find.tournament(tournament_id)
        shown, _ = standings_of(tournament)
        names = shown.plan.player_names
        pair = [names[player] for player in _pair(names)]
        return render_template(
            "tournament.html", tournament=tournament, pair=pair, **_values(tournament_id, shown)
        )

    @app.get("/tournaments/<tournament_id>/standings")
    def tournament_standings(tournament_id: str) -> str:
        shown, _ = standings_of(find.tournament(tournament_id))
        return render_template("tournament_standings.html", **_values(tournament_id, shown))

    @app.get("/api/tournaments/<tournament_id>")
    def tournament_progress(tournament_id: str) -> Response:
        plan, played, running = find.tournament(tournament_id).progress()
        return jsonify(played=played, running=[_running(plan, match) for match in running])

    @app.get("/api/tournaments/<tournament_id>/matches")
    def tournament_matches(tournament_id: str) -> Response:
        shown, results = standings_of(find.tournament(tournament_id))
        pair = set(_pair(shown.plan.player_names))
        found = [each for each in results if pair <= set(each.fixture.players)]
        return jsonify(matches=[_match(shown.plan, result) for result in found])


def _values(tournament_id: str, shown: Standings) -> dict[str, Any]:
    names, players = shown.plan.player_names, shown.players

    def pair_url(row: int, column: int) -> str:
        pair = [names.index(players[place].player) for place in (row, column)]
        return url_for(
            "tournament_page", tournament_id=tournament_id, player=pair, _anchor="matches"
        )

    def match_url(match_id: str) -> str:
        return url_for("record_page", name=match_id)

    return template_values(shown, match_url=match_url, pair_url=pair_url)


def _pair(names: tuple[str, ...]) -> list[int]:
    """Return the players, by their places in the plan, whose common matches are wanted."""
    wanted = request.args.getlist("player")
    places = set(map(str, range(len(names))))
    if not places.issuperset(wanted):
        refuse("player: the number of a player")
    return list(map(int, wanted))


def _fixture(plan: Plan, match: Running | Result) -> dict[str, Any]:
    fixture = match.fixture
    return {
        "number": fixture.number + 1,
        "round": fixture.round + 1,
        "game": plan.games[fixture.game].name,
        "players": [plan.player_names[player] for player in fixture.players],
        "steps": match.moves,
        "url": url_for("record_page", name=match.match_id),
    }


def _running(plan: Plan, match: Running) -> dict[str, Any]:
    told = _fixture(plan, match)
    return {**told, "url": f"{told['url']}#step={match.moves}"}


def _match(plan: Plan, result: Result) -> dict[str, Any]:
    errors = [f"{count} {kind}" for seat in result.errors for kind, count in seat.items() if count]
    return {
        **_fixture(plan, result),
        "goals": result.goals,
        "remark": ", ".join(filter(None, (result.remark, *errors))),
    }
