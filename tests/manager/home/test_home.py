"""The home page: games, matches in play, results, and the removal of what users added."""

from __future__ import annotations

from io import BytesIO

import pytest
from flask.testing import FlaskClient

from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.home.record_files import record_of

FIELDS = {"kind-0": "human", "spec-0": "Ada", "kind-1": "legal", "humans_take_time": "on"}
CLOCKS = {"start_clock": "20", "play_clock": "20"}


@pytest.fixture
def own(manager: Manager) -> FlaskClient:
    """A client of a manager of its own."""
    return make_app(manager).test_client()


def bring_record(client: FlaskClient, file: BytesIO) -> str:
    """Upload a record; return the address of its page."""
    return str(client.post("/records", data={"record": (file, "r.json")}).location)


def bring_game(client: FlaskClient, rules: str) -> str:
    """Upload a game; return the address of its page."""
    return str(client.post("/games", data={"name": "mine", "rules": rules}).location)


def begin(client: FlaskClient, manager: Manager, address: str) -> Match:
    client.post(f"{address}/matches", data={**FIELDS, **CLOCKS})
    return next(iter(manager.matches))


def until(match: Match, name: str) -> None:
    """Wait for an event of a match."""
    known, told = 0, list[str]()
    while name not in told:
        news, known, _ = match.events(known, timeout=60)
        assert news
        told += [event["event"] for event in news]


def test_games_say_what_they_are(own: FlaskClient) -> None:
    bring_game(own, "; Pebbles\n;\n; One <b>heap</b>. More.\n" + sheets.ROW)
    page = own.get("/").text
    assert "A pile has six toothpicks.<" in page
    assert ">Pebbles<" in page
    assert ">One &lt;b&gt;heap&lt;/b&gt;.<" in page


@pytest.mark.long
def test_results_tell_who_played_what_and_how_it_ended(own: FlaskClient, manager: Manager) -> None:
    assert own.get("/api/results").get_json() == {"results": []}
    bring_record(own, record_of())
    bring_record(own, record_of(isCompleted=False, gameMetaURL="http://g/base/nim/v2/"))
    manager.records.add(b"{")  # which no form takes
    told = own.get("/api/results").get_json()["results"]
    unread, done, stopped = sorted(told, key=lambda result: result.get("game", ""))
    assert unread.keys() == {"name", "error"}
    assert unread["error"].startswith("this is not JSON")
    assert (done["game"], done["goals"], done["steps"]) == ("marks", [100], 1)
    assert (done["players"], done["time"]) == (["Ada"], 1_700_000_000_000)
    assert (stopped["game"], stopped["goals"]) == ("nim", [])


@pytest.mark.long
def test_a_record_is_removed(own: FlaskClient) -> None:
    kept, address = bring_record(own, record_of(matchId="m2")), bring_record(own, record_of())
    assert own.get(f"{address}/remove").status_code == 405
    reply = own.post(f"{address}/remove", headers={"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 403
    assert len(own.get("/api/results").get_json()["results"]) == 2
    assert own.post(f"{address}/remove").location == "/"
    assert own.get(address).status_code == own.post(f"{address}/remove").status_code == 404
    (left,) = own.get("/api/results").get_json()["results"]
    assert f"/records/{left['name']}" == kept


def test_an_uploaded_game_is_removed_and_a_bundled_one_is_not(
    own: FlaskClient, manager: Manager
) -> None:
    address = bring_game(own, sheets.ROW)
    assert f'data-remove="{address}/remove"' in own.get("/").text
    assert own.post(f"{address}/remove", headers={"Origin": "http://evil"}).status_code == 403
    assert own.post(f"{address}/remove").status_code == 302
    assert own.get(address).status_code == 404
    assert "mine" not in own.get("/").text
    refused = own.post("/games/nim/remove")
    assert refused.status_code == 400
    assert "comes with the program" in refused.text
    assert manager.games.find("nim") is not None


@pytest.mark.long
def test_what_is_in_play_is_listed_and_not_removed(own: FlaskClient, manager: Manager) -> None:
    rules = own.get("/games/tictactoe/rules").text
    address = bring_game(own, rules)
    match = begin(own, manager, address)
    until(match, "turn")
    (shown,) = own.get("/api/matches").get_json()["matches"]
    assert (shown["id"], shown["game"], shown["players"]) == (match.id, "mine", ["Ada", "legal"])
    assert (shown["waits_for"], shown["steps"], shown["failed"]) == (["Ada"], 0, None)
    assert own.get("/api/results").get_json()["results"] == []
    for path in (address, f"/records/{match.id}"):
        reply = own.post(f"{path}/remove")
        assert reply.status_code == 409
        assert "being played" in reply.text
    match.abort()
    until(match, "finished")
    match.join()
    assert own.get("/api/matches").get_json()["matches"] == []
    (result,) = own.get("/api/results").get_json()["results"]
    assert (result["name"], result["goals"]) == (match.id, [])
    assert own.post(f"{address}/remove").status_code == 302
    # The match had the rules of that game; its record remains.
    assert own.get(f"/matches/{match.id}").location == f"/records/{match.id}"


def test_a_match_that_could_not_begin_says_why(own: FlaskClient, manager: Manager) -> None:
    own.post("/games/nim/matches", data={"kind-0": "legal", **CLOCKS})
    (match,) = manager.matches
    match.join()
    (shown,) = own.get("/api/matches").get_json()["matches"]
    assert (shown["failed"], shown["players"]) == ("1 players for 2 roles", ["legal"])
