"""The benchmark of decisions: labels are exact, and choices are judged by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.decisions import Labelled, Labels, command
from ggp.errors import GameError, GgpError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Minimax
from tests.search.every import in_python


def opened(game: str) -> CompiledReasoner:
    return CompiledReasoner(Description.load(game))


def labelled(reasoner: CompiledReasoner, *numbers: int) -> list[Labelled]:
    labels = Labels(reasoner, memory=1)
    return [labels.draw(number, least=2, seed=1) for number in numbers]


def test_labels_are_the_values_of_plain_minimax() -> None:
    reasoner = opened("tictactoe")
    graph = GameGraph(reasoner)
    decisions = list(labelled(reasoner, *range(5)))
    assert decisions
    for found in decisions:
        # a mark is made with each joint move, and two are made before
        marks = [fact for fact in reasoner.facts(found.position.state) if " b)" not in str(fact)]
        assert len(marks) - 1 >= 2
        assert list(found.values) == list(found.position.view.legal[found.role])
        exact = in_python(graph, Minimax, role=found.role).run(graph.node(found.position.state))
        assert exact.value == found.value
        assert exact.move is not None
        assert found.values[exact.move] == found.value


def test_a_position_depends_on_its_number_alone() -> None:
    reasoner = opened("tictactoe")
    assert labelled(reasoner, 0, 1, 2)[2] == labelled(reasoner, 2)[0]


def test_only_games_for_two_who_take_turns_are_labelled() -> None:
    with pytest.raises(GgpError, match="two players"):
        labelled(opened("lightsout"), 0)
    with pytest.raises(GgpError, match="take turns"):
        labelled(opened("rockpaperscissors"), 0)


def test_a_game_that_is_too_short_is_refused() -> None:
    labels = Labels(opened("tictactoe"), memory=1)
    with pytest.raises(GameError, match="after 9 joint moves"):
        labels.draw(0, least=9, seed=1)


def run(folder: Path, *players: str, deals: int) -> dict[str, list[dict[str, Any]]]:
    arguments = ["--game", "tictactoe", "--least", "2", "--seconds", "30", "--jobs", "1"]
    arguments += ["--deals", str(deals), "--output", str(folder), "--json"]
    for player in players:
        arguments += ["--player", player]
    ran = CliRunner().invoke(command, arguments, catch_exceptions=False)
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["complete"]
    return {table["title"]: table["rows"] for table in found["tables"]}


@pytest.mark.long
def test_choices_are_judged_and_kept(tmp_path: Path) -> None:
    run(tmp_path, "alphabeta", deals=2)
    kept = (tmp_path / "measured.jsonl").read_text()
    found = run(tmp_path, "alphabeta", "legal", deals=6)
    assert (tmp_path / "measured.jsonl").read_text().startswith(kept)
    exact, careless = found["decisions"]
    assert exact["positions"] == careless["positions"] == 6
    assert exact["kept %"] == 100
    wrong = 6 * (100 - careless["kept %"]) / 100
    assert sum(row["choices"] for row in found["losses"]) == pytest.approx(wrong)
    assert wrong > 0
    assert careless["hard"] * (100 - careless["kept % of hard"]) / 100 == pytest.approx(wrong)
