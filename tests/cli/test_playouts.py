from __future__ import annotations

import time

import pytest

from tests.cli.command import ggp
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION


def test_the_json_says_how_fast_and_how_it_ends() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.5", "--json", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count("\n") == 1
    found = finished.json
    assert found.keys() == {
        *("playouts", "steps", "seconds", "playouts_per_second", "steps_per_second"),
        "mean_goals",
    }
    assert found["playouts"] > 0
    assert found["steps"] == 2 * found["playouts"]
    assert found["playouts_per_second"] == found["playouts"] / found["seconds"]
    assert found["steps_per_second"] == found["steps"] / found["seconds"]
    assert list(found["mean_goals"]) == ["left", "right"]


def test_the_text_says_the_same() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.5", "--seed", "1", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    first, *means = finished.out.splitlines()
    assert " playouts of " in first
    assert [line.split(":")[0] for line in means] == ["  left", "  right"]


@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
def test_seconds_are_kept_though_a_question_takes_longer(rules: str) -> None:
    began = time.monotonic()
    options = ("--seconds", "0.5", "--reasoner", "prolog", "--json")
    finished = ggp("playouts", "-", *options, stdin=rules.encode())
    assert time.monotonic() - began < 20
    assert (finished.code, finished.err) == (0, "")
    assert (finished.json["playouts"], finished.json["mean_goals"]) == (0, {"x": None})


def test_no_playout_ended_is_said() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.3", stdin=ENDLESS_PLAY.encode())
    assert finished.code == 0
    assert finished.out.endswith("  x: no playout ended\n")
