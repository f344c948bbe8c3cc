"""`ggp format`: which files it writes, what it says, and how it refuses."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import GGP, ggp
from tests.cli.conftest import Here, here

__all__ = ["here"]  # the fixture

MESSY = "(role  x)\n(<= terminal (true (step 3))) ; so soon\n"
TIDY = "(role x)\n(<= terminal\n    (true (step 3))) ; so soon\n"
GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.kif"))


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.kif"
    path.write_text(MESSY)
    return path


@pytest.fixture
def tidy(tmp_path: Path) -> Path:
    path = tmp_path / "tidy.kif"
    path.write_text(TIDY)
    os.utime(path, ns=(1, 1))
    return path


def test_the_bundled_games_have_the_layout(here: Here) -> None:
    done = here("format", "--check", *GAMES)
    assert (done.code, done.err, done.out) == (0, "", f"0 of {len(GAMES)} would change\n")


def test_in_place(here: Here, messy: Path, tidy: Path) -> None:
    messy.chmod(0o640)
    done = here("format", messy, tidy)
    assert (done.code, done.err, done.out) == (0, "", f"formatted {messy}\n1 of 2 changed\n")
    assert messy.read_text() == TIDY
    assert stat.S_IMODE(messy.stat().st_mode) == 0o640
    assert tidy.stat().st_mtime_ns == 1
    assert here("format", messy).out == "0 of 1 changed\n"
    assert sorted(path.name for path in messy.parent.iterdir()) == ["messy.kif", "tidy.kif"]


def test_a_link_stays_and_its_target_is_formatted(here: Here, messy: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.kif"
    link.symlink_to(messy)
    assert here("format", link).code == 0
    assert link.is_symlink()
    assert messy.read_text() == TIDY


def test_check(here: Here, messy: Path, tidy: Path) -> None:
    done = here("format", "--check", messy, tidy)
    assert (done.code, done.err) == (1, "")
    assert done.out == f"would format {messy}\n1 of 2 would change\n"
    assert here("format", "--check", tidy).code == 0
    assert messy.read_text() == MESSY


def test_stdout(here: Here, messy: Path, tidy: Path) -> None:
    done = here("format", "--stdout", messy, tidy)
    assert (done.code, done.err, done.out) == (0, "", TIDY + TIDY)
    assert messy.read_text() == MESSY


def test_a_diff_is_one_that_patch_takes(here: Here, tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(MESSY + "(last  line)")
    done = ggp("format", "--diff", "game.kif", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("--- a/game.kif\n+++ b/game.kif\n@@")
    assert "\n-(last  line)\n\\ No newline at end of file\n" in done.out
    patched = subprocess.run(
        ["git", "apply", "-"],
        cwd=tmp_path,
        input=done.out.encode(),
        capture_output=True,
        check=False,
    )
    assert patched.returncode == 0, patched.stderr
    assert (tmp_path / "game.kif").read_text() == TIDY + "(last line)\n"


def test_a_diff_may_be_checked_too(here: Here, messy: Path, tidy: Path) -> None:
    done = here("format", "--check", "--diff", messy, tidy)
    assert (done.code, done.out.count("--- ")) == (1, 1)
    assert here("format", "--check", "--diff", tidy).code == 0


def test_standard_input(here: Here) -> None:
    done = here("format", "-", stdin=MESSY.encode())
    assert (done.code, done.err, done.out) == (0, "", TIDY)
    assert here("format", "-", "--check", stdin=MESSY.encode()).code == 1
    failed = here("format", "-", stdin=b"(role x")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err.startswith("ggp: <stdin>:1:1: this parenthesis is never closed")


def test_json(here: Here, messy: Path, tidy: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.kif"
    bad.write_text("(")
    done = here("format", "--json", "--stdout", messy, tidy, bad)
    assert done.code == 2
    first, second, third = done.json["files"]
    assert first == {"file": str(messy), "changed": True, "text": TIDY}
    assert second == {"file": str(tidy), "changed": False, "text": TIDY}
    assert third["file"] == str(bad)
    assert third["error"].startswith(f"{bad}:1:1: this parenthesis")
    done = here("format", "--json", "--check", "--diff", messy)
    assert done.code == 1
    assert done.json["files"][0]["diff"].startswith("--- ")


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("content", "after"),
    [
        ("\ufeff(role  é)".encode(), "\ufeff(role é)\n".encode()),
        ("(role  é) ; ü".encode("latin-1"), "(role é) ; ü\n".encode("latin-1")),
        (b"(role  x)\r\n(role o) ; \t \r\n", b"(role x)\r\n(role o) ;\r\n"),
        (b"", b""),
    ],
)
@pytest.mark.parametrize("in_place", [True, False])
def test_the_encoding_and_the_line_ends_stay(
    content: bytes, after: bytes, in_place: bool, tmp_path: Path
) -> None:
    path = tmp_path / "game.kif"
    path.write_bytes(content)
    done = subprocess.run(
        [*GGP, "format", path, *["--stdout"] * (not in_place)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert (path.read_bytes() if in_place else done.stdout) == after


def test_what_is_no_kif_is_left_and_the_others_are_formatted(
    here: Here, messy: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.kif"
    bad.write_text("(role x\n")
    done = here("format", bad, tmp_path / "none.kif", messy, tmp_path)
    assert done.code == 2
    assert done.out == f"formatted {messy}\n1 of 4 changed\n"
    assert done.err.splitlines() == [
        f"ggp: {bad}:1:1: this parenthesis is never closed (add 1 closing parenthesis)",
        f"ggp: {tmp_path / 'none.kif'}: no such file, and no bundled game of this name; "
        "`ggp games` lists them",
        f"ggp: {tmp_path}: is a folder",
    ]
    assert bad.read_text() == "(role x\n"


def test_a_bundled_game_is_not_written_by_its_bare_name(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = here("format", "nim")
    assert (done.code, done.out) == (2, "0 of 1 changed\n")
    assert done.err == (
        "ggp: nim: comes with the program; print it with --stdout, or give the name of a copy\n"
    )
    assert here("format", "nim", "--check").code == 0


def test_a_file_that_is_read_only_says_so(messy: Path) -> None:
    messy.chmod(0o444)
    if os.access(messy, os.W_OK):
        pytest.skip("this user may write every file")
    done = ggp("format", messy)
    assert (done.code, done.err) == (2, f"ggp: {messy}: Permission denied\n")


@pytest.mark.parametrize(
    "arguments",
    [("--stdout", "--check", "nim"), ("--stdout", "--diff", "nim"), ("-", "nim.kif"), ()],
)
def test_wrong_use(here: Here, arguments: tuple[str, ...]) -> None:
    done = here("format", *arguments, stdin=b"(p)")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("ggp: ")
    assert done.err.count("\n") == 1
