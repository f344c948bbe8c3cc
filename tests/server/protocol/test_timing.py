from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.server.timing import Margin

SECONDS = st.floats(0, 1000)


def test_the_margin_is_kept_back() -> None:
    assert Margin(1.5).thinking_time(10) == 8.5


def test_a_short_clock_leaves_time_to_think() -> None:
    assert Margin(1.5).thinking_time(1) == 0.4


def test_delays_widen_the_margin_and_are_forgotten() -> None:
    margin = Margin(1.5)
    margin.observe(0.5)
    assert margin.thinking_time(10) == 7.5
    for _ in range(50):
        margin.observe(-3.0)
    assert 8.49 < margin.thinking_time(10) <= 8.5


@given(SECONDS, SECONDS, st.lists(st.floats(-1000, 1000)))
def test_there_is_always_time_to_think_and_never_more_than_the_clock(
    seconds: float, clock: float, delays: list[float]
) -> None:
    margin = Margin(seconds)
    for delay in delays:
        margin.observe(delay)
    assert 0.4 * clock <= margin.thinking_time(clock) <= margin.last_moment(clock) <= clock
