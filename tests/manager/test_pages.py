"""The pages and the JSON of the manager, without a browser."""

from __future__ import annotations

import re
import time
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from jinja2 import Environment

from ggp.match import MatchRecord
from ggp.server.access.origins import Origins
from ggp.server.manager.games import MAX_DRAWING, MAX_RULES
from ggp.server.manager.manager import Manager
from ggp.server.manager.records import MAX_RECORD
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.home.record_files import THOUGHT, record_of

TICTACTOE = {"kind-0": "random", "kind-1": "legal", "start_clock": "5", "play_clock": "5"}


def bring(client: FlaskClient, rules: str, **fields: Any) -> str:
    """Upload a game, and return the address of its page."""
    reply = client.post("/games", data={"name": "mine", "rules": rules, **fields})
    assert reply.status_code == 302
    return str(reply.location)


def test_every_page_is_there(client: FlaskClient) -> None:
    for path in ("/", "/games/nim", "/games/nim/explore", "/games/nim/rules"):
        reply = client.get(path)
        assert reply.status_code == 200, path
        assert reply.headers["Content-Security-Policy"].startswith("default-src 'self'")


def test_no_page_names_another_machine_or_has_a_script_in_it(client: FlaskClient) -> None:
    for path in ("/", "/games/nim", "/games/nim/explore"):
        text = client.get(path).text
        assert not re.search(r"""(?:src|href|action)=["'](?:\w+:)?//""", text)
        assert not re.search(r"<script(?![^>]* src=)", text)
        assert "style=" not in text
        assert not re.search(r"<[^>]* on\w+\s*=", text)


@pytest.mark.parametrize(
    "path",
    [
        "/games/none",
        "/games/../nim",
        "/games/x.000000000000",
        "/matches/none",
        "/records/none",
        "/records/..%2f..%2fetc%2fpasswd",
        "/api/matches/none/events",
        "/api/analyses/none/events",
    ],
)
def test_what_is_not_there_is_said_to_be_missing(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_page_waits_for_no_reasoner(client: FlaskClient) -> None:
    address = bring(client, sheets.ENDLESS)
    paths = ["/", address, f"{address}/explore", f"{address}/rules", "/games/breakthrough"]
    for path in paths:  # templates are compiled when they are first used
        client.get(path)
    for path in paths:
        began = time.process_time()
        assert client.get(path).status_code == 200
        # CPU time of this process, which does not depend on the load of the machine.
        assert time.process_time() - began < 0.1, path


def test_the_checker_says_what_is_wrong_with_a_game_that_is_brought(client: FlaskClient) -> None:
    address = bring(client, "(role me) (<= (legal me go) (not (p ?x))")
    told = client.get(f"/api{address}/check").get_json()
    assert told["errors"] == 1
    assert "parenthes" in told["findings"][0]["message"]
    reply = client.get(f"/api{address}/layout")
    assert reply.status_code == 409
    assert "parenthes" in reply.get_json()["error"]


def test_a_game_can_be_a_file_with_a_stylesheet(client: FlaskClient) -> None:
    style = b".piece { color: red; background: url(http://evil/) }"
    fields = {
        "rules_file": (BytesIO(sheets.ROW.encode()), "seeds.kif"),
        "style_file": (BytesIO(style), "seeds.css"),
    }
    reply = client.post("/games", data=fields)
    assert reply.location.startswith("/games/seeds.")
    assert client.get(f"{reply.location}/rules").text == sheets.ROW
    served = client.get(f"{reply.location}/style.css")
    assert (served.mimetype, served.text) == ("text/css", ".scene .piece{color:red}")


DRAWING = '{"pieces": {"two": {"label": "II"}}}'


@pytest.mark.long
def test_a_game_can_bring_a_drawing(client: FlaskClient, shared: Manager) -> None:
    fields = {"drawing_file": (BytesIO(DRAWING.encode()), "seeds.json")}
    address = bring(client, sheets.ROW, **fields)
    assert client.get(f"{address}/drawing.json").text == DRAWING
    scene = client.post(f"/api{address}/draw", json={"facts": None}).get_json()["scene"]
    assert {item["label"] for items in scene["cells"].values() for item in items} == {"II"}
    assert address != bring(client, sheets.ROW)  # another game: it is drawn otherwise
    game = shared.games.find(address.rpartition("/")[2])
    assert game is not None
    shared.games.remove(game)
    assert not list(game.path.parent.glob(f"{game.id}*"))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ('{\n "table": ["sads"]}', "drawing:2:12: table.sads: the game has no fact sads"),
        ("{", "drawing:1:2: Expecting property name"),
        ("[" * 100_000, "this is too large"),
        (" " * (MAX_DRAWING + 1), "drawing may have 200,000 bytes"),
    ],
)
def test_a_drawing_with_a_mistake_is_refused(
    client: FlaskClient, drawing: str, message: str
) -> None:
    reply = client.post("/games", data={"name": "x", "rules": sheets.ROW, "drawing": drawing})
    assert reply.status_code in (400, 409)
    assert message in reply.text
    told = {"name": "x", "rules": sheets.ROW, "drawing": drawing}
    reply = client.post("/api/games", json=told)
    assert reply.status_code in (400, 409)
    assert (
        message.replace("may have 200,000 bytes", "has up to 200,000") in reply.get_json()["error"]
    )


