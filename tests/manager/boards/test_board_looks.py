"""Looks of whole boards, which follow from the form of the rules, and pictures of them."""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.server.manager.drawing.finder import find_layout
from ggp.server.manager.drawing.looks.boards import board_looks
from ggp.server.manager.drawing.pieces import find_looks
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.processes.guide import Guide
from ggp.server.manager.processes.questions import Profile
from tests.manager.drawn import GAMES, draw, draw_bundled, scrambled

pytestmark = pytest.mark.usefixtures("forked")

LOOKS = {
    "connectfour": "frame",
    "connectfour5x5": "frame",
    "othello6x6": "felt",
    "tictactoe": "strokes",
    "foxandhounds": "dark-0",
    "breakthrough": "",
    "hexapawn": "",
    "lightsout": "",
    "eightpuzzle": "",
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", LOOKS)
def test_a_board_has_the_look_of_its_rules(name: str) -> None:
    drawn = draw_bundled(name)
    assert board_looks(drawn.layout, drawn.looks, drawn.lines) == [LOOKS[name]]


@pytest.mark.parametrize("name", ["connectfour", "othello6x6"])
def test_no_name_decides_it(name: str) -> None:
    """With other words for everything the look is the same."""
    description, _ = scrambled(Description.load(GAMES / f"{name}.kif"), 7)
    drawn = draw(description)
    assert board_looks(drawn.layout, drawn.looks, drawn.lines) == [LOOKS[name]]


@pytest.mark.parametrize(("back", "look"), [(True, "felt"), (False, "")])
def test_stones_lie_on_felt_where_both_owners_turn_them(back: bool, look: str) -> None:
    """What only goes from one kind to the other is a trail, such as that of a knight's tour."""
    states = []
    for step in range(9):
        owners = ["empty"] * 16  # most cells of the board are never used
        for cell in range(9):
            is_turned = cell < step and not (back and cell < step - 4)
            owners[cell] = "black" if is_turned else "white"
        facts = [f"(cell {n % 4 + 1} {n // 4 + 1} {owner})" for n, owner in enumerate(owners)]
        states.append(tuple(map(parse_term, facts)))
    played = Line(tuple(states), ())
    layout = find_layout(None, [played])
    assert board_looks(layout, find_looks(layout, [played]), [played]) == [look]


def test_marks_on_several_boards_are_strokes() -> None:
    cells = [f"(cell {board} {x} {y} {{}})" for board in "123" for x in "123" for y in "123"]
    states = [
        tuple(parse_term(cell.format("b" if n >= step else "xo"[n % 2])) for n, cell in told)
        for step in range(20)
        for told in [list(enumerate(cells))]
    ]
    played = Line(tuple(states), ())
    layout = find_layout(None, [played])
    (board,) = layout.boards
    assert len(board.axes) == 3
    assert board_looks(layout, find_looks(layout, [played]), [played]) == ["strokes"]


@cache
def picture(name: str) -> ElementTree.Element:
    declared = GAMES / f"{name}.json"
    guide = Guide(
        (GAMES / f"{name}.kif").read_text(),
        drawing=declared.read_text() if declared.exists() else "",
    )
    told: dict[str, Any] = guide.answer(Profile())
    guide.reopen()
    return ElementTree.fromstring(told["svg"])


def count(name: str, kind: str) -> int:
    return len(list(picture(name).iter(f"{{http://www.w3.org/2000/svg}}{kind}")))


def test_pictures_have_these_looks_too() -> None:
    fills = {shape.get("fill") for shape in picture("othello6x6").iter()}
    assert "#2e7d4f" in fills
    assert count("connectfour", "circle") > 42  # holes and discs


def test_cells_that_are_lines_are_lines_in_pictures() -> None:
    assert count("dotsandboxes", "line") == 12
    assert count("dotsandboxes", "polygon") == 0
