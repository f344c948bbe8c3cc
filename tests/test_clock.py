"""Deadlines, and parts of the time there is."""

from __future__ import annotations

from math import inf

import pytest

from ggp.clock import Clock


def test_a_part_of_a_clock_runs_out_earlier() -> None:
    clock = Clock.of(10)
    assert clock.part(0.5).remaining == pytest.approx(clock.remaining / 2, abs=0.1)
    assert clock.part(0).is_over
    assert not clock.is_over
    assert Clock().part(0.5).remaining == inf


def test_a_cut_ends_a_clock_and_its_parts() -> None:
    clock = Clock.of(10)
    before = clock.part(0.5)
    clock.cut()
    assert before.is_over
    assert clock.part(0.5).is_over
