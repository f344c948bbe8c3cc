"""What games are like: their pictures, facts, titles and explanations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp.match import ForkServer
from ggp.server.manager.games import Games
from ggp.server.manager.manager import Manager
from ggp.server.manager.playing.profiles import Profiles
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.drawn import GAMES
from tests.processes import happens


@pytest.fixture
def few(tmp_path: Path, fork_server: ForkServer) -> Iterator[Manager]:
    """A manager of three games."""
    bundled = [GAMES / f"{name}.kif" for name in ("rockpaperscissors", "lightsout", "montyhall")]
    manager = Manager.open(bundled=bundled, folder=tmp_path / "kept", start=fork_server.fork)
    try:
        yield manager
    finally:
        manager.close()


def test_games_get_pictures_and_facts_which_are_kept(few: Manager, tmp_path: Path) -> None:
    client = make_app(few).test_client()
    assert client.get("/api/games").get_json()["left"] == 3
    assert client.get("/games/lightsout/picture.svg").status_code in (200, 404)
    assert happens(lambda: client.get("/api/games").get_json()["left"] == 0, within=90)
    games = client.get("/api/games").get_json()["games"]
    assert games["lightsout"]["roles"] == ["player"] or len(games["lightsout"]["roles"]) == 1
    assert games["rockpaperscissors"]["is_simultaneous"]
    assert not games["lightsout"]["is_simultaneous"]
    assert (games["montyhall"]["is_hidden"], games["montyhall"]["has_chance"]) == (True, True)
    assert games["rockpaperscissors"]["steps"] == [1, 1]
    assert games["rockpaperscissors"]["goals"] == [0, 50, 100]
    picture = client.get("/games/lightsout/picture.svg")
    assert picture.mimetype == "image/svg+xml"
    assert picture.text.startswith("<svg")
    # Another manager reads them at once.
    other = Profiles(tmp_path / "kept" / "profiles")
    found = few.games.find("lightsout")
    assert found is not None
    assert other.of_all([found]) == ({"lightsout": few.profiles.of(found)}, 0)
    other.close()


def test_a_game_that_cannot_be_drawn_does_not_stop_the_others(tmp_path: Path) -> None:
    games = Games([GAMES / "nim.kif"], tmp_path / "games")
    broken = games.add("broken", "(role x) (init")
    profiles = Profiles(tmp_path / "profiles")
    try:
        assert happens(lambda: profiles.of_all([broken, *games])[1] == 0, within=90)
        assert profiles.of(broken) is None
        nim = games.find("nim")
        assert nim is not None
        assert profiles.of(nim)
    finally:
        profiles.close()


def test_a_game_that_a_busy_machine_could_not_draw_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(_: Guides, name: str, *_rest: object) -> dict[str, object]:
        asked.append(name)
        if len(asked) == 1:
            raise GuideError("the rules take too long to work out")
        return {"svg": "<svg/>", "is_settled": True}

    monkeypatch.setattr(Guides, "ask", ask)
    games = list(Games([GAMES / "nim.kif"], tmp_path / "games"))
    profiles = Profiles(tmp_path / "profiles")
    try:
        assert happens(lambda: "nim" in profiles.of_all(games)[0], within=60)
    finally:
        profiles.close()
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("name", "rules", "title"),
    [
        ("x", "; Pebbles\n;\n; Take some.\n", "Pebbles"),
        ("connectFour_9x6", "", "Connect four 9x6"),
        ("chess", ";;; *** chess.kif *** First Draft: 1/1/06 ***\n", "Chess"),
        ("ticTacToe", f"; {'very ' * 20}long\n;\n; Rules.\n", "Tic tac toe"),
    ],
)
def test_titles_are_those_that_a_person_would_use(
    tmp_path: Path, name: str, rules: str, title: str
) -> None:
    game = Games([], tmp_path).add(name, rules + sheets.ROW)
    assert game.title == title


def test_a_page_explains_how_to_play(tmp_path: Path) -> None:
    game = Games([], tmp_path).add(
        "x", "; Pebbles\n;\n; Take\n; some.\n;\n; Goals: 100.\n(role me)"
    )
    assert game.how_to_play == ["Take\nsome.", "Goals: 100."]
    assert Games([], tmp_path).add("y", "(role me)").how_to_play == []


def test_what_is_no_game_and_no_record_is_refused(few: Manager) -> None:
    from io import BytesIO

    client = make_app(few).test_client()
    reply = client.post("/games", data={"name": "x", "rules": "\x00\x01 nothing (role"})
    assert (reply.status_code, "no rulesheet" in reply.text) == (400, True)
    for data in (b"\x00\x01\x02", b"{}", b'{"matchId": "x", "gameMetaURL": "file:///etc/passwd"}'):
        reply = client.post("/records", data={"record": (BytesIO(data), "r.json")})
        assert (reply.status_code, "no record of a match" in reply.text) == (400, True)
        assert str(few.records._folder) not in reply.text
    assert list(few.records) == []
