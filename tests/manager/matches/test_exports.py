"""States and matches as files."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.match import MatchRecord
from ggp.reasoner import open_reasoner
from ggp.server.manager.export.palette import colour
from ggp.server.manager.export.picture import Circle, Polygon, Text, picture_of
from ggp.server.manager.export.replay import replay_page
from ggp.server.manager.export.svg import to_svg
from tests.manager.drawn import GAMES

MOVES = ["1 1", "2 2", "1 2", "3 3", "1 3"]


@pytest.fixture(scope="module")
def record() -> bytes:
    """A match of tic-tac-toe that x wins."""
    description = Description.load(GAMES / "tictactoe.kif")
    noop, moves = parse_term("noop"), [parse_term(f"(place {move})") for move in MOVES]
    line = [(move, noop) if step % 2 == 0 else (noop, move) for step, move in enumerate(moves)]
    with open_reasoner(description, kind="prolog") as reasoner:
        state = reasoner.initial_state()
        states = [reasoner.facts(state)]
        for joint_move in line:
            state = reasoner.next_state(state, joint_move)
            states.append(reasoner.facts(state))
    whole = MatchRecord(
        match_id="match",
        random_token="token",
        start_time=0,
        game_meta_url="tictactoe.kif",
        start_clock=1,
        play_clock=1,
        player_names=("Ada", "</script><b>"),
        is_completed=True,
        states=tuple(states),
        state_times=tuple(range(len(states))),
        moves=tuple(line),
        goal_values=(100, 0),
    )
    return whole.to_json().encode()


@pytest.fixture
def address(client: FlaskClient, record: bytes) -> str:
    return client.post("/records", data={"record": (BytesIO(record), "r.json")}).location


def test_a_state_as_svg(client: FlaskClient, address: str) -> None:
    reply = client.get(f"{address}/state.svg?step=3")
    assert reply.mimetype == "image/svg+xml"
    root = ElementTree.fromstring(reply.text)
    texts = [found.text for found in root.iter("{http://www.w3.org/2000/svg}text")]
    assert (texts.count("x"), texts.count("o")) == (2, 1)
    assert not list(root.iter("{http://www.w3.org/2000/svg}circle"))  # they are strokes
    assert client.get(f"{address}/state.svg?step=9").status_code == 404


def test_a_match_as_gif(client: FlaskClient, address: str) -> None:
    image = pytest.importorskip("PIL.Image")
    reply = client.get(f"{address}/match.gif")
    assert reply.mimetype == "image/gif"
    with image.open(BytesIO(reply.data)) as opened:
        assert opened.n_frames == len(MOVES) + 1
        durations = []
        for frame in range(opened.n_frames):
            opened.seek(frame)
            durations.append(opened.info["duration"])
        pixels = opened.convert("RGB").tobytes()
    assert durations == [*[800] * len(MOVES), 3000]
    blue = tuple(bytes.fromhex(colour("tone-1")[1:]))
    near = [
        sum(abs(a - b) for a, b in zip(pixels[at : at + 3], blue, strict=True))
        for at in range(0, len(pixels), 3)
    ]
    assert sum(distance < 40 for distance in near) > 200  # three strokes of x


def test_a_match_as_a_page_runs_no_words_of_the_match(client: FlaskClient, address: str) -> None:
    page = client.get(f"{address}/replay.html").text
    assert page.count("</script>") == 2
    assert "import " not in page.partition("<script>")[2]
    (kept,) = re.findall(r'id="data">(.*?)</script>', page)
    data = json.loads(kept)
    assert data["record"]["players"] == ["Ada", "</script><b>"]
    assert len(data["scenes"]) == len(MOVES) + 1
    assert data["summary"]["goals"][-1] == [100, 0]


def test_words_of_a_game_stay_words_in_svg_and_page() -> None:
    spot = {"id": "0.0", "name": "a", "x": 0.0, "y": 0.0}
    board = {"name": "b", "shape": "hex", "spots": [spot], "captions": [], "edges": []}
    item = {"label": "<x>", "tone": "red", "kind": "piece", "blank": False}
    scene = {"cells": {"0.0": [item]}, "hands": [], "table": []}
    picture = picture_of({"boards": [board]}, scene)
    kinds = [type(shape) for shape in picture.shapes]
    assert kinds == [Polygon, Circle, Text]
    assert ">&lt;x&gt;</text>" in to_svg(picture, title='"><script>')
    assert "<script>" not in to_svg(picture, title='"><script>')
    page = replay_page({}, title="<b>@DATA@</b>", style="")
    assert "<title>&lt;b&gt;@DATA@&lt;/b&gt;</title>" in page


def test_the_colours_are_those_of_the_pages() -> None:
    style = (Path(__file__).parents[3] / "server/manager/static/board.css").read_text()
    assert f"--tone-red: {colour('tone-red')}" in style
    assert colour("on-red") == "#ffffff"
