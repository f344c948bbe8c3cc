"""A tournament on a cluster whose nodes and drivers die ends as an undisturbed one at home."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")

from ggp.tournament import Result
from tests.cli.command import GGP
from tests.cluster.nodes import cluster
from tests.tournament.killing import LONG, play_whole, results
from tests.tournament.test_killed import moves

#: 40 matches in each round.
PLAN = (
    *("--game", "tictactoe", "--game", "nim", *["--player", "random"] * 4, "--player", "legal"),
    *("--seed", "7", "--start-clock", "60", "--play-clock", "30", "--reasoner", "prolog"),
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("rounds", "deaths"),
    [
        (1, {3: "node", 8: "driver"}),
        (5, {20: "node", 50: "driver", 80: "node", 120: "driver", 150: "node"}),
    ],
)
def test_nodes_and_drivers_are_killed(tmp_path: Path, rounds: int, deaths: dict[int, str]) -> None:
    home, away = tmp_path / "home" / "cup", tmp_path / "away" / "cup"
    plan = [*PLAN, "--rounds", str(rounds)]
    undisturbed = play_whole(home, *plan)
    assert undisturbed["played"] == len(results(home)) == 40 * rounds
    with cluster(tmp_path, 2, 2, 2, 2) as nodes:
        victims = list(nodes.all)[1:-1]  # neither the head nor the last one, which plays to the end
        options = [*plan, "--cluster", nodes.address, "--memory", "0.1", "--json"]
        driver = start(away, options)
        kept: tuple[Result, ...] = ()
        for number, victim in deaths.items():
            wait_until(lambda: len(results(away)) >= number, driver)  # noqa: B023 - called at once
            if victim == "node":
                nodes.kill(victims.pop())
            else:
                driver.kill()
                driver.communicate()
                driver = start(away, options)
            before, kept = kept, results(away)
            assert set(map(str, before)) <= set(map(str, kept))
        out, err = driver.communicate(timeout=LONG)
        assert (driver.returncode, err) == (0, b"")
    assert json.loads(out) == undisturbed
    assert moves(away) == moves(home)
    assert results(away) == results(home)


def start(folder: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*GGP, "tournament", str(folder), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + LONG
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.1)


@pytest.mark.long
def test_a_client_plays_from_outside_the_cluster(tmp_path: Path) -> None:
    options = ["--game", "nim", "--player", "random", "--player", "random", *PLAN[-8:]]
    home, away = tmp_path / "home" / "cup", tmp_path / "away" / "cup"
    at_home = play_whole(home, *options)
    port = free_port()
    with cluster(tmp_path, 2, ray_client_server_port=port):
        address = f"ray://127.0.0.1:{port}"
        assert play_whole(away, *options, "--cluster", address, "--memory", "0.1") == at_home
    assert moves(away) == moves(home)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
