from __future__ import annotations

import json

from click.testing import CliRunner

from benchmarks.puzzles import main


def test_puzzles_are_solved_and_other_games_left_out() -> None:
    found = CliRunner().invoke(main, ["lightsout", "nim", "walk", "--json"])
    assert found.exit_code == 0, found.output
    lightsout, walk = json.loads(found.output)
    assert (lightsout["game"], walk["game"]) == ("lightsout", "walk")
    for solved in (lightsout, walk):
        assert (solved["goal"], solved["highest"], solved["is_proven"]) == (100, 100, True)
    assert walk["moves"] == 14
    printed = CliRunner().invoke(main, ["walk"]).output
    assert "100 of 100" in printed
