"""A board found from little gets better; states that may be are one picture."""

from __future__ import annotations

from typing import Any

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.reasoner import open_reasoner
from ggp.server.manager.drawing.looks.possible import merged
from ggp.server.manager.drawing.play import RandomPlay, random_lines
from ggp.server.manager.processes import board as board_module
from ggp.server.manager.processes.board import Board
from ggp.server.manager.processes.guides import Guides
from ggp.server.manager.processes.questions import Draw, Layout, Subject
from tests.manager.drawn import GAMES
from tests.processes import happens

pytestmark = pytest.mark.usefixtures("forked")

CONNECT_FOUR = Description.load(GAMES / "connectfour.kif")


def test_play_that_is_interrupted_gives_the_same_lines() -> None:
    with open_reasoner(CONNECT_FOUR, kind="prolog") as reasoner:
        at_once = random_lines(reasoner, deadline=Deadline(), lines=2, max_steps=10)
        play = RandomPlay(lines=2, max_steps=10)
        times = 0
        while not play.is_complete:
            play.go_on(reasoner, Deadline.after(0))  # a step at least, at first
            play.go_on(reasoner, Deadline.after(0.005))
            times += 1
    assert play.lines == at_once
    assert times > 1


def test_a_board_found_from_one_state_gets_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_module, "_FIRST", 0.0)
    found = Board(CONNECT_FOUR)
    with open_reasoner(CONNECT_FOUR, kind="prolog") as reasoner:
        found.learn_first(reasoner, lambda: None)
        first = found.revision
        assert (first > 0, found.is_settled) == (True, False)
        assert not found.layout()["boards"]
        for _ in range(200):
            if found.is_settled:
                break
            found.learn_more(reasoner, lambda: None)
    assert found.is_settled
    (shown,) = found.layout()["boards"]
    assert len(shown["spots"]) == 42
    assert found.layout()["revision"] == found.revision > first
    assert found.scene([parse_term("(control red)")])["revision"] == found.revision


def test_the_same_number_is_the_same_picture_in_every_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = {}
    for seconds in (0.0, 60.0):
        monkeypatch.setattr(board_module, "_FIRST", seconds)
        found = Board(CONNECT_FOUR)
        with open_reasoner(CONNECT_FOUR, kind="prolog") as reasoner:
            found.learn_first(reasoner, lambda: None)
        numbers[len(found.layout()["boards"])] = found.revision
    assert numbers.keys() == {0, 1}
    assert numbers[0] != numbers[1]


@pytest.mark.parametrize(("lasts", "asked"), [(True, 1), (False, 2)])
def test_what_was_drawn_on_a_board_that_is_not_complete_is_forgotten_with_its_guide(
    monkeypatch: pytest.MonkeyPatch, lasts: bool, asked: int
) -> None:
    answers: list[int] = []

    def answer(*_: object) -> dict[str, Any]:
        answers.append(len(answers))
        return {"ok": {"number": answers[-1]}, "changes": False, "lasts": lasts}

    monkeypatch.setattr(Guides, "_ask", answer)
    guides = Guides()
    try:
        for _ in range(2):
            guides.ask("it", Subject, Draw())
        assert len(answers) == 1
        guides.drop("it")
        assert guides.ask("it", Subject, Draw()) == {"number": asked - 1}
    finally:
        guides.close()


def test_a_guide_goes_on_looking_while_no_page_asks() -> None:
    guides = Guides()
    rules = (GAMES / "connectfour.kif").read_text()

    def layout() -> dict[str, Any]:
        return guides.ask("it", lambda: Subject(rules), Layout())

    try:
        assert happens(lambda: layout()["is_settled"], within=60)
        assert len(layout()["boards"][0]["spots"]) == 42
    finally:
        guides.close()


def item(text: str, *, blank: bool = False) -> dict[str, Any]:
    return {"text": text, "form": "cell", "kind": "piece", "blank": blank}


def scene(*rows: list[str], **cells: dict[str, Any]) -> dict[str, Any]:
    return {
        "cells": {spot: [held] for spot, held in cells.items()},
        "borders": [],
        "hands": [
            {"name": "holds", "owner": "x", "table": False, "cards": [{"text": c} for c in rows[0]]}
        ]
        if rows
        else [],
        "table": [{"name": "step", "rows": [["1"]], "more": 0}],
    }


def test_what_is_sure_and_what_may_be() -> None:
    empty, x, o = item("b", blank=True), item("x"), item("o")
    found = merged([(scene(a=x, b=o), 0.25), (scene(a=x, b=empty), 0.75)])
    assert found["cells"] == {"a": [x], "b": [{**o, "share": 0.25}]}
    assert found["table"] == [{"name": "step", "rows": [["1"]], "shares": [None], "more": 0}]
    one = scene(a=x, b=o)
    assert merged([(one, 1.0)])["cells"] == one["cells"]


def test_a_hand_tells_how_many_cards_are_not_known() -> None:
    cards = [chr(97 + number) for number in range(8)]
    scenes = [(scene(["z", *cards[n : n + 3]]), 1 / 6) for n in range(6)]
    (hand,) = merged(scenes)["hands"]
    assert (hand["cards"], hand["unknown"]) == ([{"text": "z"}], 3)
    (few,) = merged([(scene(["z", "a"]), 0.5), (scene(["z", "b"]), 0.5)])["hands"]
    assert few["cards"] == [
        {"text": "z"},
        {"text": "a", "share": 0.5},
        {"text": "b", "share": 0.5},
    ]
    assert few["unknown"] == 1
