"""`ggp draw`: a state on the terminal, as JSON and as a picture."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.conftest import Here

PROLOG = ("--reasoner", "prolog")


def test_the_state_after_moves_is_drawn_with_what_is_legal(here: Here) -> None:
    done = here("draw", "tictactoe", "--move", "(place 1 3) noop", *PROLOG)
    assert (done.code, done.err) == (0, "")
    *board, across, first, second = done.out.splitlines()
    # The first coordinate goes to the right, the second one upwards.
    assert [row.split()[:2] for row in board] == [["3", "x"], ["2"], ["1"]]
    assert across.split() == ["1", "2", "3"]
    assert first == "x: noop"
    assert second.startswith("o: (place 1 1), (place 1 2), (place 2 1)")


def test_a_state_without_a_board_is_a_list_of_facts_and_an_end_has_goals(here: Here) -> None:
    done = here("draw", "nim", "--json", *PROLOG)
    assert done.json["steps"] == 0
    moves: list[str] = []
    while not (told := here("draw", "nim", "--json", *PROLOG, *moves).json)["terminal"]:
        joint = " ".join(legal[-1] for legal in told["legal"].values())
        moves += ["--move", joint]
    done = here("draw", "nim", *PROLOG, *moves)
    facts, *goals = done.out.splitlines()
    assert facts.split(") (")[0].startswith("(")
    assert sorted(goal.split(": ")[1] for goal in goals) == ["0", "100"]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("(place 9 9) noop", "joint move 1: x may not do (place 9 9)"),
        ("(place 1 1)", "joint move 1: "),
        ("(place 1 1", "--move:1:1: "),
    ],
)
def test_a_move_that_is_not_legal_is_told(here: Here, move: str, said: str) -> None:
    done = here("draw", "tictactoe", "--move", move, *PROLOG)
    assert done.code in (1, 2)
    assert done.out == ""
    assert done.err.startswith("ggp: ")
    assert said in done.err


@pytest.mark.long
def test_a_picture_is_written(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "state.svg"
    done = here("draw", "tictactoe", "-o", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"wrote {path}\n")
    assert path.read_text().startswith("<svg ")
    done = here("draw", "tictactoe", "-o", tmp_path / "no" / "state.svg")
    assert (done.code, done.out) == (2, "")


@pytest.mark.long
def test_a_picture_is_what_the_author_declares(here: Here, tmp_path: Path) -> None:
    rules, path = tmp_path / "doors.kif", tmp_path / "state.svg"
    bundled = Path(str(files("ggp"))) / "games" / "montyhall.kif"
    rules.write_text(bundled.read_text())
    here("draw", rules, "-o", path)
    assert ">door 1<" not in path.read_text()
    rules.with_suffix(".json").write_text(bundled.with_suffix(".json").read_text())
    here("draw", rules, "-o", path)
    assert ">door 1<" in path.read_text()
    rules.with_suffix(".json").write_text('{"table": ["door"]}')
    assert here("draw", rules, "-o", path).err.startswith("ggp: drawing:1:12: table")
