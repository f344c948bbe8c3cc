"""The rows of docs/strength.md: played, continued, tabulated, and written into the page."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.arena.command import command
from benchmarks.arena.measuring import roles
from benchmarks.arena.rows import GROUPS, Group, Row, select
from benchmarks.figures import BEGIN, END

ROOT = Path(__file__).parents[2]
JOBS = ("--jobs", "1")  # each process loads the engine
SETTINGS = ("--player", "random", "--seconds", "0.001", "--start", "0", *JOBS)


def arena(*arguments: str | Path) -> str:
    done = CliRunner().invoke(command, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def nim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one group, whose second row cannot be played."""
    both = [Row("nim", 5, "legal", matches=4, aim=0.6), Row("nowhere/game.kif", 5, "legal")]
    groups = (Group("test", "{player} in a test", both),)
    for module in ("rows", "playing"):
        monkeypatch.setattr(f"benchmarks.arena.{module}.GROUPS", groups)


@pytest.mark.long
@pytest.mark.usefixtures("nim")
def test_a_row_is_played_and_continued(tmp_path: Path) -> None:
    once = (*SETTINGS, "--output", tmp_path, "--row", "test", "--json")
    first, missing = json.loads(arena(*once, "--matches", "2"))
    assert (first["game"], first["games"], first["aim"]) == ("nim", 2, 0.6)
    assert missing == {"game": "game", "aim": None, "note": "needs nowhere/game.kif"}
    kept = (tmp_path / "test" / "nim.jsonl").read_text()
    assert json.loads(arena(*once))[0]["games"] == 4
    assert (tmp_path / "test" / "nim.jsonl").read_text().startswith(kept)
    assert json.loads(arena(*once, "--matches", "2", "--fresh"))[0]["games"] == 2


@pytest.mark.long
@pytest.mark.usefixtures("nim")
def test_the_table_is_written_into_a_page(tmp_path: Path) -> None:
    arena(*SETTINGS, "--output", tmp_path, "--row", "test/nim")
    printed = arena(*SETTINGS, "--output", tmp_path, "--table")
    assert "### random in a test" in printed
    assert "| nim | 4 | " in printed
    assert "needs nowhere/game.kif |" in printed
    page = tmp_path / "page.md"
    page.write_text(f"# Strength\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    arena(*SETTINGS, "--output", tmp_path, "--write", page)
    written = page.read_text()
    assert written.startswith(f"# Strength\n\n{BEGIN}\n`python -m benchmarks.arena")
    assert printed.strip() in written
    assert written.endswith(f"|\n{END}\n\nThe end.\n")
    assert "old" not in written


@pytest.mark.usefixtures("nim")
def test_there_is_no_table_of_what_was_not_played(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [*SETTINGS, "--output", str(tmp_path), "--table"])
    assert done.exit_code == 1
    assert "no row of random was played" in done.output


def test_rows_are_chosen_by_group_and_by_name() -> None:
    (found,) = select(["openspiel10/hex"])
    assert [row.game for row in found.rows] == ["hex"]
    both = select(["alone", "warm/breakthrough"])
    assert [(group.name, len(group.rows)) for group in both] == [("warm", 1), ("alone", 2)]
    with pytest.raises(click.UsageError, match="openspiel10, cold20"):
        select(["hex"])


def test_a_row_has_clocks_of_its_own_unless_others_are_asked_for() -> None:
    (row,) = select(["cold20/tron"])[0].rows
    own = row.contest("auto").pairing
    assert (own.a, own.start, own.seconds, own.clock) == ("auto:keep=false", 20, 0.25, "wall")
    other = row.contest("auto", seconds=0.1, start=5).pairing
    assert (other.start, other.seconds, other.clock) == (5, 0.1, "wall")


def test_the_games_of_the_rows_are_there() -> None:
    for group in GROUPS:
        assert len(group.named()) == len(group.rows)
        for row in group.rows:
            if row.missing is None:
                least = 3 if row.alone or row.against == "maxn" else 2
                assert len(roles(row.game)) >= least


def test_a_quick_row_has_as_much_time_as_its_share_allows() -> None:
    row = Row("connect_four", 40, "openspiel:mcts", time=9, aim=0.9)
    contest = row.quick("legal", share=20.0)
    assert len(contest.tasks) == 1
    assert contest.pairing.b == "openspiel:mcts,time=9"
    # two matches of 40 moves, half of which take nine times as long
    assert 0.5 * 20 < 2 * 20 * 10 * contest.pairing.seconds < 20
    assert row.quick("legal", share=1e6).pairing.seconds == 0.25


@pytest.mark.long
@pytest.mark.usefixtures("nim")
def test_a_quick_run_plays_an_opening_of_each_row() -> None:
    first, missing = json.loads(arena("--quick", "--player", "random", "--json", *JOBS))
    assert (first["game"], first["games"]) == ("nim", 2)
    assert missing["note"] == "needs nowhere/game.kif"


def test_the_page_of_the_docs_has_a_place_for_figures() -> None:
    lines = (ROOT / "docs" / "strength.md").read_text().splitlines()
    assert lines.index(BEGIN) < lines.index(END)
