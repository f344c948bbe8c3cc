"""Players that fail, and the fallback player that plays instead."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast
from unittest.mock import MagicMock

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term, parse_term
from ggp.match import ForkServer, PlayerProcess
from ggp.reasoner.prolog import is_installed
from ggp.server.fallback import WithFallback, spare_fallbacks
from tests.match.games import PICK, STUCK
from tests.processes import all_gone, descendants, happens

ONE, TWO, THREE = (parse_term(f"(pick {n})") for n in (1, 2, 3))


@contextmanager
def started(
    fork_server: ForkServer,
    player: str,
    *,
    rules: str = PICK,
    role: str = "left",
    seconds: float = 2,
) -> Iterator[WithFallback]:
    spec = player if player.islower() else f"tests.match.bad_players.{player}"
    session = WithFallback.open(spec, fork_server=fork_server, fallbacks=fork_server)
    try:
        session.start(rules, role, play_clock=2, deadline=Deadline.after(seconds))
        yield session
    finally:
        session.close()


def play(session: WithFallback, last: Term | None, *, seconds: float = 2) -> Term:
    began = time.monotonic()
    move = session.play(None if last is None else (last, TWO), Deadline.after(seconds))
    assert time.monotonic() - began < seconds + 1
    return move


def test_the_players_move_counts(fork_server: ForkServer) -> None:
    with started(fork_server, "Crashing") as session:
        first = play(session, None, seconds=10)
        assert [first, play(session, first, seconds=10)] == [THREE, THREE]


@pytest.mark.parametrize(
    ("asked", "has_prolog", "own"),
    [
        ("auto", True, "prolog"),
        ("auto", False, "auto"),
        ("compiled", True, "compiled"),
        ("prolog", True, "prolog"),
    ],
)
def test_the_fallback_player_loads_machine_code_only_where_it_must(
    monkeypatch: pytest.MonkeyPatch, asked: str, has_prolog: bool, own: str
) -> None:
    kinds: list[str] = []

    def opened(_spec: str, *, reasoner: str, **_options: object) -> MagicMock:
        kinds.append(reasoner)
        return MagicMock()

    monkeypatch.setattr("ggp.server.fallback.is_installed", lambda: has_prolog)
    monkeypatch.setattr("ggp.server.fallback.PlayerProcess", opened)
    WithFallback.open("random", reasoner=asked, fork_server=None, fallbacks=None).close()
    assert kinds == [own, asked]


def test_a_match_that_cannot_be_opened_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    fallback = MagicMock()
    opened = MagicMock(side_effect=[fallback, RuntimeError("can't start new thread")])
    monkeypatch.setattr("ggp.server.fallback.PlayerProcess", opened)
    with pytest.raises(RuntimeError, match="thread"):
        WithFallback.open("random", fork_server=None, fallbacks=None)
    fallback.__exit__.assert_called_once()


def test_a_player_that_has_not_begun_is_told_of() -> None:
    player = MagicMock(note="", has_begun=False)
    session = WithFallback(player, MagicMock())
    assert session.note == "its process has not read the rules yet: the machine is busy, or slow"
    player.has_begun = True
    assert session.note == ""
    player.note = "learned"
    assert session.note == "learned"


@pytest.mark.long
def test_what_keeps_the_fallback_player_from_playing_is_logged(
    fork_server: ForkServer, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        pytest.raises(PlayerError),
        started(fork_server, "legal", rules="(role (left", seconds=60),
    ):
        pass
    assert "the fallback player cannot start" in caplog.text


@pytest.mark.long
@pytest.mark.parametrize("player", ["HungAtOnce", "HungInStart", "Unimportable"])
def test_without_a_move_of_the_player_there_is_another(
    fork_server: ForkServer, player: str
) -> None:
    with started(fork_server, player) as session:
        first = play(session, None)
        assert {first, play(session, first)} <= {ONE, TWO, THREE}


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_player_that_is_killed_or_frozen_is_replaced(
    fork_server: ForkServer, number: int
) -> None:
    before = descendants(os.getpid())
    with started(fork_server, "legal") as session:
        first = play(session, None, seconds=10)
        fresh = sorted(descendants(os.getpid()) - before)
        thinker = session._player._worker
        assert thinker is not None
        assert thinker.pid in fresh
        os.kill(thinker.pid, number)
        assert play(session, first, seconds=3) == ONE
        # When it has been silent for some time it is replaced, even if it cannot be told to end.
        session._player._patience = 0.0
        with suppress(PlayerError):  # on a busy machine the fallback may be late, too
            session.play(None, Deadline.after(0.2))
        assert all_gone([thinker.pid], within=10)
    assert all_gone(descendants(os.getpid()) - before, within=10)


@pytest.mark.long
def test_a_match_that_starts_while_nothing_can_be_forked_has_a_legal_move() -> None:
    with (
        ForkServer(prepare="ggp.match.worker") as fork_server,
        spare_fallbacks(fork_server, count=1, reasoner="auto", memory_limit=None) as spares,
    ):
        assert happens(lambda: bool(spares.processes), within=60)
        if is_installed():  # the one thing that it has to start is there, too
            assert descendants(spares.processes[0])
        os.kill(fork_server.pid, signal.SIGSTOP)
        session = WithFallback.open(
            "legal", fork_server=fork_server, fallbacks=fork_server, spares=spares
        )
        try:
            session.start(PICK, "left", play_clock=2, deadline=Deadline.after(0))
            assert first_move(session) == ONE
        finally:
            os.kill(fork_server.pid, signal.SIGCONT)
            session.close()


def first_move(session: WithFallback) -> Term:
    """Ask again until a process has read the rules, however busy the machine is."""
    for _ in range(60):
        with suppress(PlayerError):
            return session.play(None, Deadline.after(1))
    raise AssertionError("no process has a move")


@pytest.mark.long
def test_what_keeps_a_player_from_playing_is_logged_once(
    fork_server: ForkServer, caplog: pytest.LogCaptureFixture
) -> None:
    with started(fork_server, "no_player", seconds=60) as session:
        last = play(session, None, seconds=60)
        play(session, last, seconds=60)
    said = [record for record in caplog.records if "no such player" in record.getMessage()]
    assert len([record for record in said if record.levelno >= logging.WARNING]) == 1


def test_a_match_that_cannot_be_played_is_refused(fork_server: ForkServer) -> None:
    with (
        pytest.raises(PlayerError, match="no role"),
        started(fork_server, "legal", rules="(init x)", seconds=60),
    ):
        pass


def test_where_neither_player_has_a_legal_move_there_is_none(fork_server: ForkServer) -> None:
    with started(fork_server, "legal", rules=STUCK, role="me") as session:
        move = session.play(None, Deadline.after(10))
        with pytest.raises(PlayerError, match="no legal move"):
            session.play((move,), Deadline.after(3))


def test_the_end_of_a_match_leaves_no_process(fork_server: ForkServer) -> None:
    before = descendants(os.getpid())
    for end in ("stop", "abort"):
        with started(fork_server, "legal") as session:
            first = play(session, None, seconds=10)
            if end == "stop":
                session.stop((first, TWO))
            else:
                session.abort()
            with pytest.raises(PlayerError, match="the match is over"):
                session.play(None, Deadline.after(1))
    assert all_gone(descendants(os.getpid()) - before, within=10)


class Slow:
    """Stands in for the process of a fallback player that takes all of its clock."""

    spec = "slow"

    def __init__(self) -> None:
        self.told: list[str] = []

    def start(self, rules: str, role: str, *, play_clock: float, deadline: Deadline) -> None:
        self._wait("start", deadline)

    def play(self, joint_move: object, deadline: Deadline) -> Term:
        self._wait(f"play {len(self.told)}", deadline)
        raise PlayerError("no legal move was found in time")

    def close(self) -> None:
        pass

    def _wait(self, told: str, deadline: Deadline) -> None:
        self.told.append(told)
        while not deadline.is_over:
            time.sleep(0.01)


def test_a_fallback_player_that_is_slow_is_told_all_in_order_and_delays_no_turn(
    fork_server: ForkServer,
) -> None:
    slow = Slow()
    with PlayerProcess("legal", fork_server=fork_server) as process:
        session = WithFallback(process, cast("PlayerProcess", slow))
        session.start(PICK, "left", play_clock=60, deadline=Deadline.after(60))
        began = time.monotonic()
        first = session.play(None, Deadline.after(60))
        session.play((first, TWO), Deadline.after(60))
        assert time.monotonic() - began < 30
        # On a busy machine the thread that tells it may come late.
        while len(slow.told) < 2 and time.monotonic() - began < 60:
            time.sleep(0.02)
        session.close()
    assert slow.told[:2] == ["start", "play 1"]


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="Linux only")
def test_where_matches_outnumber_the_processors_thinkers_take_only_idle_time(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def policies(session: WithFallback) -> list[int]:
        return [os.sched_getscheduler(pid) for pid in session.processes]

    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with started(fork_server, "legal") as one:
        assert policies(one) == [os.SCHED_OTHER, os.SCHED_OTHER]
        with started(fork_server, "legal") as other:
            assert policies(other) == [os.SCHED_IDLE, os.SCHED_OTHER]
    with started(fork_server, "legal") as last:
        assert policies(last) == [os.SCHED_OTHER, os.SCHED_OTHER]


@pytest.mark.parametrize(
    ("is_sure", "is_fallback_sure", "expected"),
    [(True, True, ONE), (False, True, TWO), (False, False, ONE)],
)
def test_a_guess_gives_way_to_a_move_that_is_known_to_be_legal(
    is_sure: bool, is_fallback_sure: bool, expected: Term
) -> None:
    player, fallback = MagicMock(spec=PlayerProcess), MagicMock(spec=PlayerProcess)
    player.play.return_value, player.is_sure = ONE, is_sure
    fallback.play.return_value, fallback.is_sure = TWO, is_fallback_sure
    session = WithFallback(cast("PlayerProcess", player), cast("PlayerProcess", fallback))
    assert session.play(None, Deadline.after(5)) == expected
    session.close()


def test_a_guess_is_played_where_there_is_nothing_better() -> None:
    player, fallback = MagicMock(spec=PlayerProcess), MagicMock(spec=PlayerProcess)
    player.play.return_value, player.is_sure = ONE, False
    fallback.play.side_effect = PlayerError("no legal move was found in time")
    session = WithFallback(cast("PlayerProcess", player), cast("PlayerProcess", fallback))
    assert session.play(None, Deadline.after(5)) == ONE
    session.close()
