"""Thinking on the others' time: it happens, it stops at once, and it never costs a move."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import PlayerProcess
from tests.match.games import PICK
from tests.match.pondering_players import ONE, THREE
from tests.processes import all_gone, descendants


@contextmanager
def started(player: str) -> Iterator[PlayerProcess]:
    with PlayerProcess(f"tests.match.pondering_players.{player}") as process:
        process.start(PICK, "left", play_clock=10, deadline=Deadline.after(20))
        yield process


def play_all(process: PlayerProcess, *, pause: float, seconds: float = 20) -> list[Term]:
    """Play the three turns of PICK, with a pause after each; the other role picks 1."""
    moves = [process.play(None, Deadline.after(seconds))]
    for _ in range(2):
        time.sleep(pause)
        moves.append(process.play((moves[-1], ONE), Deadline.after(seconds)))
    time.sleep(pause)
    process.stop((moves[-1], ONE))
    return moves


def test_a_player_ponders_between_its_answer_and_the_next_turn() -> None:
    with started("Pondering") as process:
        assert play_all(process, pause=0.5) == [ONE, THREE, THREE]


@pytest.mark.timing
def test_pondering_stops_at_once() -> None:
    with started("Pondering") as process:
        process.play(None, Deadline.after(20))
        time.sleep(0.5)
        began = time.monotonic()
        process.play((ONE, ONE), Deadline.after(20))
        # far less than the grace of a second after which it would have been ended
        assert time.monotonic() - began < 0.9


def test_a_turn_that_is_there_already_is_not_kept_waiting() -> None:
    with started("Pondering") as process:
        assert len(play_all(process, pause=0)) == 3


@pytest.mark.long
def test_a_player_that_ponders_forever_is_replaced_in_time() -> None:
    with started("LostInThought") as process:
        moves = play_all(process, pause=0.3)
    # the new process begins with a first move, as it was never told of another
    assert moves == [ONE, ONE, ONE]


@pytest.mark.long
def test_a_player_that_fails_while_pondering_plays_on(caplog: pytest.LogCaptureFixture) -> None:
    with started("Stumbling") as process:
        assert play_all(process, pause=0.3) == [ONE, THREE, THREE]
    assert "ZeroDivisionError: by design (pondering_players.py, line" in caplog.text


@pytest.mark.timing
def test_the_match_may_end_while_a_player_ponders() -> None:
    before = descendants(os.getpid())
    with started("Pondering") as process:
        process.play(None, Deadline.after(20))
        time.sleep(0.2)
        began = time.monotonic()
        process.abort()
        assert time.monotonic() - began < 2
    with started("LostInThought") as process:
        process.play(None, Deadline.after(20))
    assert all_gone(descendants(os.getpid()) - before, within=5)
