from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compiling.__main__ import Compiled, measure, summary
from ggp.gdl.bundled import find_game


@pytest.mark.long
def test_a_game_is_measured_stage_by_stage() -> None:
    found = measure(find_game("tictactoe"), seconds=300)
    assert found.error == ""
    assert found.gates > 100
    assert found.peak_bytes > 1 << 20
    assert {"load", "ground", "circuit", "table", "first answer", "machine code"} <= set(found.cpu)
    later = {"program", "text", "machine code"}
    until = sum(seconds for stage, seconds in found.cpu.items() if stage not in later)
    assert until == pytest.approx(found.cpu_seconds, abs=0.3)


@pytest.mark.long
def test_a_game_that_cannot_be_compiled_says_why(tmp_path: Path) -> None:
    path = tmp_path / "endless.kif"
    path.write_text(
        "(role a) (init (p z)) (<= (next (p (s ?x))) (true (p ?x))) (legal a wait)"
        "(goal a 0) (<= terminal (true (p none)))"
    )
    assert "nest without end" in measure(path, seconds=300).error


def test_the_summary_counts_games_that_are_fast() -> None:
    games = [
        Compiled("one", 1.0, 1.5, 5 << 20, {}, gates=7),
        Compiled("two", 3.0, 2.0, 9 << 20, {}, gates=9),
        Compiled("three", 0.0, 60.0, 0, {}, error="stopped after 60 s"),
    ]
    assert dict(summary(games)) == {
        "games": "3",
        "compiled": "2",
        "in less than 2 s of CPU time": "33%",
        "median": "3.00 s",
        "longest": "3.0 s (two)",
        "most memory": "9 MB (two)",
    }
