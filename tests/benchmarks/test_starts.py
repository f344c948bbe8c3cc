from __future__ import annotations

from benchmarks.starts import GAMES, measure
from ggp.gdl import Description
from ggp.match import Nursery


def test_a_start_is_measured_anew_and_forked() -> None:
    description = Description.load(GAMES / "tictactoe.kif")
    with Nursery() as nursery:
        for forks in (None, nursery):
            start = measure(description, players=2, nursery=forks)
            assert start.players == 2
            assert start.seconds > 0
            assert start.processor_seconds > 0
