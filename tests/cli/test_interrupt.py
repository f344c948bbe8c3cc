"""Ctrl-C prints what was found so far; a reader that closes the pipe causes no complaint."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.command import GGP, ggp, interrupted, running, start
from tests.cli.test_perft import SLOW
from tests.processes import descendants
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION

#: The limit is one second; the rest is for a busy machine.
SOON = 8.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "temporary"
    made.mkdir()
    return made


def rulesheet(folder: Path, rules: str) -> Path:
    path = folder.parent / "game.kif"
    path.write_text(rules)
    return path


@pytest.mark.timing
@pytest.mark.parametrize("as_json", [True, False])
def test_perft_of_a_large_game(folder: Path, as_json: bool) -> None:
    with running("perft", "breakthrough", *["--json"] * as_json, folder=folder) as process:
        time.sleep(0.7)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    if as_json:
        assert finished.json["stop"] == "interrupted"
        assert finished.json["states"][:1] in ([], [1])
        assert finished.json["init_size"] > 30
    else:
        assert finished.out.endswith("interrupted\n")


@pytest.mark.timing
def test_perft_in_mid_question(folder: Path) -> None:
    with running("perft", rulesheet(folder, SLOW), "--json", folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert finished.json["stop"] == "interrupted"
    assert finished.json["states"] in ([1], [1, 1])


@pytest.mark.timing
def test_perft_before_anything_is_known(folder: Path) -> None:
    with running("perft", rulesheet(folder, ENDLESS_QUESTION), folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert seconds < SOON
    assert (finished.code, finished.out, finished.err) == (130, "", "ggp: interrupted\n")


@pytest.mark.timing
def test_playouts(folder: Path) -> None:
    arguments = ("playouts", "nim", "--seconds", "600", "--reasoner", "prolog", "--json")
    with running(*arguments, folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert finished.json["playouts"] > 0


@pytest.mark.timing
@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
def test_playouts_in_mid_question(folder: Path, rules: str) -> None:
    options = ("--seconds", "600", "--reasoner", "prolog", "--json")
    arguments = ("playouts", rulesheet(folder, rules), *options)
    with running(*arguments, folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert (finished.json["playouts"], finished.json["mean_goals"]) == (0, {"x": None})


@pytest.mark.timing
@pytest.mark.parametrize("milliseconds", [300, 600, 1000, 1400])
def test_playouts_soon_after_the_start(milliseconds: int) -> None:
    """By then the command may be opening, compiling or playing the game."""
    process = start("playouts", "connectfour", "--seconds", "600", "--json")
    time.sleep(milliseconds / 1000)
    finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON


@pytest.mark.parametrize("module", ["click", "ggp.errors", "ggp.reasoner"])
@pytest.mark.parametrize("arguments", [["playouts", "nim"], ["doctor"]])
def test_while_a_module_is_imported(module: str, arguments: list[str], tmp_path: Path) -> None:
    """Ctrl-C comes in the middle of an import, however early that is."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, os, signal\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    finished = ggp(*arguments, env={"PYTHONPATH": path})
    assert (finished.code, finished.out, finished.err) == (130, "", "ggp: interrupted\n")


@pytest.mark.timing
def test_show_while_it_plays(folder: Path) -> None:
    limits = ("--seconds", "600", "--compile-seconds", "0")
    arguments = ("show", rulesheet(folder, ENDLESS_PLAY), *limits, "--json")
    with running(*arguments, folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert finished.json["roles"] == ["x"]


@pytest.mark.timing
def test_show_while_it_enumerates_what_is_declared(folder: Path) -> None:
    endless = ENDLESS_PLAY + "(num z) (<= (num (s ?n)) (num ?n)) (<= (base ?n) (num ?n))"
    limits = ("--seconds", "0.2", "--compile-seconds", "0")
    arguments = ("show", rulesheet(folder, endless), *limits, "--json")
    with running(*arguments, folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert finished.json["declared"] is False


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["perft", "walk"],
        ["perft", "walk", "--json"],
        ["show", "nim", "--seconds", "0.2"],
        ["playouts", "nim", "--seconds", "0.2"],
        ["doctor"],
        ["--help"],
    ],
)
@pytest.mark.parametrize("reader", ["head -n 1 >/dev/null", "true"])
def test_a_reader_that_goes_away(arguments: list[str], reader: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" | {reader}', "sh", *GGP, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perft", "tictactoe", "--depth", "4"], "depth 4: "),
        (["playouts", "nim", "--seconds", "0.5", "--reasoner", "prolog"], " playouts"),
    ],
)
def test_progress_is_shown_on_a_terminal_only(arguments: list[str], said: str) -> None:
    assert ggp(*arguments).err == ""
    terminal, end = os.openpty()
    done = subprocess.run([*GGP, *arguments], stdout=subprocess.PIPE, stderr=end, check=True)
    os.close(end)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert said in shown
    assert shown.endswith("\r\x1b[K")
    assert b"\r" not in done.stdout


@pytest.mark.timing
def test_lvt_shows_the_table_of_level_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))  # nothing has been found before
    with start("lvt", "breakthrough") as process:
        try:
            while not descendants(process.pid):  # what enumerates is a process of its own
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(0.2)
            finished, seconds = interrupted(process)
        finally:
            process.kill()
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert "level 1: 4 rows" in finished.out
    assert seconds < SOON


@pytest.mark.timing
def test_solve(folder: Path) -> None:
    options = ("--reasoner", "prolog", "--json")
    with running("solve", "connectfour", *options, folder=folder) as process:
        time.sleep(1)
        finished, seconds = interrupted(process)
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < SOON
    assert finished.json["exact"] is False
