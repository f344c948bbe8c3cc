"""Our playouts beside those of other systems; no test depends on how fast any of them is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.arena.openspiel.games import GAMES
from benchmarks.figures import marks
from benchmarks.peers.command import BLOCK, command, lines
from benchmarks.peers.measuring import Comparison, Side, compare
from benchmarks.peers.systems import Pyspiel, Rbg, Turn, read_benchmark_game, read_rbg
from ggp.errors import GgpError

ROOT = Path(__file__).parents[2]

#: What test/simulation.cpp of RBG prints, for N games of eight moves that take N milliseconds.
RBG = """\
#!/bin/sh
cat <<END
Random generator: 0
Monotonic classes: 2
time: $1 ms
number of playouts: $1 (1000.000000 playouts/sec)
number of states: $((8 * $1)) (8000.000000 states/sec)
number of moves: $((40 * $1)) (40000.000000 moves/sec)
branching factor: avg 5.000000 min 1 max 9
depth: avg 8.000000 min 5 max 9
goal of player 1: avg 64.000000 min 0 max 100
END
"""

#: What OpenSpiel's benchmark_game prints, for as many games of seven moves.
BENCHMARK_GAME = """\
#!/bin/sh
games=${2#--sims=}
echo "Benchmark: game: ${1#--game=}, num_sims: $games. \
Finished $((7 * games)) moves in $games.0 ms: 1000.0 sim/s, 7000.0 moves/s"
"""


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, which it binds to one core."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.peers", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def refused(*arguments: str | Path) -> str:
    done = CliRunner().invoke(command, [*map(str, arguments)])
    assert done.exit_code == 2, done.output
    return done.output


def test_the_output_of_rbg_is_read(tmp_path: Path) -> None:
    printed = subprocess.check_output([program(tmp_path / "test", RBG), "1500"], text=True)
    assert read_rbg(printed) == Turn(games=1500, moves=12_000, seconds=1.5)
    for missing in ("time: ", "number of playouts: ", "number of states: "):
        with pytest.raises(GgpError, match=missing):
            read_rbg(printed.replace(missing, "nothing: "))


def test_the_output_of_benchmark_game_is_read() -> None:
    # each attempt has a line of its own, and large numbers have no separators
    printed = (
        "Benchmark: game: hex, num_sims: 1000. "
        "Finished 103845 moves in 612.4 ms: 1632.9 sim/s, 169570.5 moves/s\n"
    )
    moves, seconds = read_benchmark_game(printed)
    assert (moves, round(seconds, 9)) == (103_845, 0.6124)
    with pytest.raises(GgpError, match="benchmark_game"):
        read_benchmark_game("Benchmark: game: hex, num_sims: 1000. ")


def test_figures_have_as_many_digits_as_are_known() -> None:
    found = [
        Comparison("hex", "RBG", Side(1_234_567.8, 70.84), Side(4.56789, 70.9), 270_276.8, 1.84),
        Comparison("y", "OpenSpiel", Side(999.9, 7), Side(10.0, 7), 99.9, 0.1234),
    ]
    assert "| hex | 4.57 | 1,230,000 | 270,000 | 70.9 | 70.8 | 1.8 |" in list(lines(found))
    assert "| y | 10.0 | 1,000 | 100 | 7.0 | 7.0 | 0.12 |" in list(lines(found))
    assert [line for line in lines(found) if "#" in line] == [
        "### Beside RBG",
        "### Beside OpenSpiel",
    ]


@pytest.mark.long
def test_programs_of_both_systems_are_measured(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    begin, end = marks(BLOCK)
    page.write_text(f"# Speed\n\n{begin}\nold\n{end}\n\nThe end.\n")
    rbg, rules = program(tmp_path / "test", RBG), tmp_path / "a=b.kif"
    rules.write_bytes(GAMES["tic_tac_toe"].path.read_bytes())
    done = run(
        "tic_tac_toe", "--openspiel", program(tmp_path / "benchmark_game", BENCHMARK_GAME),
        "--rbg", f"{rules}={rbg}", "--seconds", "0.1", "--rounds", "1",
        "--write", page, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rbgs, other = json.loads(done.stdout)
    assert (rbgs["game"], rbgs["system"]) == (str(rules), "RBG")
    assert rbgs["theirs"] == {"playouts": 1000.0, "moves": 8.0}
    assert (other["game"], other["system"]) == ("tic_tac_toe", "benchmark_game")
    assert other["theirs"] == {"playouts": 1000.0, "moves": 7.0}
    for each in (rbgs, other):
        assert each["ours"]["moves"] == pytest.approx(7.62, abs=0.1)
        assert each["playouts_ratio"] == pytest.approx(each["ours"]["playouts"] / 1000)  # one round
    written = page.read_text()
    assert written.startswith(f"# Speed\n\n{begin}\n`python -m benchmarks.peers tic_tac_toe ")
    assert written.endswith(f"|\n{end}\n\nThe end.\n")
    assert "old" not in written.split()
    assert f"\n| {rules} | 1,000 | " in written


@pytest.mark.long
def test_openspiel_plays_as_many_games_as_it_is_told() -> None:
    pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")
    turn = Pyspiel("tic_tac_toe").play(3)
    assert turn.games == 3
    assert 15 < turn.moves < 27
    assert turn.seconds > 0
    ours = GAMES["pentago"]
    found = compare(
        ours.path, Pyspiel(ours.openspiel), game="pentago", system="OpenSpiel", steps=ours.steps,
        seconds=0.1, rounds=1,
    )  # fmt: skip
    # each of our two steps is half of an action there
    assert found.ours.moves == pytest.approx(found.theirs.moves, rel=0.1)
    assert found.moves_ratio == pytest.approx(found.playouts_ratio, rel=0.1)


def test_a_program_that_does_not_measure_is_named(tmp_path: Path) -> None:
    for text, said in (
        ("#!/bin/sh\necho hello\n", "does not print 'number of playouts: …'"),
        ("#!/bin/sh\necho no such game >&2\nexit 3\n", "ends with exit code 3: no such game"),
        ("#!/bin/sh\nexit 3\n", "exit code 3: it says nothing"),
        (RBG.replace("time: $1", "time: 0"), "games take 0 s"),
        ("\x00", "Exec format error"),
    ):
        rbg = Rbg(program(tmp_path / "test", text))
        with pytest.raises(GgpError, match=said):
            compare(
                GAMES["tic_tac_toe"].path, rbg, game="tictactoe", system="RBG", steps=1,
                seconds=0.1, rounds=1,
            )  # fmt: skip


@pytest.mark.long
def test_a_game_that_cannot_be_measured_fails_the_command(tmp_path: Path) -> None:
    rbg = program(tmp_path / "test", "#!/bin/sh\necho hello\n")
    done = run("--openspiel", "none", "--rbg", f"tictactoe={rbg}")
    assert done.returncode == 1
    assert "tictactoe: the program does not print" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    assert "no such file" in refused("--rbg", "tictactoe=/nowhere/test")
    assert "is not GAME=BINARY" in refused("--rbg", sys.executable)
    assert "no bundled game" in refused("--rbg", f"tictactow={sys.executable}")
    assert "no such file" in refused("--openspiel", "/nowhere/benchmark_game")
    assert "nothing to compare with" in refused("--openspiel", "none")
    assert "'nim'" in refused("nim")
    assert marks(BLOCK)[0] in refused("--write", text)
    assert "not a program" in refused("--rbg", f"tictactoe={text}")


def test_openspiel_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.arena.openspiel.mirror.find_spec", lambda _: None)
    done = CliRunner().invoke(command, ["tic_tac_toe"])
    assert done.exit_code == 1
    assert "OpenSpiel is not installed" in done.output


def test_the_page_of_the_docs_has_a_place_for_figures() -> None:
    rows = (ROOT / "docs" / "speed.md").read_text().splitlines()
    begin, end = marks(BLOCK)
    assert rows.index(begin) < rows.index(end)