def test_words_that_would_be_markup_stay_words(client: FlaskClient) -> None:
    address = bring(client, sheets.SCRIPT, name='"><script>alert(1)</script>')
    for path in (address, f"{address}/explore", f"{address}/rulesheet", "/"):
        assert "<script>" not in client.get(path).text
    scene = client.post(f"/api{address}/scene", json={"facts": None})
    assert scene.mimetype == "application/json"
    assert "(cell 1 1 <script>document.title='run'</script>)" in scene.get_json()["facts"]
    rules = client.get(f"{address}/rules")
    assert (rules.mimetype, rules.headers["X-Content-Type-Options"]) == ("text/plain", "nosniff")


def test_what_is_too_large_is_refused(client: FlaskClient) -> None:
    reply = client.post("/games", data={"rules": ";" * (MAX_RULES + 1)})
    assert reply.status_code == 400
    assert "2,000,000 bytes" in reply.text
    head = b'--B\r\nContent-Disposition: form-data; name="record"; filename="r"\r\n\r\n'
    for size in (MAX_RECORD + 1, 10_000_000):
        body = head + b"x" * size + b"\r\n--B--\r\n"
        reply = client.post("/records", data=body, content_type="multipart/form-data; boundary=B")
        assert reply.status_code in (400, 413)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}, 302),
    ],
)
def test_pages_of_others_can_start_nothing(
    client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    reply = client.post("/games", data={"rules": "(role me)"}, headers=headers)
    assert reply.status_code == status


def test_a_manager_for_this_machine_is_addressed_as_such(shared: Manager) -> None:
    client = make_app(shared, origins=Origins.open(host="localhost")).test_client()
    assert client.get("/", headers={"Host": "localhost:8080"}).status_code == 200
    assert client.get("/", headers={"Host": "rebound.example:8080"}).status_code == 403


def test_a_way_through_a_game(client: FlaskClient) -> None:
    here = client.post("/api/games/tictactoe/scene", json={"facts": None}).get_json()
    assert len(here["legal"][0]) == here["joint_moves"] == 9
    spots = client.get("/api/games/tictactoe/layout").get_json()["boards"][0]["spots"]
    by_move = {each["move"]: each["clicks"] for each in here["legal"][0]}
    named = {spot["id"]: spot["name"] for spot in spots}
    assert [[named[id_] for id_ in step] for step in by_move["(place 1 3)"]] == [["1 3"]]
    for move in ("(place 1 1)", "(place 2 2)", "(place 1 2)", "(place 3 3)"):
        moves = [move, "noop"] if "(control x)" in here["facts"] else ["noop", move]
        told = {"facts": here["facts"], "moves": moves}
        here = client.post("/api/games/tictactoe/scene", json=told).get_json()
    told = {"facts": here["facts"], "after": 0}
    table = client.post("/api/games/tictactoe/successors", json=told).get_json()
    (winning,) = [each for each in table["rows"] if each["terminal"]]
    assert (winning["moves"], winning["goals"]) == (["(place 1 3)", "noop"], [100, 0])
    assert (len(table["rows"]), table["next"], table["joint_moves"]) == (5, None, 5)
    told["after"] = 3
    rest = client.post("/api/games/tictactoe/successors", json=told).get_json()
    assert rest["rows"] == table["rows"][3:]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"facts": ["(mark 9 9 z)"]}, "can never be true"),
        ({"facts": ["(mark ?x 1 x)"]}, "variable"),
        ({"facts": ["("]}, "parenthes"),
        ({"facts": None, "moves": ["(place 9 9)", "noop"]}, "may not do"),
        ({"facts": None, "moves": ["noop"]}, "1 moves for 2 roles"),
        ({"facts": "all"}, "list of texts"),
        (["facts"], "JSON object"),
    ],
)
def test_nonsense_is_answered_by_what_is_wrong(
    client: FlaskClient, told: object, reason: str
) -> None:
    reply = client.post("/api/games/tictactoe/scene", json=told)
    assert reply.status_code in (400, 409)
    assert reason in reply.get_json()["error"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind-0": "os.system"}, "no player"),
        ({"play_clock": "nan"}, "play clock"),
        ({"play_clock": "-1"}, "play clock"),
        ({"start_clock": "soon"}, "start clock"),
    ],
)
def test_a_match_is_not_begun_by_nonsense(
    client: FlaskClient, shared: Manager, fields: dict[str, str], reason: str
) -> None:
    before = list(shared.matches)
    reply = client.post("/games/nim/matches", data={**TICTACTOE, **fields})
    assert reply.status_code == 400
    assert reason in reply.text
    assert list(shared.matches) == before


