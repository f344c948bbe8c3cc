"""The count of what is proved of games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.authoring.proofs import main


def run(*files: str, rows: Path, seconds: int = 1) -> list[dict[str, Any]]:
    arguments = [*files, "--rows", str(rows), "--seconds", str(seconds), "--json"]
    ran = CliRunner().invoke(main, arguments, catch_exceptions=False)
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    return found


@pytest.mark.long
def test_a_run_continues_from_the_results_of_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    [first] = run("nim", rows=path)
    assert first["proved"] > 0
    kept = path.read_text()
    again, other = run("nim", "centipede", rows=path)
    # The seconds tell that it was not measured again.
    assert again == first
    assert path.read_text().startswith(kept)
    assert (other["game"], len(path.read_text().splitlines())) == ("centipede", 2)


@pytest.mark.long
def test_other_rules_and_other_times_are_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    for folder, source in (("a", "nim"), ("b", "centipede")):
        (tmp_path / folder).mkdir()
        sheet = Path(__file__).parents[3] / "ggp" / "games" / f"{source}.kif"
        (tmp_path / folder / "game.kif").write_text(sheet.read_text())
        run(str(tmp_path / folder / "game.kif"), rows=path)
    run(str(tmp_path / "b" / "game.kif"), rows=path, seconds=4)
    assert len(path.read_text().splitlines()) == 3
