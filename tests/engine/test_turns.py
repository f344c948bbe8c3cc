"""How much a search of the engine does between two looks at the clock."""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.engine.turns import TURN, next_turn, turn_seconds


def test_a_search_of_milliseconds_looks_at_the_clock_several_times() -> None:
    assert turn_seconds(Deadline()) == TURN
    assert turn_seconds(Deadline.after(1000 * TURN)) == TURN
    assert turn_seconds(Deadline.after(TURN)) <= TURN / 4


def test_the_size_of_a_turn_follows_from_the_seconds_of_the_last_one() -> None:
    assert next_turn(1000, seconds=0.002, aim=0.001) == 500
    assert next_turn(1000, seconds=0.001, aim=0.002) == 2000
    # one turn says little: it may have been interrupted, or have begun with what is rare
    assert next_turn(1000, seconds=1.0, aim=0.001) == 250
    assert next_turn(1000, seconds=0.0, aim=0.001) == 4000
    assert next_turn(1, seconds=1.0, aim=0.001) == 1
