"""Opponents of several levels, and matches that are taken back and begun again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from ggp.gdl import Description
from ggp.match import (
    ForkServer,
    MatchRecord,
    MatchSettings,
    MoveMade,
    Referee,
    make_participant,
    make_player,
)
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.playing.level import LEVELS
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import opened
from tests.manager.drawn import GAMES
from tests.match.participants import Fixed
from tests.processes import happens

CLOCKS = {"start_clock": "20", "play_clock": "30", "humans_take_time": "on"}
LEVEL = "ggp.server.manager.playing.level.LevelPlayer"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Manager]:
    with opened(tmp_path_factory.mktemp("levels"), fork_server) as manager:
        yield manager


@pytest.fixture(scope="module")
def client(own: Manager) -> FlaskClient:
    return make_app(own).test_client()


def begin(client: FlaskClient, own: Manager, *kinds: str, game: str = "nim") -> tuple[Match, str]:
    """Begin a match; return it with the key of the browser that began it."""
    told = {f"kind-{number}": kind for number, kind in enumerate(kinds)}
    reply = client.post(f"/api/games/{game}/matches", data={**told, **CLOCKS})
    address = urlsplit(reply.get_json()["url"])
    match = own.matches.find(address.path.rpartition("/")[2])
    assert match is not None
    return match, address.fragment.removeprefix("key=")


def legal_at(match: Match, role: int, turn: int) -> list[str]:
    assert happens(lambda: match.legal(role, turn) is not None, within=60)
    return match.legal(role, turn) or []


def test_every_level_is_a_player_that_can_be_chosen(own: Manager) -> None:
    names = [choice.name for choice in own.players.choices]
    for level in LEVELS:
        assert level.name in names
        make_player(level.spec)


@pytest.mark.parametrize("options", ["states=0", "depth=banana", "states=many"])
def test_a_form_refuses_options_that_no_player_can_have(client: FlaskClient, options: str) -> None:
    told = {"kind-0": "human", "kind-1": "easy", "spec-1": options, **CLOCKS}
    reply = client.post("/api/games/nim/matches", data=told)
    assert reply.status_code == 400
    assert "error" in reply.get_json()
    assert client.get("/api/matches").get_json() == {"matches": []}


def test_an_option_that_is_out_of_range_begins_no_match(client: FlaskClient) -> None:
    told = {"kind-0": "human", "kind-1": "alphabeta", "spec-1": "depth=-3", **CLOCKS}
    reply = client.post("/api/games/nim/matches", data=told)
    assert (reply.status_code, "at least 1" in reply.get_json()["error"]) == (400, True)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_level_plays_by_states_and_not_by_time(seed: int) -> None:
    """With the same seed it makes the same move, however fast the machine is."""
    moves = []
    for _ in range(2):
        game = Description.load(GAMES / "nim.kif")
        settings = MatchSettings("m", game, 60, 60)
        players = [make_participant(f"{LEVEL}:states=40,seed={seed}"), Fixed("noop")]
        with closing(Referee(settings, players, reasoner="prolog")) as referee:
            event = next(event for event in referee.run() if isinstance(event, MoveMade))
        assert event.errors[0] == ""
        moves.append(event.joint_move[0])
    assert moves[0] == moves[1]


@pytest.mark.long
def test_a_person_takes_a_move_back_against_a_computer(client: FlaskClient, own: Manager) -> None:
    match, key = begin(client, own, "human", "legal")
    match.make_move(0, 0, legal_at(match, 0, 0)[0])
    legal_at(match, 0, 2)
    before = match.states[:1]

    def post(**told: Any) -> Any:
        return client.post(f"/api/matches/{match.id}/take-back", json={"key": key, **told})

    assert post(step=2).status_code == 400  # that was not played
    assert post(step=0, key="other").status_code == 403
    assert post(step=0).status_code == 200
    moves = legal_at(match, 0, 0)
    assert match.states == before
    match.make_move(0, 0, moves[-1])
    legal_at(match, 0, 2)
    record = MatchRecord.read(match.record)
    assert (len(record.moves), str(record.moves[0][0])) == (2, moves[-1])
    assert client.get(f"/api/records/{match.id}").get_json()["mistake"] is None
    match.abort()
    assert happens(lambda: match.is_over, within=60)


@pytest.mark.long
def test_only_one_person_against_computers_takes_back(client: FlaskClient, own: Manager) -> None:
    match, key = begin(client, own, "human", "human")
    match.make_move(0, 0, legal_at(match, 0, 0)[0])
    legal_at(match, 1, 1)
    told = {"key": key, "step": 0}
    assert client.post(f"/api/matches/{match.id}/take-back", json=told).status_code == 403
    match.abort()
    assert happens(lambda: match.is_over, within=60)


@pytest.mark.long
def test_a_match_is_begun_again_with_other_sides(client: FlaskClient, own: Manager) -> None:
    match, key = begin(client, own, "human", "easy")
    match.give_up(0)
    assert happens(lambda: match.is_over, within=60)
    again = f"/api/matches/{match.id}/again"
    assert client.post(again, json={"key": "other"}).status_code == 403
    url = client.post(again, json={"key": key, "swap": True}).get_json()["url"]
    other = own.matches.find(urlsplit(url).path.rpartition("/")[2])
    assert other is not None
    assert [(seat.kind, seat.spec) for seat in other.seats] == [
        ("player", "easy"),
        ("human", "human"),
    ]
    assert not {seat.key for seat in other.seats} & {seat.key for seat in match.seats}
    other.abort()
    assert happens(lambda: other.is_over, within=60)
