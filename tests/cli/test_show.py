from __future__ import annotations

import time

import pytest

from tests.cli.command import ggp
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION


def test_the_json_says_what_the_game_is() -> None:
    finished = ggp("show", "tictactoe", "--json")
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count("\n") == 1
    found = finished.json
    assert found["roles"] == ["x", "o"]
    assert found["base_facts"] == 20
    assert found["moves"] == 20
    assert found["declared"] is True
    assert found["goal_values"] == {"x": [0, 50, 100], "o": [0, 50, 100]}
    properties = found["properties"]
    assert properties["language"] == "GDL"
    assert properties["turn_taking"]
    assert properties["constant_sum"]
    assert not properties["recursive"]
    relations = {f"{r['name']}/{r['arity']}": r for r in found["relations"]}
    assert relations["role/1"]["kind"] == "facts"
    assert relations["next/1"]["kind"] == "dynamic"
    assert found["seen"]["playouts"] == 50
    assert found["seen"]["longest"] == 9


def test_what_is_not_declared_was_seen() -> None:
    found = ggp("show", "-", "--json", stdin=LIGHTS.encode()).json
    assert (found["declared"], found["base_facts"], found["moves"]) == (False, 6, 6)
    assert not found["properties"]["turn_taking"]
    kinds = {relation["name"]: relation["kind"] for relation in found["relations"]}
    assert (kinds["switched"], kinds["succ"]) == ("dynamic", "facts")


def test_the_text_is_for_people() -> None:
    finished = ggp("show", "-", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    for line in ("roles       left right", "facts       6 seen", "goals       left: 0 100"):
        assert line in finished.out


def test_declarations_that_make_no_sense_are_no_reason_to_fail() -> None:
    rules = LIGHTS + "(base (cell ?anything)) (input left go)"
    found = ggp("show", "-", "--json", stdin=rules.encode())
    assert found.code == 0
    assert (found.json["declared"], found.json["base_facts"]) == (False, 6)


@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
def test_seconds_are_kept_though_play_does_not_end(rules: str) -> None:
    began = time.monotonic()
    finished = ggp("show", "-", "--seconds", "0.5", "--json", stdin=rules.encode())
    assert time.monotonic() - began < 20
    assert (finished.code, finished.err) == (0, "")
    assert finished.json["seen"]["playouts"] == 0


def test_no_play_at_all() -> None:
    found = ggp("show", "nim", "--seconds", "0", "--json").json
    assert found["seen"] == {
        **{"playouts": 0, "states": 0, "facts": 0, "moves": 0},
        **{"longest": 0, "branching": 0},
    }
    assert found["base_facts"] > 0
