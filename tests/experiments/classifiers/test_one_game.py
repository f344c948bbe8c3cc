"""`ggp experiment classifiers FILE`: all rules, classifiers and filters on one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.experiments.classifiers import one_game
from ggp.experiments.classifiers.kinds import CLASSIFIERS, draw_bars, fit_to_bars
from ggp.experiments.running.runner import Measured
from ggp.gdl.bundled import find_game
from tests.experiments.conftest import Run

TREE = "P1[(1,2) P2[(0,1) (4,0)] P1[(2,0) (1,1)]]"


def measured(text: str, **options: object) -> list[Measured]:
    chosen = {"nodes": 1_000_000, "depth": None, "transpositions": False, **options}
    tasks = one_game.tasks(name="own", text=text, **chosen)  # type: ignore[arg-type]
    return [Measured(task, one_game.measure(task), 0.0) for task in tasks]


def test_a_tree_is_compared_by_every_rule_and_classifier() -> None:
    report = one_game.report(measured(TREE))
    (table,) = report.tables
    assert table.columns == ("rule", "no pruning", *CLASSIFIERS)
    assert len(table.rows) == len(one_game.RULES)
    assert "found the same value and move" in " ".join(report.notes)
    shallow = dict(zip(table.columns, table.rows[1], strict=True))
    # P1 has 1, and P2 has 1 by its first move: no leaf gives both more.
    assert shallow["no pruning"] == shallow["sum"] == 3
    assert table.numbers("no pruning") == [3.0] * 5


def test_a_search_that_takes_too_much_is_a_dash() -> None:
    report = one_game.report(measured(TREE, nodes=1))
    assert {cell for row in report.tables[0].rows for cell in row[1:]} == {None}
    assert any("did not reach their end within 1 nodes" in note for note in report.notes)


def test_above_a_horizon_the_hull_takes_the_place_of_the_table() -> None:
    report = one_game.report(measured(TREE, depth=1))
    assert report.tables[0].columns == ("rule", "no pruning", "sum", "linear", "hull")


def test_with_chance_the_hull_takes_the_place_of_the_table() -> None:
    rules = find_game("uptoten").read_text()
    found = list(one_game.tasks(name="own", text=rules, nodes=1, depth=None, transpositions=False))
    assert {str(task["classifier"]) for task in found} == {"none", "sum", "linear", "hull"}
    done = [Measured(task, one_game.measure(task), 0.0) for task in found[:2]]
    assert any("The game has chance" in note for note in one_game.report(done).notes)


@pytest.mark.parametrize(
    ("heights", "scale", "lowest"),
    [((40, 30), "linear", 0), ((0.5, 0.25), "linear", 0), ((9_000, 100), "log", 10)],
)
def test_all_bars_can_be_compared(heights: tuple[float, ...], scale: str, lowest: float) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    draw_bars(axes, {"sum": heights}, ["one", "other"])
    fit_to_bars(axes)
    assert (axes.get_yscale(), axes.get_ylim()[0]) == (scale, pytest.approx(lowest))


def test_searches_that_differ_are_told() -> None:
    done = measured(TREE)
    wrong = Measured(done[3].task, {**done[3].result, "goals": [9, 9]}, 0.0)
    notes = one_game.report([*done[:3], wrong, *done[4:]]).notes
    assert any("SEARCHES DIFFER" in note for note in notes)


@pytest.mark.long
def test_it_is_a_command_for_files_trees_and_bundled_games(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.tree").write_text(TREE)
    for file in (tmp_path / "own.tree", "figure6", find_game("centipede")):
        found = run("classifiers", file, "--json", "--plot").json
        assert found["complete"]
        (table,) = found["tables"]
        assert [row["rule"] for row in table["rows"]][1:] == list(one_game.RULES)[1:]


def test_what_cannot_be_read_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.tree").write_text("P1[(1,2) (3)]")
    for file, said in ((tmp_path / "bad.tree", "1 goals"), ("nothing", "no such file")):
        finished = run("classifiers", file)
        assert finished.code == 2
        assert said in finished.err
