"""Seats of people: who may move, who may end a match, and what the pages are told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from ggp.match import ForkServer, MatchRecord
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.setup import Seat, Setup, Unfinished
from ggp.server.manager.viewers import view_of
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import opened
from tests.processes import happens

TWO_PEOPLE = {
    "kind-0": "human",
    "kind-1": "human",
    "start_clock": "5",
    "play_clock": "5",
    "humans_take_time": "on",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Manager]:
    with opened(tmp_path_factory.mktemp("seats"), fork_server) as manager:
        yield manager


@pytest.fixture(scope="module")
def match(own: Manager) -> tuple[Match, FlaskClient, str]:
    """A match of two people, a client, and the key of the one who began it."""
    client = make_app(own).test_client()
    address = urlsplit(client.post("/games/nim/matches", data=TWO_PEOPLE).location)
    found = own.matches.find(address.path.rpartition("/")[2])
    assert found is not None
    assert happens(lambda: found.legal(0, 0) is not None, within=30)
    return found, client, address.fragment.removeprefix("key=")


def prepared(own: Manager, name: str, folder: Path) -> Match:
    """A match of two people that has not begun."""
    game = own.games.find(name)
    assert game is not None
    setup = Setup(
        id=f"{name}.1.ab",
        game=game.id,
        seats=(Seat("human"), Seat("human")),
        start_clock=1,
        play_clock=1,
        humans_take_time=True,
    )
    return Match(
        game,
        setup,
        folder,
        players=own.players,
        on_over=lambda: None,
    )


def post(client: FlaskClient, match: Match, what: str, **told: Any) -> Any:
    return client.post(f"/api/matches/{match.id}/{what}", json=told)


def test_each_seat_has_a_link_and_only_its_holder_moves(
    match: tuple[Match, FlaskClient, str],
) -> None:
    played, client, host = match
    assert host == played.setup.host
    told = post(client, played, "seat", key=host).get_json()
    assert (told["roles"], told["is_host"]) == ([0, 1], True)
    keys = {role: link.partition("#key=")[2] for role, link in told["links"].items()}
    assert keys == {"0": played.seats[0].key, "1": played.seats[1].key}
    # Those who only watch.
    assert post(client, played, "seat", key="guess").get_json() == {
        "roles": [],
        "is_host": False,
        "links": {},
        "view": view_of("guess"),
    }
    assert post(client, played, "moves", role=0, turn=0, move="(take 1)").status_code == 403
    assert post(client, played, "abort").status_code == 403
    # The link of the first seat is opened: the host leaves this seat alone.
    assert post(client, played, "seat", key=keys["0"]).get_json()["roles"] == [0]
    assert post(client, played, "seat", key=host).get_json()["roles"] == [1]
    move = {"role": 0, "turn": 0, "move": "(take 1)"}
    for key in (host, keys["1"], ""):
        assert post(client, played, "moves", key=key, **move).status_code == 403
    move["move"] = "(take 9)"
    assert "not legal" in post(client, played, "moves", key=keys["0"], **move).get_json()["error"]
    move["move"] = "(take 1)"
    assert post(client, played, "moves", key=keys["0"], **move).status_code == 200
    assert happens(lambda: played.legal(1, 1) is not None, within=30)
    assert "is over" in post(client, played, "moves", key=keys["0"], **move).get_json()["error"]
    # Giving up takes a seat, and ending the match the browser that began it.
    assert post(client, played, "give-up", key=keys["1"], role=0).status_code == 403
    assert post(client, played, "abort", key=keys["1"]).status_code == 403
    before = len(played.moves)
    assert post(client, played, "give-up", key=keys["1"], role=1).status_code == 200
    assert happens(lambda: played.is_over, within=30)
    end = played.events(0, timeout=0)[0][-1]
    assert (list(end["goals"]), end["remark"]) == ([100, 0], "second gave up")
    record = MatchRecord.read(played.record)
    assert (record.is_completed, record.goal_values, record.gave_up) == (True, (100, 0), "second")
    assert len(record.moves) == before  # no move was made up
    read = client.get(f"/api/records/{played.id}").get_json()
    assert (read["mistake"], read["gave_up"]) == (None, "second")


def test_the_page_of_a_match_contains_no_secret(match: tuple[Match, FlaskClient, str]) -> None:
    played, client, host = match
    text = client.get(f"/matches/{played.id}").text
    text += client.get("/").text
    assert not [key for key in (host, *(seat.key for seat in played.seats)) if key in text]


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("[", "a record with a step, or a line"),
        ("[]", "a record with a step, or a line"),
        ('{"moves": 1}', "moves is a list"),
        ('{"record": "none", "step": 1}', "there is no record"),
        ('{"record": 5, "step": 1}', "there is no record"),
    ],
)
def test_a_start_that_is_none_begins_no_match(client: FlaskClient, start: str, reason: str) -> None:
    reply = client.post("/games/nim/matches", data={**TWO_PEOPLE, "start": start})
    assert reply.status_code in (400, 404)
    assert reason in reply.text


def test_setups_are_kept_until_their_matches_are_over(tmp_path: Path) -> None:
    kept = Unfinished(tmp_path / "unfinished")
    setup = Setup(
        id="nim.1.ab",
        game="nim",
        seats=(Seat("human", "Ada"), Seat("player", "legal")),
        start_clock=1,
        play_clock=2.5,
        humans_take_time=False,
        start={"moves": [["a", "b"]]},
    )
    kept.keep(setup)
    (path,) = (tmp_path / "unfinished").iterdir()
    assert path.stat().st_mode & 0o077 == 0  # only the owner can read the keys
    (tmp_path / "unfinished" / "broken.json").write_text('{"id": 1')
    assert list(kept) == [setup]
    (tmp_path / "unfinished" / "broken.json").unlink()
    kept.forget(setup.id)
    assert not (tmp_path / "unfinished").exists()


def test_what_decides_an_end_is_the_line_of_the_winner(client: FlaskClient) -> None:
    spots = client.get("/api/games/tictactoe/layout").get_json()["boards"][0]["spots"]
    names = {spot["id"]: spot["name"] for spot in spots}

    def decisive(*moves: str) -> set[str]:
        line = [
            [f"(place {move})", "noop"] if step % 2 == 0 else ["noop", f"(place {move})"]
            for step, move in enumerate(moves)
        ]
        told = {"moves": line, "step": len(line)}
        here = client.post("/api/games/tictactoe/line", json=told).get_json()["here"]
        found = client.post("/api/games/tictactoe/decisive", json={"facts": here["facts"]})
        return {names[spot] for spot in found.get_json()["spots"]}

    assert decisive("1 1", "2 2", "1 2", "3 3", "1 3") == {"1 1", "1 2", "1 3"}
    assert decisive("1 1", "2 2", "1 2") == set()  # it goes on


def test_a_stream_that_waits_for_the_beginning_is_told_as_the_seat_that_it_is_then(
    own: Manager, tmp_path: Path
) -> None:
    match = prepared(own, "rockpaperscissors", tmp_path)
    setup = match.setup
    view, told = view_of(setup.seats[0].key), []
    waiting = Thread(target=lambda: told.append(match.events(0, timeout=20, view=view)))
    waiting.start()
    assert happens(lambda: match.seen > 0 and waiting.is_alive(), within=20)
    started = {"roles": ["x", "o"], "players": ["a", "b"], "people": [0, 1], "hidden": False}
    with match._changed:  # all at once, as when the machine is busy
        match._take({"event": "started", "facts": ["(step 1)"], **started}, 0)
        legal = {"0": ["(place 1 1)", "(place 1 2)"], "1": ["noop", "wait"]}
        match._take({"event": "turn", "turn": 0, "choices": [2, 2], "legal": legal}, 0)
    waiting.join()
    ((news, known, is_over),) = told
    assert [event["event"] for event in news] == ["started", "turn"]
    assert news[1]["legal"] == {"0": legal["0"]}
    assert match.events(known, timeout=0, view=view) == ([], known, is_over)
    # The numbers of a seat say nothing to another viewer, who is told all from the beginning.
    assert [event["event"] for event in match.events(known, timeout=0)[0]] == ["started", "turn"]


def test_a_guest_who_comes_before_the_match_begins_gets_the_stream_of_the_seat(
    own: Manager, tmp_path: Path
) -> None:
    match = prepared(own, "nim", tmp_path)
    own.matches._matches[match.id] = match
    key = match.seats[1].key
    told = post(make_app(own).test_client(), match, "seat", key=key).get_json()
    assert (told["roles"], told["view"]) == ([], view_of(key))
    del own.matches._matches[match.id]
