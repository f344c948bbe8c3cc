"""What is wrong with the rules of a match is logged, and no match waits for it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest

from ggp.server import checking
from ggp.server.checking import RulesCheck
from ggp.workers.worker import Worker
from tests.processes import all_gone, descendants
from tests.server.fakes import RULES

NONSENSE = "(role x)"


def told(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [vars(record) for record in caplog.records if vars(record).get("event") == "rules"]


def wait(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not is_there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_nonsense_is_told_of_in_each_match_and_good_rules_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    started = list[Worker]()

    def start() -> Worker:
        started.append(Worker("ggp.server.checking"))
        return started[-1]

    with RulesCheck(start) as rules:
        rules.check("good", RULES)
        rules.check("m1", NONSENSE)
        rules.check("m2", NONSENSE)
        wait(lambda: len(told(caplog)) == 2)
    assert [(line["match"], line["levelno"]) for line in told(caplog)] == [
        ("m1", logging.WARNING),
        ("m2", logging.WARNING),
    ]
    assert told(caplog)[0]["errors"] >= 1
    assert "terminal" in told(caplog)[0]["found"]
    assert len(started) == 2  # rules that were checked are not checked again


def test_it_ends_whatever_it_does() -> None:
    before, is_at_work = descendants(os.getpid()), Event()

    def start() -> Worker:
        worker = Worker("tests.server.hanging")
        is_at_work.set()
        return worker

    rules = RulesCheck(start)
    rules.check("m1", NONSENSE)
    rules.check("m2", NONSENSE)
    assert is_at_work.wait(120)
    rules.close()
    assert all_gone(descendants(os.getpid()) - before, within=20)


def test_a_check_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(checking, "_LONGEST", 0.0)
    workers = iter([partial(Worker, "ggp.server.checking")] * 2)
    ended = Event()

    def start() -> Worker:
        try:
            return next(workers)()
        except StopIteration:
            ended.set()
            raise OSError from None

    with RulesCheck(start) as rules:
        for match in ("m1", "m2", "m3"):
            rules.check(match, NONSENSE)
        assert ended.wait(120)
    assert not told(caplog)
