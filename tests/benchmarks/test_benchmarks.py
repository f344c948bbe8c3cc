"""The benchmarks run and print figures; the tests do not depend on their values."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from benchmarks.figures import (
    BEGIN,
    END,
    check_page,
    end,
    marks,
    measured,
    of_files,
    write_page,
)
from ggp.cli.common import load_game
from tests.files.disk import full_disk, names

ROOT = Path(__file__).parents[2]
QUICK = ("--seconds", "0.01", "--rounds", "1")


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.reasoners", *QUICK, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.long
def test_the_figures_of_a_game(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(f"# Speed\n\n{BEGIN}\nold figures\n{END}\n\nThe end.\n")
    finished = bench("tictactoe", "--json", "--write", page)
    assert finished.returncode == 0, finished.stderr
    (found,) = json.loads(finished.stdout)
    assert (found["game"], found["facts"], found["moves"]) == ("tictactoe", 20, 20)
    assert 0 < found["depth"] < found["gates"]
    assert 1 < found["branching"] < 9
    for rates in (found["expansions"], found["contract_expansions"], found["playouts"]):
        assert rates["compiled"] > 0
        assert rates["ratio"] == rates["compiled"] / rates["prolog"]  # of the only round
    assert found["share_of_bare"] > 0
    written = page.read_text()
    assert written.startswith(f"# Speed\n\n{BEGIN}\n`python -m benchmarks.reasoners ")
    assert written.endswith(f"|\n{END}\n\nThe end.\n")
    assert "old figures" not in written
    assert written.count("\n| tictactoe | ") == 5


@pytest.mark.long
def test_a_game_that_cannot_be_measured_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text("(role x")
    finished = bench(broken)
    assert finished.returncode == 1
    assert "broken.kif" in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.long
def test_a_page_without_a_place_for_figures_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n")
    finished = bench("tictactoe", "--write", page)
    assert finished.returncode == 2
    assert page.read_text() == "text\n"


def test_a_full_disk_leaves_the_page_as_it_was(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = f"{'text ' * 2000}\n{BEGIN}\nold\n{END}\n"
    page.write_text(text)
    with full_disk(room=4096), pytest.raises(OSError, match="too large") as failed:
        write_page(page, ["new"])
    assert failed.value.filename == str(page)
    assert (page.read_text(), names(tmp_path)) == (text, ["page.md"])


def test_what_was_measured_before_ctrl_c_counts() -> None:
    def work() -> Iterator[int]:
        yield from (1, 2)
        raise KeyboardInterrupt

    assert measured(work()) == ([1, 2], True)
    assert measured(iter([1, 2])) == ([1, 2], False)


def test_the_files_beside_one_that_cannot_be_read_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.kif").write_text("(role x")
    files = ["nim", str(tmp_path / "gone.kif"), str(tmp_path / "broken.kif"), "tictactoe"]
    roles = list(of_files(files, lambda file: len(load_game(file).roles)))
    assert roles == [2, 2]
    gone, broken = capsys.readouterr().err.splitlines()
    assert "gone.kif: no such file" in gone
    assert "this parenthesis is never closed" in broken
    with pytest.raises(click.exceptions.Exit) as ended:
        end(interrupted=False, is_whole=False)
    assert ended.value.exit_code == 2
    end(interrupted=False, is_whole=True)


def test_the_page_of_the_docs_has_a_place_for_figures() -> None:
    lines = (ROOT / "docs" / "speed.md").read_text().splitlines()
    assert lines.index(BEGIN) < lines.index(END)


def test_figures_with_a_name_have_a_place_of_their_own(tmp_path: Path) -> None:
    page, (begin, end) = tmp_path / "page.md", marks("peers")
    assert begin == "<!-- figures of peers: begin -->"
    page.write_text(f"{BEGIN}\nours\n{END}\n\n{begin}\n{end}\n\nThe end.\n")
    write_page(page, ["beside", "others"], name="peers")
    write_page(page, ["alone"])
    assert page.read_text() == (
        f"{BEGIN}\nalone\n{END}\n\n{begin}\nbeside\nothers\n{end}\n\nThe end.\n"
    )
    check_page(page, name="peers")
    with pytest.raises(click.UsageError, match="figures of others: begin"):
        check_page(page, name="others")
