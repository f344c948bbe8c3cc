"""`ggp check`, as people and programs use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp.cli.rules.check import command
from ggp.errors import KifError, ReasonerMemory
from ggp.kif import parse
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


def test_strict_counts_warnings(clean: Path) -> None:
    assert run("--strict", clean).exit_code == 0
    result = run("--strict", "-", text=with_line("(succ 3 four!)"))
    assert result.exit_code == 1
    assert result.output.endswith("0 errors, 1 warning in 1 file\n")


def test_warnings_can_be_ignored_by_their_code() -> None:
    text = with_line("(succ 3 four!) (<= (spare ?n) (succ ?n 2))")
    result = run("--strict", "--ignore", "odd-characters", "--json", "-", text=text)
    assert [finding["code"] for finding in json.loads(result.stdout)] == ["unused-relation"]
    result = run(
        "--strict", "--ignore", "odd-characters", "--ignore", "unused-relation", "-", text=text
    )
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("odd-charcters", "did you mean odd-characters?"),
        ("nonsense", "docs/checks.md lists all findings"),
        ("unsafe-variable", "only warnings can be ignored"),
    ],
)
def test_what_cannot_be_ignored_is_wrong_use(code: str, says: str) -> None:
    result = run("--ignore", code, "-", text=GAME)
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_fix_is_one_more_key() -> None:
    (finding,) = json.loads(run("--json", "-", text=with_line("(succ 3 (four))")).stdout)
    line = LINES + 1
    assert finding["fix"] == {
        "line": line, "column": 9, "end_line": line, "end_column": 15, "text": "four",
    }  # fmt: skip


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


def test_an_unreadable_file_ends_with_code_2_and_hides_no_finding(
    tmp_path: Path, faulty: Path, clean: Path
) -> None:
    found = run(faulty, tmp_path / "nowhere.kif", clean)
    assert found.exit_code == 2
    assert "error[unsafe-variable]" in found.stdout
    assert "1 error, 1 warning in 2 files\n" in found.stdout
    assert "nowhere.kif: no such file" in found.stderr
    found = run("--json", faulty, tmp_path / "nowhere.kif")
    assert found.exit_code == 2
    assert len(json.loads(found.stdout)) == 2
    assert run(tmp_path).exit_code == 2
    assert run().exit_code == 2


def test_a_prover_that_fails_hides_no_finding(
    faulty: Path, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ReasonerMemory("too large")

    monkeypatch.setattr("ggp.prove.prove", fail)
    found = run("--prove", "1", clean, faulty)
    assert found.exit_code == 2
    assert "error[unsafe-variable]" in found.stdout
    assert f"{clean}: too large" in found.stderr


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil\x1b[31m.kif"
    for rules in (
        "(role \x1b[2Jx)",
        "(role x) (p ?x) ; \x1b]0;title\x07",
        "(role \x9b2Jx)",
        "(\x1b",
    ):
        path.write_text(rules, encoding="utf-8")
        found = run(path)
        assert found.exit_code == 1
        assert not set(found.output) & set(map(chr, (*range(10), *range(11, 32), *range(127, 160))))
    with pytest.raises(KifError, match="no symbol may hold this character"):
        parse("(role \x1b)")


def test_a_text_of_many_megabytes_is_refused_at_once() -> None:
    found = run("-", text="(p 1)\n" * 1_000_000)
    assert found.exit_code == 1
    assert (
        "<stdin>:1:1: error[syntax]: the text is longer than 5,000,000 characters" in found.output
    )
