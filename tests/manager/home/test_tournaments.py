"""The pages of a tournament, which follow it while it is played."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ggp.match import MatchRecord
from ggp.server.manager.manager import Manager
from ggp.server.manager.web.app import make_app
from ggp.tournament import Store, fixtures
from tests.manager.drawn import GAMES
from tests.match.participants import Fixed
from tests.match.test_referee import play
from tests.tournament.plans import TWO, plan, result, stronger_wins

EVIL = "<script>alert('&\"')</script>"
CUP = plan(["random", "legal", EVIL], TWO)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a tournament of which two matches of six have been played."""
    folder = tmp_path / "The cup"
    add(folder, 2)
    return folder


def add(folder: Path, until: int) -> None:
    """Add results up to a number, each with the record of a match that keeps the rules."""
    with closing(Store.open(folder) if folder.exists() else Store.create(folder, CUP)) as store:
        for fixture in fixtures(CUP, ())[store.played() : until]:
            _, record = play(TWO.rules, Fixed("(pick 3)"), Fixed("(pick 1)"))
            store.add(stronger_wins(fixture), record)


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> Iterator[FlaskClient]:
    manager = Manager.open(
        bundled=[GAMES / "nim.kif"], folder=tmp_path / "kept", tournaments=[folder, folder]
    )
    try:
        yield make_app(manager).test_client()
    finally:
        manager.close()


@pytest.mark.long
def test_the_standings_follow_the_matches(client: FlaskClient, folder: Path) -> None:
    assert 'href="/tournaments/The-cup"' in client.get("/").text
    page = client.get("/tournaments/The-cup")
    assert page.status_code == 200
    assert "2 of 6 matches played." in page.text
    assert page.text.count("<polyline") == 3
    assert client.get("/api/tournaments/The-cup").get_json() == {"played": 2, "running": []}
    add(folder, 6)
    assert client.get("/api/tournaments/The-cup").get_json()["played"] == 6
    told = client.get("/tournaments/The-cup/standings").text
    assert "Finished: 6 matches." in told
    assert "<html" not in told
    assert client.get("/tournament.css").mimetype == "text/css"


def test_names_are_text_and_nothing_is_styled_inline(client: FlaskClient) -> None:
    text = client.get("/tournaments/The-cup").text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r"<[^>]* (style|on\w+)=", text)  # which the pages' policy forbids


def test_the_cross_table_leads_to_the_matches_of_two_players(client: FlaskClient) -> None:
    links = re.findall(r'href="([^"]*#matches)"', client.get("/tournaments/The-cup").text)
    assert links
    everything = client.get("/api/tournaments/The-cup/matches").get_json()["matches"]
    assert [match["number"] for match in everything] == [1, 2]
    for link in links:
        query = link.partition("?")[2].partition("#")[0].replace("&amp;", "&")
        page = client.get(f"/tournaments/The-cup?{query}").text
        assert "Matches of" in page
        found = client.get(f"/api/tournaments/The-cup/matches?{query}").get_json()["matches"]
        assert found == everything  # random with legal are all who have met
    assert client.get("/api/tournaments/The-cup/matches?player=0&player=2").get_json() == {
        "matches": []
    }
    assert client.get("/tournaments/The-cup?player=3").status_code == 400


@pytest.mark.long
def test_every_match_is_a_click_away(client: FlaskClient, folder: Path) -> None:
    match = client.get("/api/tournaments/The-cup/matches").get_json()["matches"][0]
    assert (match["players"], match["goals"]) == (["random", "legal"], [100, 0])
    page = client.get(match["url"])
    assert page.status_code == 200
    assert 'href="/tournaments/The-cup"' in page.text
    told = client.get(f"/api{match['url']}").get_json()
    # The rules are those of the tournament: no file of the game is known here.
    assert (told["game"], told["is_judged"], told["mistake"]) == (None, True, None)
    scene = client.get(f"/api{match['url']}/scenes/1").get_json()
    assert len(scene["legal"]) == 2
    goals = client.get(f"/api{match['url']}/summary").get_json()["goals"]
    assert goals[-1] == [100, 50]
    record = client.get(f"{match['url']}/record.json")
    assert MatchRecord.from_json(record.text).is_completed
    # The manager only shows tournaments.
    assert client.post(f"{match['url']}/remove").status_code == 404
    assert (folder / "tournament.sqlite").exists()


@pytest.mark.long
def test_a_match_in_play_is_watched_as_it_grows(client: FlaskClient, folder: Path) -> None:
    third = fixtures(CUP, ())[2]
    _, whole = play(TWO.rules, Fixed("(pick 3)"), Fixed("(pick 1)"))
    whole = replace(whole, match_id="match.2")
    begun = replace(
        whole, states=whole.states[:2], moves=whole.moves[:1], errors=whole.errors[:2],
        state_times=whole.state_times[:2], search=whole.search[:1], goal_values=(),
        is_completed=False,
    )  # fmt: skip
    with closing(Store.open(folder)) as store:
        store.tell([(third, begun)])
    (match,) = client.get("/api/tournaments/The-cup").get_json()["running"]
    assert (match["number"], match["players"], match["steps"]) == (3, ["random", EVIL], 1)
    assert match["url"] == "/records/match.2#step=1"
    assert client.get(match["url"].partition("#")[0]).status_code == 200
    told = client.get("/api/records/match.2").get_json()
    assert (told["is_growing"], told["is_judged"], len(told["moves"])) == (True, False, 1)
    with closing(Store.open(folder)) as store:
        store.add(stronger_wins(third), whole)
    assert client.get("/api/tournaments/The-cup").get_json()["running"] == []
    told = client.get("/api/records/match.2").get_json()
    assert (told["is_growing"], told["is_judged"], len(told["moves"])) == (
        False,
        True,
        len(whole.moves),
    )


def test_an_aborted_match_has_its_reason(client: FlaskClient, folder: Path) -> None:
    with closing(Store.open(folder)) as store:
        third = fixtures(CUP, ())[2]
        _, record = play(TWO.rules, Fixed("(pick 3)"), Fixed("(pick 1)"))
        store.add(result(third, None, errors=({"TO": 2}, {})), record)
    match = client.get("/api/tournaments/The-cup/matches").get_json()["matches"][-1]
    assert (match["goals"], match["remark"]) == (None, "it broke, 2 TO")
    assert 'href="/records/match.2"' in client.get("/tournaments/The-cup").text


def test_what_is_not_there_is_missing(client: FlaskClient) -> None:
    for path in ("/tournaments/none", "/api/tournaments/none/matches", "/records/match.9"):
        assert client.get(path).status_code == 404
