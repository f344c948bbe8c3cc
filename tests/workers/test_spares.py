"""Workers that have been started ahead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, current_thread

import pytest

from ggp.deadline import Deadline
from ggp.workers.spares import Spares
from ggp.workers.worker import Worker
from tests.processes import all_gone, happens, is_running

ECHO = "tests.workers.echo"
SOON = 30.0


class Starter:
    """Starts workers, and notes for each whether the test itself had to wait for that."""

    def __init__(self) -> None:
        self.waited: list[bool] = []
        self.asked = 0
        #: Once it is cleared, nothing starts in the background any more.
        self.may_start = Event()
        self.may_start.set()

    def __call__(self) -> Worker:
        waits = current_thread().name == "MainThread"
        self.asked += 1
        if not waits:
            self.may_start.wait()
        self.waited.append(waits)
        return Worker(ECHO)


@pytest.fixture
def starter() -> Iterator[Starter]:
    made = Starter()
    yield made
    made.may_start.set()


def filled(starter: Starter, *, count: int) -> Spares:
    spares = Spares(starter, count=count)
    assert happens(lambda: len(spares.processes) == count, within=SOON)
    starter.may_start.clear()
    return spares


def test_what_was_started_ahead_is_there_at_once_and_the_rest_is_started(starter: Starter) -> None:
    with filled(starter, count=2) as spares:
        ahead = spares.processes
        taken = [spares.take() for _ in range(3)]
        assert tuple(worker.pid for worker in taken[:2]) == ahead
        assert starter.waited == [False, False, True]
        for worker in taken[:2]:  # its first message has been dropped
            worker.send("hello")
            assert worker.receive(Deadline.after(SOON)) == "hello"
        starter.may_start.set()
        assert happens(lambda: len(spares.processes) == 2, within=SOON)
        assert not set(ahead) & set(spares.processes)
        for worker in taken:
            worker.close()


def test_a_spare_worker_that_has_ended_is_not_given_out(starter: Starter) -> None:
    with filled(starter, count=2) as spares:
        killed, other = spares.processes
        os.kill(killed, signal.SIGKILL)
        assert all_gone([killed], within=SOON)
        with spares.take() as worker:
            assert worker.pid == other


def test_a_spare_worker_that_has_ended_is_replaced(
    starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.workers.spares._PERIOD", 0.02)
    with filled(starter, count=1) as spares:
        starter.may_start.set()
        (killed,) = spares.processes
        os.kill(killed, signal.SIGKILL)
        assert happens(
            lambda: bool(spares.processes) and killed not in spares.processes, within=SOON
        )


def test_where_none_can_be_started_it_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.workers.spares._PERIOD", 0.02)
    failures = [OSError("no more processes"), OSError("no more processes")]

    def start() -> Worker:
        if failures:
            raise failures.pop()
        return Worker(ECHO)

    with Spares(start, count=1) as spares:
        assert happens(lambda: bool(spares.processes), within=SOON)


def test_closing_ends_the_spare_workers_and_the_one_that_is_being_started(
    starter: Starter,
) -> None:
    started: list[Worker] = []

    def start() -> Worker:
        worker = starter()
        started.append(worker)
        return worker

    spares = Spares(start, count=2)
    assert happens(lambda: len(spares.processes) == 2, within=SOON)
    ahead = spares.processes
    starter.may_start.clear()
    with spares.take() as taken:
        assert happens(lambda: starter.asked == 3, within=SOON)
        spares.close()
        spares.close()
        assert all_gone(set(ahead) - {taken.pid}, within=SOON)
        assert is_running(taken.pid)
        with pytest.raises(OSError, match="closed"):
            spares.take()
        starter.may_start.set()
        assert happens(lambda: len(started) == 3, within=SOON)
        assert all_gone([started[-1].pid], within=SOON)


OWNER = f"""
import time
from ggp.workers.spares import Spares
from ggp.workers.worker import Worker
spares = Spares(lambda: Worker({ECHO!r}), count=1)
while not spares.processes:
    time.sleep(0.02)
print(*spares.processes, flush=True)
time.sleep(600)
"""


def test_spare_workers_end_with_an_owner_that_is_killed() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, cwd=root) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    assert all_gone([pid], within=SOON)
