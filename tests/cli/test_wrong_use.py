"""Wrong use of a command ends with exit code 2 and one line that explains it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ggp.cli.commands import COMMANDS
from tests.cli.command import GGP, Finished, ggp
from tests.cli.conftest import Here

#: The commands whose argument is the game.
ON_GAMES = ["show", "perft", "playouts", "lvt", "solve"]


def is_one_line(finished: Finished, *, code: int = 2) -> bool:
    assert finished.out == ""
    assert "Traceback" not in finished.err
    assert finished.err.startswith("ggp: ")
    return finished.code == code and finished.err.count("\n") == 1


@pytest.mark.parametrize("command", ["check", *ON_GAMES])
def test_a_file_that_is_not_there(here: Here, command: str) -> None:
    finished = here(command, "nowhere.kif")
    assert is_one_line(finished)
    assert finished.err == (
        "ggp: nowhere.kif: no such file, and no bundled game of this name; `ggp games` lists them\n"
    )


@pytest.mark.parametrize("command", ["check", *ON_GAMES])
def test_a_folder_instead_of_a_file(here: Here, command: str, tmp_path: Path) -> None:
    finished = here(command, tmp_path)
    assert is_one_line(finished)
    assert finished.err == f"ggp: {tmp_path}: is a folder\n"


@pytest.mark.parametrize("command", ON_GAMES)
@pytest.mark.parametrize("as_json", [True, False])
def test_text_that_is_no_kif(here: Here, command: str, as_json: bool, tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text("(role x)\n(<= (p ?x\n")
    finished = here(command, path, *["--json"] * as_json)
    assert is_one_line(finished)
    assert finished.err == (
        f"ggp: {path}:2:5: this parenthesis is never closed (add 2 closing parentheses)\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(init x)", "<stdin>:1:1: the game has no role"),
        ("", "<stdin>:1:1: the game has no role"),
        ("(role x)\n(<=)", "<stdin>:2:1: a rule without a head"),
        ("(" * 10_000, "<stdin>:1:201: parentheses nest deeper than 200"),
        ("(role x\0)", "<stdin>:1:8: no symbol may hold this character"),
    ],
)
def test_text_that_is_no_game(here: Here, text: str, said: str) -> None:
    finished = here("show", "-", stdin=text.encode())
    assert is_one_line(finished)
    assert said in finished.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perft"], "Missing argument 'FILE'"),
        (["perft", "nim", "--depth", "-1"], "--depth"),
        (["perft", "nim", "--depth", "deep"], "--depth"),
        (["perft", "nim", "--seconds", "0"], "--seconds"),
        (["perft", "nim", "--max-states", "0"], "--max-states"),
        (["perft", "nim", "--reasoner", "oracle"], "--reasoner"),
        (["perft", "nim", "chess"], "unexpected extra argument"),
        (["playouts", "nim", "--no-such-option"], "No such option"),
        (["no-such-command"], "No such command"),
        (["chek"], "No such command 'chek'; did you mean 'check'?"),
        (["--no-such-option"], "No such option"),
        (["show", "x" * 5000], "File name too long"),
        (["show", "two\nlines"], "two lines: no such file"),
    ],
)
def test_arguments_that_make_no_sense(here: Here, arguments: list[str], said: str) -> None:
    finished = here(*arguments)
    assert is_one_line(finished)
    assert said in finished.err


def test_a_process_of_its_own_ends_the_same_way(tmp_path: Path) -> None:
    for arguments in (["show", "nowhere.kif"], ["show", "-"], ["no-such-command"]):
        assert is_one_line(ggp(*arguments, stdin=b"(role x", cwd=tmp_path))


def test_a_closed_standard_input() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *GGP, "show", "-"], capture_output=True, check=False
    )
    assert is_one_line(Finished(done.returncode, done.stdout.decode(), done.stderr.decode()))


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "soon"])
@pytest.mark.parametrize("command", ["perft", "playouts", "solve", "lvt"])
def test_seconds_are_finite(here: Here, command: str, seconds: str) -> None:
    finished = here(command, "nim", "--seconds", seconds)
    assert is_one_line(finished)
    assert "--seconds" in finished.err


@pytest.mark.parametrize("command", ["show", "perft", "playouts"])
def test_without_prolog_it_says_how_to_get_it(
    here: Here, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("LIBSWIPL_PATH", raising=False)
    finished = here(command, "nim", "--reasoner", "prolog")
    assert is_one_line(finished)
    assert "apt-get install swi-prolog-nox" in finished.err
    assert "brew install swi-prolog" in finished.err


def test_without_prolog_there_is_machine_code(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("LIBSWIPL_PATH", raising=False)
    finished = here("perft", "nim", "--json")
    assert (finished.code, finished.err) == (0, "")
    assert finished.json["complete"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("command", "rules", "said"),
    [
        ("perft", "(role x) (init (cell ?any))", "a fact or move is not ground: (cell ?)"),
        (
            "playouts",
            "(role x) (init i)",
            "x: no legal move in a state that is not terminal: ( i ); `ggp prove` shows a play",
        ),
    ],
)
def test_a_game_that_misbehaves_is_no_wrong_use(
    here: Here, command: str, rules: str, said: str
) -> None:
    finished = here(command, "-", stdin=rules.encode())
    assert is_one_line(finished, code=1)
    assert said in finished.err


def test_without_a_command_it_shows_them_all(here: Here) -> None:
    finished = here()
    assert (finished.code, finished.out) == (2, "")
    assert all(f"\n  {command} " in finished.err for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(here: Here, command: str) -> None:
    finished = here(command, "--help")
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.startswith(f"Usage: ggp {command} [OPTIONS]")
    assert here(command, "-h") == finished


def test_it_tells_its_version() -> None:
    finished = ggp("--version")
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.startswith("ggp, version ")


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor"],
        ["--help"],
        ["check", "nim", "--json"],
        ["show", "nim", "--seconds", "0", "--compile-seconds", "0"],
        ["perft", "nim"],
        ["perft", "nim", "--json"],
    ],
)
def test_output_that_cannot_be_written(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*GGP, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    said = "ggp: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)
