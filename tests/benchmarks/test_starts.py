from __future__ import annotations

from benchmarks.starts import GAMES, measure
from ggp.gdl import Description
from ggp.match import ForkServer


def test_a_start_is_measured_anew_and_forked() -> None:
    description = Description.load(GAMES / "tictactoe.kif")
    with ForkServer(prepare="ggp.match.worker") as fork_server:
        for forks in (None, fork_server):
            start = measure(description, players=2, fork_server=forks)
            assert start.players == 2
            assert start.seconds > 0
            assert start.processor_seconds > 0
