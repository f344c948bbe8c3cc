from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tests.manager.browser import needs_browser
from tests.manager.drawn import GAMES

pytestmark = [pytest.mark.long, needs_browser]


def test_the_paints_of_the_pages_are_measured() -> None:
    from benchmarks.pages.paint import main

    done = CliRunner().invoke(main, ["--visits", "2", "--most", "0.01", "--json"])
    told, refusal = done.output.splitlines()
    paints = json.loads(told)
    assert paints.keys() == {"home", "game", "explorer", "match"}
    assert all(time > 0 for page in paints.values() for each in page.values() for time in each)
    assert refusal.startswith("Error: the page home took")
    assert done.exit_code == 1


def test_the_states_of_a_game_are_timed() -> None:
    from benchmarks.pages.heavy import main

    arguments = [str(GAMES / "hexapawn.kif"), "--json", "--steps", "2", "--most", "60000"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    (times,) = json.loads(result.output).values()
    assert 0 < times["board"] <= times["moves"]
    assert 0 < len(times["step_boards"]) == len(times["step_moves"])
    assert times["cpu"] > 0
