"""Deadlines, and parts of the time there is."""

from __future__ import annotations

from math import inf

import pytest

from ggp.deadline import Deadline


def test_a_part_of_a_clock_runs_out_earlier() -> None:
    deadline = Deadline.after(10)
    assert deadline.part(0.5).remaining == pytest.approx(deadline.remaining / 2, abs=0.1)
    assert deadline.part(0).is_over
    assert not deadline.is_over
    assert Deadline().part(0.5).remaining == inf


def test_a_cut_ends_a_clock_and_its_parts() -> None:
    deadline = Deadline.after(10)
    before = deadline.part(0.5)
    deadline.cancel()
    assert before.is_over
    assert deadline.part(0.5).is_over
