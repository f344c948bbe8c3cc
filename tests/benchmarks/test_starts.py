from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.starts import measure
from ggp.gdl import Description
from ggp.match import ForkServer


@pytest.mark.long
def test_a_start_is_measured_anew_and_forked() -> None:
    description = Description.load("tictactoe")
    with ForkServer(prepare="ggp.match.worker") as fork_server:
        for forks in (None, fork_server):
            start = measure(description, players=2, fork_server=forks)
            assert start.players == 2
            assert start.seconds > 0
            assert start.processor_seconds > 0


@pytest.mark.long
def test_a_game_that_does_not_exist_is_named() -> None:
    command = [sys.executable, "-m", "benchmarks.starts", "tictac"]
    folder = Path(__file__).parents[2]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert "tictactoe" in finished.stderr
    assert "Traceback" not in finished.stderr
