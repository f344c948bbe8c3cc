"""The seconds of a command hold while it compiles, and so does Ctrl-C."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.cli.command import ggp, interrupted, start
from tests.processes import descendants
from tests.reasoner.test_opening import HUGE

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perft", "-", "--seconds", "2"], "time was up before the initial state was known"),
        (["playouts", "-", "--seconds", "0.5"], "time was up before the game was compiled"),
        (["solve", "-", "--seconds", "2"], "time was up before the game was compiled"),
    ],
)
def test_compiling_counts(arguments: list[str], said: str, tmp_path: Path) -> None:
    """Whatever the machine: without a limit, the grounder's own error comes after a minute."""
    environment = {"GGP_CACHE_DIR": str(tmp_path)}
    finished = ggp(*arguments, "--reasoner", "compiled", stdin=HUGE.encode(), env=environment)
    assert (finished.code, finished.out, finished.err) == (1, "", f"ggp: {said}\n")


def test_a_game_that_takes_too_long_to_compile_is_shown_without_a_circuit(tmp_path: Path) -> None:
    limits = ("--compile-seconds", "1", "--structure-seconds", "0", "--proof-seconds", "0")
    found = ggp(
        *("show", "-", "--seconds", "0.1", *limits, "--json"),
        stdin=HUGE.encode(),
        env={"GGP_CACHE_DIR": str(tmp_path)},
    )
    assert (found.code, found.json["circuit"]) == (0, None)
    assert "time" in found.json["circuit_error"]


@pytest.mark.timing
@pytest.mark.parametrize("command", ["perft", "playouts", "solve"])
def test_compiling_is_interrupted(command: str, tmp_path: Path) -> None:
    rules = tmp_path / "huge.kif"
    rules.write_text(HUGE)
    environment = {"GGP_CACHE_DIR": str(tmp_path)}
    with start(command, rules, "--reasoner", "compiled", **environment) as process:
        try:
            while not descendants(process.pid):  # what compiles is a process of its own
                assert process.poll() is None
                time.sleep(0.01)
            finished, seconds = interrupted(process)
        finally:
            process.kill()
    assert seconds < 8  # the limit is a second; the rest is for a busy machine
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
