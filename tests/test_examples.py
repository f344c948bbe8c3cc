"""The programs in `examples/` run, and find what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ggp import Deadline, Game, PlayerContext
from ggp.match import make_player

ROOT = Path(__file__).parents[1]
#: What each program must print, among other things.
PRINTED = {
    "alphazero": "the network is in ",
    "greedy_player": "goals: 100 0",
    "leaf_values": "80 80",
    "own_net": "the network is in ",
    "own_search": "best move: (take ",
    "random_playouts": "2000 playouts",
    "solve_a_game": "first gets 100 (proven)",
    "uct": "best move: (drop 4)",
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


def test_the_tree_search_is_as_short_as_the_docs_say() -> None:
    assert "in 60 lines" in (ROOT / "docs" / "batches.md").read_text(encoding="utf-8")
    assert len((ROOT / "examples" / "uct.py").read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    if name == "alphazero":
        pytest.importorskip("torch")
    arguments = {
        "alphazero": ["tictactoe", "--minutes", "0.05", "--net", str(tmp_path / "net.pt")],
        "own_net": ["tictactoe", str(tmp_path / "net.npz")],
    }
    assert PRINTED[name] in run(f"examples/{name}.py", *arguments.get(name, []))


@pytest.mark.long
def test_the_network_of_alphazero_plays_as_a_player_and_beats_chance(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    net = tmp_path / "net.pt"
    run("examples/alphazero.py", "tictactoe", "--minutes", "0.5", "--net", str(net))
    game, total, matches = Game.load("tictactoe"), 0, 20
    player = make_player(f"examples.alphazero.Zero:net={net}")
    for number in range(matches):
        role, state = number % 2, game.init()
        player.start(PlayerContext(game.roles[role], game.reasoner, 1.0), Deadline.after(5))
        while not state.terminated[0]:
            joint = game.random_moves(state, seed=number)
            *_, move = player.moves(state.words[0].tobytes(), Deadline.after(0.05))
            joint[0, role] = game.move_number(role, move)
            state = game.step(state, joint)
        total += int(state.goals[0, role])
    # moves at random get 50 on average
    assert total / matches > 80


def test_the_loop_of_alphazero_is_as_short_as_the_docs_say() -> None:
    assert "in 200 lines" in (ROOT / "docs" / "batches.md").read_text(encoding="utf-8")
    assert len((ROOT / "examples" / "alphazero.py").read_text().splitlines()) <= 200


@pytest.mark.long
@pytest.mark.parametrize("player", ["alphabeta:depth=1", "mcts:threads=1"])
def test_a_network_that_was_trained_for_seconds_is_better_than_none(
    player: str, trained: Path
) -> None:
    game, total, matches = Game.load("tictactoe"), 0, 90
    for number in range(matches):
        role, state = number % 2, game.init()
        made = make_player(f"{player},net={trained}")
        made.start(PlayerContext(game.roles[role], game.reasoner, 1.0), Deadline.after(0))
        while not state.terminated[0]:
            joint = game.random_moves(state, seed=number)
            if state.legal[0, role].sum() > 1:
                *_, move = made.moves(state.words[0].tobytes(), Deadline.after(0.01))
                joint[0, role] = game.move_number(role, move)
            state = game.step(state, joint)
        total += int(state.goals[0, role])
    # moves at random get 50 on average; a standard error is 5
    assert total / matches > 62


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    net = tmp_path_factory.mktemp("trained") / "net.npz"
    run("examples/own_net.py", "tictactoe", str(net))
    return net


@pytest.mark.long
def test_the_player_of_the_examples_can_be_named_in_a_match(tmp_path: Path) -> None:
    record = ["--record", str(tmp_path / "record.json")]
    player = "examples.greedy_player.Greedy:default=10"
    assert '"isCompleted": true' in run(
        "-m", "ggp", "match", "nim", player, "legal", "--json", *record
    )
