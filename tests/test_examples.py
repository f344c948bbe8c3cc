"""The programs in `examples/` run, and find what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What each program must print, among other things.
PRINTED = {
    "greedy_player": "goals: 100 0",
    "leaf_values": "80 80",
    "random_playouts": "2000 playouts",
    "solve_a_game": "first gets 100 (proven)",
    "uct": "best move: (drop 4)",
    "value_net": "mcts with the network against random: ",
}


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run() -> None:
    programs = {path.stem for path in (ROOT / "examples").glob("*.py")} - {"__init__"}
    assert programs == set(PRINTED)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs(name: str) -> None:
    if name == "value_net":
        pytest.importorskip("torch")
        pytest.importorskip("pyarrow")
    printed = run(f"examples/{name}.py")
    assert PRINTED[name] in printed
    assert name != "value_net" or printed.count("better than at random") == 2


def test_the_player_of_the_examples_can_be_named_in_a_match(tmp_path: Path) -> None:
    record = ["--record", str(tmp_path / "record.json")]
    player = "examples.greedy_player.Greedy:default=10"
    assert '"isCompleted": true' in run(
        "-m", "ggp", "match", "nim", player, "legal", "--json", *record
    )
