"""The process of a player from inside: how long it gives the player."""

from __future__ import annotations

from typing import cast
from unittest.mock import Mock

import pytest

from ggp.deadline import Deadline
from ggp.match.messages import Think
from ggp.match.worker import _Worker
from ggp.workers.child import Owner


def test_requests_that_follow_each_other_give_a_hung_player_no_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, timers = 1000.0, list[float]()
    monkeypatch.setattr("ggp.match.worker.time.monotonic", lambda: now)
    monkeypatch.setattr(
        "ggp.match.worker.signal.setitimer", lambda _which, seconds: timers.append(seconds)
    )
    worker = _Worker(cast("Owner", Mock()), Mock(), memory_limit=None, grace=10.0)
    worker._is_prepared = True
    clock = Deadline(now + 1)
    with worker._in_players_hands(clock):
        for turn in range(3):
            now += 2
            worker._latest = Think(turn, None, now + 1)
            worker._hurry(clock)
        assert timers == [11, 9, 7, 5]
    assert timers[4:] == [0]
