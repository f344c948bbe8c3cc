"""A drawing beside the rules says what cannot be found; its mistakes are pointed at."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ggp.errors import SourceError
from ggp.server.manager.drawing.declared import find_drawing, read_drawing
from tests.manager.drawn import GAMES, draw_bundled

FORMS = {"(at ? ? ?)": 3, "(hand ? ?)": 2, "over": 0}
BOARD = {"name": "ring", "cells": {"1": [0, 0], "2": [1, 0.5]}, "facts": {"at": {"cell": [2]}}}


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.json")), ids=lambda path: path.stem)
def test_the_bundled_drawings_draw_their_games(path: Any) -> None:
    game = draw_bundled(path.stem)
    layout, _ = find_drawing(game.description, game.lines, path.read_text(encoding="utf-8"))
    placed = {placing.form for placing in layout.placings}
    told = json.loads(path.read_text(encoding="utf-8"))
    for board in told.get("boards", []):
        assert {f"({fact} ?)" for fact in board["facts"]} <= placed
    assert not any(
        form.startswith(f"({name} ") for form in placed for name in told.get("table", [])
    )


def test_declared_bars_are_where_the_comment_of_the_rules_draws_them() -> None:
    game = draw_bundled("dotsandboxes")
    text = (GAMES / "dotsandboxes.json").read_text(encoding="utf-8")
    layout, _ = find_drawing(game.description, game.lines, text)
    (board,) = layout.boards
    middles = {(spot.x, spot.y) for spot in board.spots.values()}
    assert len(middles) == len(board.spots) == len(board.bars) == 12


def test_pieces_get_the_declared_labels_and_colours() -> None:
    game = draw_bundled("connectfour")
    text = '{"pieces": {"red": {"label": "R", "colour": "purple"}, "yellow": {"as": "empty"}}}'
    _, looks = find_drawing(game.description, game.lines, text)
    by_name = {contents[-1]: look for (_, contents), look in looks.contents.items()}
    assert (by_name["red"].label, by_name["red"].tone) == ("R", "purple")
    assert {contents for _, contents in looks.blank} == {("yellow",)}


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ('{"boards": [}', "1:13: Expecting value"),
        ({"bords": []}, "bords: there is no such key (known keys: boards, cards, pieces, table)"),
        ({"boards": {}}, "boards: a list is expected"),
        ({"boards": [{**BOARD, "shape": "oval"}]}, "boards.0.shape: oval is not known"),
        ({"boards": [{**BOARD, "cells": {"1": [0]}}]}, "boards.0.cells.1: a place is expected"),
        ({"boards": [{**BOARD, "edges": [["1", "9"]]}]}, "edges.0: two cells are expected"),
        ({"boards": [{**BOARD, "facts": {"it": {}}}]}, "the game has no fact it (it has at, hand"),
        ({"boards": [{**BOARD, "facts": {"at": {"cell": [4]}}}]}, "the fact has 3 columns"),
        ({"boards": [{**BOARD, "facts": {"at": {"cell": [1, 2]}}}]}, "names of cells have 1 words"),
        ({"cards": {"hand": {"owner": 1}}}, "cards.hand: the column of the card is missing"),
        ({"pieces": {"x": {"colour": "mauve"}}}, "pieces.x.colour: mauve is not known"),
        ({"table": ["us"]}, "the game has no fact us"),
    ],
)
def test_a_mistake_is_named_with_its_place(drawing: object, message: str) -> None:
    text = drawing if isinstance(drawing, str) else json.dumps(drawing, indent=1)
    with pytest.raises(SourceError) as caught:
        read_drawing(text, "game.json", FORMS)
    assert message in caught.value.one_line()
    assert caught.value.one_line().startswith("game.json:")


def test_an_error_points_at_the_line_of_the_key() -> None:
    text = '{\n  "pieces": {\n    "x": {\n      "colour": "mauve"\n    }\n  }\n}'
    with pytest.raises(SourceError) as caught:
        read_drawing(text, "game.json", FORMS)
    assert caught.value.span.line == 4
