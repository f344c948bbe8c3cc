"""Matches between players that differ in one thing: the pairings, and the statistics."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import classifiers, evaluations
from benchmarks.arena.matches import opening
from benchmarks.arena.position import Position
from ggp.experiments.running.runner import Measured
from ggp.match import make_player
from ggp.players.deepening import Deepening

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("options", evaluations.EVALUATIONS.values())
def test_the_evaluations_are_options_of_the_players(options: str) -> None:
    given = {name: float(value) for name, value in (one.split("=") for one in options.split(","))}
    for name in ("alphabeta", "maxn"):
        player = make_player(f"{name}:{options}")
        assert isinstance(player, Deepening)
        assert player._weights == {"count": player._weights["count"], **given}


@pytest.mark.long
def test_each_opening_is_played_by_both_from_every_seat() -> None:
    tasks = list(
        evaluations.tasks(
            deals=2,
            seed=1,
            games=["tictactoe", "triad"],
            seconds=0.001,
            challengers=["playouts"],
            baseline="mobility",
        )
    )
    assert len(tasks) == 4
    results = [evaluations.measure(task) for task in tasks]
    assert [result["matches"] for result in results] == [2, 6, 2, 6]
    # in a game for two roles, the goals add up to 100
    assert results[0]["challenger"] + results[0]["baseline"] == pytest.approx(100)
    # the same task gives the same openings
    begin = Position.initial(evaluations._reasoner("tictactoe"))
    states = {opening(begin, random.Random("1 0 x"), moves=4).state for _ in range(3)}
    assert len(states) == 1


def test_the_report_has_gains_with_their_errors() -> None:
    task = {"challenger": "playouts", "game": "nim"}
    pairs = ((100.0, 0.0), (50.0, 50.0))
    measured = [Measured(task, {"challenger": a, "baseline": b}, 1.0) for a, b in pairs]
    (table,) = evaluations.report(measured).tables
    assert table.rows == (
        ("playouts", "all", 2, 50.0, 50.0),
        ("playouts", "nim", 2, 50.0, 50.0),
    )


@pytest.mark.long
@pytest.mark.parametrize("against", ["sum", "paranoid"])
def test_the_table_is_played_against_another_search(against: str) -> None:
    (task,) = classifiers.tasks(
        deals=1, seed=1, games=["triad"], players="3", seconds=0.001, against=against
    )
    result = classifiers.measure(task)
    assert result["matches"] == 6
    assert 0 <= result["wins"] <= 6
    (table,) = classifiers.report([Measured(task, result, 1.0)]).tables
    assert table.column("game") == ["triad", "all"]
    assert table.numbers("wins %") == pytest.approx([100 * result["wins"] / 6] * 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("evaluations", ["--game", "tictactoe", "--challenger", "goals"]),
        ("classifiers", ["--game", "triad"]),
    ],
)
def test_the_benchmarks_measure_in_processes_of_their_own(
    tmp_path: Path, name: str, options: list[str]
) -> None:
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    command += ["--deals", "1", "--seconds", "0.001", "--jobs", "1"]
    command += ["--output", str(tmp_path), "--no-plot"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "of measuring" in done.stdout