@pytest.mark.long
def test_a_record_is_replayed_and_judged_by_the_rules(client: FlaskClient, shared: Manager) -> None:
    record = play_to_the_end(client, shared, "tictactoe")
    address = f"/api/records/{record.match_id}"
    told = client.get(address).get_json()
    assert (told["game"], told["mistake"]) == ("tictactoe", None)
    scene = client.get(f"{address}/scenes/1").get_json()
    assert len(scene["scene"]["cells"]) == 1
    summary = client.get(f"{address}/summary").get_json()
    assert tuple(summary["goals"][-1]) == record.goal_values
    assert summary["choices"][:2] == [[9, 1], [1, 8]]
    assert len(told["state_times"]) == len(told["states"])
    # The same record of an unknown game.
    text = record.to_json().replace("tictactoe.kif", "unheard-of.kif")
    brought = client.post("/records", data={"record": (BytesIO(text.encode()), "r.json")})
    address = f"/api{brought.location}"
    told = client.get(address).get_json()
    assert told["game"] is None
    assert len(client.get(f"{address}/scenes/1").get_json()["scene"]["cells"]) == 1
    # A record with an illegal move.
    text = record.to_json().replace('"(place', '"(misplace', 1)
    brought = client.post("/records", data={"record": (BytesIO(text.encode()), "r.json")})
    assert client.get(f"/api{brought.location}").get_json()["mistake"]["step"] == 1


@pytest.mark.parametrize(
    ("thought", "is_shown"),
    [(THOUGHT, True), (None, False), ({"value": "x"}, False), ({"variation": [1]}, False)],
)
def test_what_players_thought_is_told_if_it_can_be_shown(
    client: FlaskClient, thought: object, is_shown: bool
) -> None:
    file = record_of(search=[[thought]], startSearch=[thought])
    brought = client.post("/records", data={"record": (file, "r.json")})
    told = client.get(f"/api{brought.location}").get_json()
    assert told["search"] == [[thought if is_shown else None]]
    assert told["start_search"] == [thought if is_shown else None]
    assert told["state_times"][1] - told["state_times"][0] == 2500


def test_what_is_no_record_is_answered_by_a_line(client: FlaskClient) -> None:
    reply = client.post("/records", data={"record": (BytesIO(b"{}"), "r.json")})
    assert reply.status_code == 400
    assert "this is no record of a match: matchId is missing" in reply.text


def play_to_the_end(client: FlaskClient, manager: Manager, game: str) -> MatchRecord:
    reply = client.post(f"/games/{game}/matches", data=TICTACTOE)
    address = urlsplit(reply.location).path
    match = manager.matches.find(address.rpartition("/")[2])
    assert match is not None
    known, is_over = 0, False
    while not is_over:
        _, known, is_over = match.events(known, timeout=60)
    assert client.get(f"{address}/record.json").mimetype == "application/json"
    return MatchRecord.read(match.record)


def test_no_request_compiles_a_template(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Environment, "compile", lambda *_, **__: pytest.fail("a template"))
    for path in ("/", "/games/nim", "/games/nim/explore", "/games/none"):
        assert client.get(path).status_code in (200, 404)
