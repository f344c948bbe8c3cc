"""A tournament that is killed and resumed ends as one that was never killed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ggp.match import MatchRecord
from ggp.tournament import Store
from tests.tournament.killing import play_in_pieces, play_whole
from tests.tournament.postgresql import Server

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what is left of a process is looked up in /proc"
)

CLOCKS = ("--start-clock", "60", "--play-clock", "30")


def moves(folder: Path) -> list[list[list[str]]]:
    """The moves of every match, in the order of the fixtures."""
    store = Store.open(folder)
    records = [MatchRecord.from_json(text) for _, text in store.records()]
    store.close()
    assert not any("".join(errors) for record in records for errors in record.errors)
    return [[list(map(str, joint_move)) for joint_move in record.moves] for record in records]


def check(
    folder: Path, options: list[str], *, kills: list[int], matches: int, database: str | None = None
) -> None:
    whole, pieces = folder / "whole" / "cup", folder / "pieces" / "cup"
    options = [*options, *CLOCKS, "--seed", "7"]
    never_killed = play_whole(whole, *options, "--jobs", "3")
    options += ["--database", database] if database else []
    killed = play_in_pieces(pieces, options, kills=kills, seed=1)
    assert killed == never_killed
    assert killed["finished"]
    assert killed["played"] == matches
    assert moves(pieces) == moves(whole)
    assert (pieces / "standings.csv").read_text() == (whole / "standings.csv").read_text()


@pytest.mark.long
def test_twelve_matches_killed_twice(tmp_path: Path) -> None:
    options = ["--game", "tictactoe", "--game", "nim", *["--player", "random"] * 3]
    check(tmp_path, options, kills=[2, 6], matches=12)


@pytest.mark.long
def test_twelve_matches_on_a_server_killed_twice(tmp_path: Path, postgresql: Server) -> None:
    options = ["--game", "tictactoe", "--game", "nim", *["--player", "random"] * 3]
    check(tmp_path, options, kills=[2, 6], matches=12, database=postgresql.url)


@pytest.mark.long
def test_two_hundred_matches_killed_five_times(tmp_path: Path) -> None:
    players = ["--player", "random"] * 4 + ["--player", "legal"]
    options = ["--game", "tictactoe", "--game", "nim", *players, "--rounds", "5", "--scramble"]
    check(tmp_path, options, kills=[0, 40, 41, 110, 190], matches=200)


@pytest.mark.long
def test_a_swiss_tournament_killed_three_times(tmp_path: Path) -> None:
    options = ["--game", "hexapawn", "--game", "triad", *["--player", "random"] * 7]
    options += ["--system", "swiss", "--rounds", "6"]
    check(tmp_path, options, kills=[3, 10, 20], matches=3 * 6 + 3 * 6)
