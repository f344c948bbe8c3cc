"""How much a search of the engine does between two looks at the clock."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.engine.turns import TURN, Turns


@pytest.mark.parametrize(
    ("seconds", "size"),
    # one turn says little: it may have been interrupted, or have begun with what is rare
    [(2 * TURN, 500), (TURN / 2, 2000), (1000 * TURN, 250), (0, 4000)],
)
def test_the_size_of_a_turn_follows_from_the_seconds_of_the_last_one(
    seconds: float, size: int
) -> None:
    turns = Turns(1000)
    turns.adapt(seconds)
    assert turns.size == size


def test_a_turn_does_something() -> None:
    turns = Turns()
    turns.adapt(1000 * TURN)
    assert turns.size == 1


@pytest.mark.parametrize("seconds", [None, 3600.0])
def test_a_turn_of_a_search_with_time_takes_as_long_as_any(seconds: float | None) -> None:
    turns = Turns(1000)
    turns.begin(Deadline.after(seconds))
    turns.adapt(TURN)
    assert turns.size == 1000


def test_a_search_of_milliseconds_looks_at_the_clock_several_times() -> None:
    turns = Turns(1000)
    turns.begin(Deadline.after(TURN))
    turns.adapt(TURN)
    assert turns.size <= 250
