"""`ggp check`, as people and programs use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp.cli.rules.check import command
from tests.gdl.sheets import GAME, LINES, with_line


def run(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(command, list(map(str, arguments)), input=text)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.kif"
    path.write_text(GAME, encoding="utf-8")
    return path


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.kif"
    path.write_text(with_line("(<= (less ?m ?größe) (succ ?m 2))"), encoding="utf-8")
    return path


def test_a_clean_game_ends_with_code_0(clean: Path) -> None:
    result = run(clean)
    assert result.exit_code == 0
    assert result.output == "0 errors, 0 warnings in 1 file\n"


def test_an_error_is_shown_with_its_place_and_ends_with_code_1(clean: Path, faulty: Path) -> None:
    result = run(clean, faulty)
    assert result.exit_code == 1
    place = f"{faulty}:{LINES + 1}:14"
    lines = result.output.splitlines()
    error = next(n for n, line in enumerate(lines) if "error[unsafe-variable]" in line)
    assert lines[error].startswith(f"{place}: error[unsafe-variable]: `?größe` stands in the head")
    assert lines[error + 1] == "    (<= (less ?m ?größe) (succ ?m 2))"
    assert lines[error + 2] == " " * (4 + 13) + "^"
    assert lines[error + 3].strip()
    assert lines[-1] == "1 error, 1 warning in 2 files"


def test_a_warning_alone_ends_with_code_0() -> None:
    result = run("-", text=with_line("(succ 3 four!)"))
    assert result.exit_code == 0
    assert f"<stdin>:{LINES + 1}:9: warning[odd-characters]" in result.output


def test_programs_get_one_list(clean: Path, faulty: Path) -> None:
    result = run("--json", clean, faulty)
    assert result.exit_code == 1
    findings = json.loads(result.stdout)
    assert [finding["code"] for finding in findings] == ["odd-characters", "unsafe-variable"]
    for finding in findings:
        assert finding.keys() == {
            "file", "line", "column", "severity", "code", "message", "hint",
        }  # fmt: skip
        assert (finding["file"], finding["line"]) == (str(faulty), LINES + 1)
    assert json.loads(run("--json", clean).stdout) == []


def test_a_bundled_game_may_be_named() -> None:
    assert run("tictactoe").exit_code == 0


def test_an_unreadable_file_ends_with_code_2(tmp_path: Path, faulty: Path) -> None:
    assert run(faulty, tmp_path / "nowhere.kif").exit_code == 2
    assert run(tmp_path).exit_code == 2
    assert run().exit_code == 2
