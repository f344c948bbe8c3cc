"""What notebooks show."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ggp import Deadline, Description, Game, GameGraph, States, open_reasoner
from ggp.display import Planes, pixels, planes, scrub, show, svg
from ggp.display.picture import _board, _texts, picture_of
from ggp.gdl.bundled import find_game
from ggp.kif import parse_term
from ggp.match import MatchRecord
from ggp.search import AlphaBeta, Limit
from ggp.search.leaf_values import LeafValueTable
from ggp.server.manager.drawing.looks.words import EMPTY, SOLID
from tests.batch.games import load, small
from tests.games.bundled import NAMES

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(states: States) -> ET.Element:
    return ET.fromstring(svg(states))


def texts(picture: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SPACE}text")]


def after(game_name: str, *moves: str) -> States:
    game = load(game_name)
    states = game.init()
    for move in moves:
        states = game.step(states, [game.move_number(int(states.current_player[0]), move)])
    return states


def test_a_board_with_its_pieces() -> None:
    picture = drawn(after("tictactoe", "(place 1 3)", "(place 2 2)"))
    cells = [(float(e.get("x", "")), float(e.get("y", ""))) for e in picture.iter(f"{SPACE}rect")]
    assert len(cells) == 9
    first, second = picture.iter(f"{SPACE}circle")
    assert first.get("fill") != second.get("fill")
    centre = float(second.get("cx", "")), float(second.get("cy", ""))
    assert (centre[0] - 20, centre[1] - 20) == sorted(cells)[4]  # (2, 2), the middle
    assert float(first.get("cy", "")) < centre[1]  # the third row is above
    assert {"x", "o"} <= set(texts(picture))
    assert "control x" in texts(picture)


#: A board on which two cells hold water, and one of them a stone, too.
LAKE = """
(role me) (init (step 1)) (init (water 1 1)) (init (water 2 3)) (init (stone 2 3))
(index 1) (index 2) (index 3) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (base (water ?x ?y)) (index ?x) (index ?y)) (<= (base (stone ?x ?y)) (index ?x) (index ?y))
(<= (legal me (put ?x ?y)) (index ?x) (index ?y) (not (true (stone ?x ?y))))
(<= (next (stone ?x ?y)) (does me (put ?x ?y))) (<= (next (stone ?x ?y)) (true (stone ?x ?y)))
(<= (next (water ?x ?y)) (true (water ?x ?y)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4))) (goal me 100)
"""


def test_walls_and_water_fill_their_cells() -> None:
    states = Game(Description.from_text(LAKE)).init()
    rects = list(drawn(states).iter(f"{SPACE}rect"))
    fills = Counter(each.get("fill") for each in rects)
    assert len(rects) == 9
    assert sorted(fills.values()) == [2, 3, 4]  # two of water, and the chequered rest


@pytest.mark.parametrize(("style", "shown"), [("wall", "<line"), ("line", "<line"), ("<", "&lt;")])
def test_what_lies_between_two_cells_is_drawn(style: str, shown: str) -> None:
    spots = [{"id": str(x), "name": str(x), "x": x, "y": 0} for x in (0, 1)]
    board = {"shape": "square", "spots": spots, "captions": [], "edges": []}
    border = {"style": style, "from": [0, 0], "to": [1, 0], "text": "of both", "label": ""}
    without, *size = _board(board, {}, [], 0)
    drawing, *same = _board(board, {}, [border], 0)
    assert size == same
    assert shown in drawing.removeprefix(without)


def test_cells_that_are_lines_are_drawn_as_the_author_declares() -> None:
    path = find_game("dotsandboxes").with_suffix(".json")
    with open_reasoner(Description.load("dotsandboxes")) as reasoner:
        state = reasoner.initial_state()
        picture = picture_of(reasoner, declared=path.read_text())
        empty = ET.fromstring(picture.svg(reasoner.facts(state)))
        (joint_move, *_) = reasoner.expand(state).joint_moves
        after = reasoner.next_state(state, joint_move)
        held = ET.fromstring(picture.svg(reasoner.facts(after)))
    lines = [each.get("stroke-width") for each in empty.iter(f"{SPACE}line")]
    assert lines == ["2"] * 12
    assert sorted(each.get("stroke-width", "") for each in held.iter(f"{SPACE}line")) == [
        *["2"] * 11,
        "4",
    ]
    assert not [*empty.iter(f"{SPACE}rect")]


def test_what_an_empty_cell_hides_is_told_below_the_board() -> None:
    """An empty cell may hold a fact and another none; both look alike."""
    scene: dict[str, Any] = {
        "cells": {"a": [{"blank": True, "form": "cell", "text": "b"}]},
        "hands": [],
        "table": [{"name": "line", "rows": [["word"] * 30], "more": 2}],
    }
    spots = [{"id": "a", "name": "a1"}, {"id": "b", "name": "b1"}]
    long = "line " + " ".join(["word"] * 30) + " and 2 more"
    assert list(_texts(scene, [{"spots": spots}])) == [long, "cell b: a1"]
    scene["cells"]["b"] = scene["cells"]["a"]
    assert list(_texts(scene, [{"spots": spots}])) == [long]


def test_long_texts_below_the_board_are_broken_and_not_cut() -> None:
    deal = drawn(load("spades300").init())
    shown = " ".join(texts(deal))
    assert "…" not in shown
    assert all(len(text) <= 60 for text in texts(deal))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["breakthrough", "triad", "spades2", "dotsandboxes", "montyhall"])
def test_all_kinds_of_games_are_drawn_within_their_frame(name: str) -> None:
    picture = drawn(load(name).init())
    width, height = (float(picture.get(each, "")) for each in ("width", "height"))
    assert 0 < width < 2000
    for each in picture.iter(f"{SPACE}text"):
        assert 0 <= float(each.get("x", "")) <= width
        assert 0 <= float(each.get("y", "")) <= height


def test_names_are_escaped() -> None:
    game = small("(role x) (init (<&> a)) (legal x go) (goal x 1) (<= terminal (true done))")
    assert "<&> a" in texts(drawn(game.init()))


def test_states_show_themselves() -> None:
    states = after("tictactoe", "(place 1 1)")
    assert states._repr_svg_() == svg(states)
    assert "o moves" in states._repr_html_()
    many = load("tictactoe").init(10)
    assert many._repr_svg_() is None
    assert many._repr_html_().count("<svg") == 8
    assert "and 2 more" in many._repr_html_()
    end = after("tictactoe", *(f"(place {n} {m})" for n, m in ("11", "21", "12", "22", "13")))
    assert "goals 100 0" in end._repr_html_()


def test_without_pictures_states_show_their_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.batch.game._drawing", lambda: None)
    states = after("tictactoe", "(place 1 1)")
    assert states._repr_svg_() is None
    assert "<pre>(control o)\n(mark 1 1 x)</pre>" in states._repr_html_()


def one_move() -> MatchRecord:
    moves = tuple(map(parse_term, ("(place 1 1)", "noop")))
    states = (load("tictactoe").init().facts(0), after("tictactoe", "(place 1 1)").facts(0))
    return MatchRecord(
        match_id="a<b", random_token="", start_time=0, game_meta_url="", start_clock=1,
        play_clock=1, player_names=("first", "second"), is_completed=True, states=states,
        state_times=(0, 1), moves=(moves,), goal_values=(50, 50),
    )  # fmt: skip


def test_a_record() -> None:
    record = one_move()
    table = record._repr_html_()
    assert "a&lt;b: completed, goals 50 50" in table
    assert ">(place 1 1)<" in table
    shown = show(record, load("tictactoe"))._repr_html_()
    assert shown.count("<svg") == 2
    assert "1. (place 1 1) noop" in shown


def test_a_search_result_and_a_leaf_value_table() -> None:
    description = Description.load("nim")
    with open_reasoner(description, kind="prolog") as reasoner:
        result = AlphaBeta(GameGraph(reasoner)).run(limit=Limit(deadline=Deadline()))
    html = result._repr_html_()
    assert "first gets 100, proven" in html
    assert html.count("<tr>") == 1 + len(result.variation)
    table = LeafValueTable.of(description)
    assert table._repr_html_().count("<tr>") == 1 + len(table) == 5
    large = LeafValueTable.of(Description.load("spades300"))
    assert large._repr_html_().count("<tr>") == 51
    assert "more rows" in large._repr_html_()


@pytest.mark.long
def test_a_slider_shows_one_state_of_a_record_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("selenium")
    from tests.manager.browser import BROWSER, DRIVER, Page, browsing

    if not (BROWSER and DRIVER):
        pytest.skip("needs Chromium and chromedriver")
    file = tmp_path / "match.html"
    html = scrub(one_move(), load("tictactoe"))._repr_html_()
    file.write_text(f'<!doctype html><meta charset="utf-8">{html}', encoding="utf-8")
    start, end = ("start", 0), ("1. (place 1 1) noop, goals 50 50", 1)
    with browsing() as driver:
        page = Page(driver, file.as_uri())
        page.open("")
        for button, (caption, pieces) in (
            ("", start), ("next", end), ("next", end), ("previous", start), ("last", end),
            ("first", start),
        ):  # fmt: skip
            if button:
                page.click(f"[title='{button} state']")
            (shown,) = (each for each in page.all("figure") if each.is_displayed())
            assert shown.text.splitlines()[-1] == caption
            assert len(shown.find_elements("tag name", "circle")) == pieces
        assert not page.problems()


def test_a_board_as_planes() -> None:
    game, states = load("tictactoe"), after("tictactoe", "(place 1 3)", "(place 2 2)")
    channels = Planes.of(game).channels
    assert channels == ("(control o)", "(control x)", "(mark ? ? o)", "(mark ? ? x)")
    assert planes(states).shape == (1, 4, 3, 3)
    control_o, control_x, o, x = planes(states)[0]
    assert control_x.all()
    assert not control_o.any()
    assert o.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert x.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]  # row 3 is at the top


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_planes_tell_all_facts_apart(name: str) -> None:
    game = load(name)
    found = Planes.of(game)
    assert len(set(found.places.tolist())) == len(found.places)
    assert set(found.facts.tolist()) == set(range(len(game.facts)))
    each = planes(States(game, np.array([game.states([[fact]]).words[0] for fact in game.facts])))
    assert len({one.tobytes() for one in each}) == len(game.facts)
    assert 0 < found.height * found.width <= 144


def test_a_picture_as_pixels() -> None:
    pytest.importorskip("resvg_py")
    empty, played = load("tictactoe").init(), after("tictactoe", "(place 2 2)")
    before, now = pixels(svg(empty)), pixels(svg(played))
    assert before.dtype == np.uint8
    assert before.shape[2] == 3
    height, width = before.shape[:2]
    assert (before[-1, -1] == 255).all()  # the sheet is white
    rows, columns = np.nonzero((before != now[:height, :width]).any(axis=2))
    square = next(ET.fromstring(svg(empty)).iter(f"{SPACE}rect"))
    side = float(square.get("width", ""))
    on_board = rows < 3 * side + 8
    assert np.ptp(rows[on_board]) <= side  # one piece has come
    assert np.ptp(columns[on_board]) <= side
    assert pixels(svg(played), size=(50, 60)).shape == (50, 60, 3)


def test_a_state_in_which_nothing_is_true_is_an_empty_picture() -> None:
    pytest.importorskip("resvg_py")
    rules = (
        "(role x) (legal x go) (goal x 1) (<= (next done) (does x go)) (<= terminal (true done))"
    )
    assert (pixels(svg(small(rules).init())) == 255).all()


def test_the_words_for_empty_and_for_walls_are_published() -> None:
    page = (Path(__file__).parents[2] / "docs" / "drawing.md").read_text(encoding="utf-8")
    told = page.split("The words for *empty* are")[1].split("Every other word")[0]
    assert set(re.findall(r"`(\w+)`", told)) == EMPTY | SOLID | {"emptyCell"}
