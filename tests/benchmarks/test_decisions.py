"""The benchmark of decisions: labels are exact, and choices are judged by them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.decisions import Choices, Position, label, main, reached
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Minimax


def opened(game: str) -> CompiledReasoner:
    return CompiledReasoner(Description.load(game))


def labelled(reasoner: CompiledReasoner, *numbers: int) -> list[Position]:
    return list(label(reasoner, numbers, least=2, seed=1, memory=1))


def test_labels_are_the_values_of_plain_minimax() -> None:
    reasoner = opened("tictactoe")
    graph = GameGraph(reasoner)
    for position in labelled(reasoner, 0, 1, 2, 3, 4):
        state = reached(reasoner, position)
        assert len(position.moves) >= 2
        legal = reasoner.view(state).legal
        assert set(position.values) == {str(move) for move in legal[position.role]}
        found = Minimax(graph, role=position.role).run(graph.node(state))
        assert found.value == position.value
        assert found.move is not None
        assert position.values[str(found.move)] == position.value


def test_a_position_depends_on_its_number_alone() -> None:
    reasoner = opened("tictactoe")
    assert labelled(reasoner, 0, 1, 2)[2] == labelled(reasoner, 2)[0]


def test_only_games_for_two_who_take_turns_are_labelled() -> None:
    with pytest.raises(GgpError, match="two players"):
        labelled(opened("lightsout"), 0)
    with pytest.raises(GgpError, match="take turns"):
        labelled(opened("rockpaperscissors"), 0)


def run(*arguments: str) -> list[Choices]:
    found = CliRunner().invoke(main, [*arguments, "--json"], catch_exceptions=False)
    return [Choices(**each) for each in json.loads(found.stdout)]


def test_choices_are_judged_and_labels_kept(tmp_path: Path) -> None:
    arguments = (
        "--game",
        "tictactoe",
        "--least",
        "2",
        "--seconds",
        "30",
        "--folder",
        str(tmp_path),
    )
    players = ("--player", "alphabeta", "--player", "legal")
    (exact,) = run(*arguments, "--player", "alphabeta", "--positions", "3")
    assert exact.score == 1
    (file,) = tmp_path.iterdir()
    first = file.read_text()
    exact, careless = run(*arguments, *players, "--positions", "12")
    assert file.read_text().startswith(first)
    assert len(file.read_text().splitlines()) == exact.positions == careless.positions == 12
    assert exact.score == 1
    assert sum(careless.lost.values()) == 12 - careless.right > 0
    assert careless.right_in_hard == careless.hard - (12 - careless.right)
