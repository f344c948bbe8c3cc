"""Deadlines, and parts of the time there is."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Condition, Thread

import pytest

from ggp.deadline import Deadline, TimeUp


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


#: Every way to shorten a deadline, and some in a row.
SHORTENED: dict[str, Callable[[Deadline], Deadline]] = {
    "part": lambda deadline: deadline.part(0.5),
    "within": lambda deadline: deadline.within(5),
    "until": lambda deadline: deadline.until(lambda: False),
    "part of until": lambda deadline: deadline.until(lambda: False).part(0.5),
    "until of part": lambda deadline: deadline.part(0.5).until(lambda: False),
    "within of until": lambda deadline: deadline.until(lambda: False).within(5),
    "until of until": lambda deadline: deadline.until(lambda: False).until(lambda: False),
}


@pytest.mark.parametrize("way", SHORTENED)
def test_a_shorter_deadline_shares_all_that_ends_the_longer_one(way: str) -> None:
    deadline = Deadline.after(100)
    shorter = SHORTENED[way](deadline)
    assert shorter.remaining > 0
    assert shorter.due <= deadline.due
    deadline.cancel()
    assert shorter.is_over
    assert shorter.is_cancelled
    assert shorter.remaining == 0
    deadline = Deadline.after(100)
    SHORTENED[way](deadline).cancel()
    assert deadline.is_over


@pytest.mark.parametrize("way", SHORTENED)
def test_what_is_made_of_a_deadline_with_a_condition_keeps_the_condition(way: str) -> None:
    holds = False
    deadline = Deadline.after(100)
    shorter = SHORTENED[way](deadline.until(lambda: holds))
    assert shorter.remaining > 0
    shorter.check()
    holds = True
    assert shorter.is_over
    assert shorter.remaining == 0
    with pytest.raises(TimeUp):
        shorter.wait(lambda _: False)
    # a condition is not a cancellation: the longer deadline goes on
    assert not shorter.is_cancelled
    assert not deadline.is_over


def test_a_deadline_with_a_condition_is_due_when_the_other_one_is() -> None:
    deadline = Deadline.after(10)
    assert deadline.until(lambda: False).due == deadline.due
    assert Deadline(0.0).until(lambda: False).is_over


def test_who_waits_on_a_condition_variable_gets_what_was_settled() -> None:
    changed, found = Condition(), list[str]()

    def settle() -> None:
        with changed:
            found.append("it")
            changed.notify_all()

    with changed:
        Thread(target=settle).start()
        assert Deadline.after(60).wait_on(changed, lambda: found) == ["it"]
        assert Deadline(0.0).wait_on(changed, lambda: found) == ["it"]
        with pytest.raises(TimeUp):
            Deadline(0.0).wait_on(changed, lambda: False)


@pytest.mark.parametrize("way", SHORTENED)
def test_who_waits_on_a_condition_variable_is_told_when_the_deadline_is_cancelled(way: str) -> None:
    deadline, changed = Deadline.after(60), Condition()

    def cancel() -> None:
        with changed:  # the other thread waits by now
            pass
        deadline.cancel()

    with changed:
        Thread(target=cancel).start()
        with pytest.raises(TimeUp):
            SHORTENED[way](deadline).wait_on(changed, lambda: False)
    assert deadline.is_cancelled


def test_waiting_on_a_condition_variable_does_not_look_again_and_again() -> None:
    looks = list[float]()
    changed = Condition()
    with changed, pytest.raises(TimeUp):
        Deadline.after(0.3).wait_on(changed, lambda: looks.append(0.0))
    assert len(looks) <= 3


def test_a_condition_of_the_deadline_ends_the_wait() -> None:
    looks = iter([False, False, False, True])
    changed = Condition()
    with changed, pytest.raises(TimeUp):
        Deadline.after(60).until(lambda: next(looks, True)).wait_on(changed, lambda: False)
