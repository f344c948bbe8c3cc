"""`ggp learn` as its users call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ggp.cli.learning.learn import command
from ggp.search import ValueNet


def test_it_writes_a_network_that_players_take(tmp_path: Path) -> None:
    target = tmp_path / "net.npz"
    arguments = ["tictactoe", "--plies", "3000", "--net", str(target), "--json"]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["plies"] >= 3000
    assert found["net"] == str(target)
    assert len(ValueNet.load(target).roles) == 2


def test_the_game_names_the_file_and_the_last_line_says_how_to_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, ["tictactoe", "--seconds", "0.2"])
    assert done.exit_code == 0, done.output
    assert "alphabeta:net=tictactoe.npz" in done.stdout
    assert (tmp_path / "tictactoe.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--hidden", "40"], "give a multiple of 32"),
        (["nosuchgame"], "nosuchgame"),
    ],
)
def test_wrong_use_is_explained(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 2
    assert message in done.output
