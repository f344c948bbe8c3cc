"""Deadlines, and messages that come while a player thinks."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest

from ggp.deadline import Deadline
from ggp.server.protocol import PlayerProtocol, Reply
from tests.server.fakes import (
    FakeSession,
    Table,
    patient,
    start,
)

# Time


def test_deadlines_are_counted_from_when_the_message_came() -> None:
    table = Table(margin=1.5)
    table.protocol.handle(start(clocks="10 8"), received=999.5)
    table.protocol.handle("(PLAY m1 NIL)", received=999.5)
    start_clock, play_clock = table.session.clocks
    # The half second that the message had waited widens the margin by twice as much.
    assert start_clock.due == pytest.approx(999.5 + 10 - 1.5 - 1.0)
    assert play_clock.due == pytest.approx(999.5 + 8 - 1.5 - 1.0)


def test_short_clocks_leave_time_to_think() -> None:
    table = Table(margin=1.5)
    table.ask_all(start(clocks="1 0.5"), "(PLAY m1 NIL)")
    assert [deadline.due for deadline in table.session.clocks] == [1000.4, 1000.2]


def test_a_player_that_was_late_is_asked_for_earlier_answers() -> None:
    table = Table(margin=1.5)
    table.ask_all(start(clocks="10 8"), "(PLAY m1 NIL)")

    def be_late(deadline: Deadline) -> None:
        table.time = deadline.due + 1.0

    table.session.thinks = be_late
    table.ask("(PLAY m1 ((choose 0) (choose 2)))")
    now = table.time
    table.ask("(PLAY m1 ((choose 1) (choose 2)))")
    assert table.session.clocks[-1].due == pytest.approx(now + 8 - 1.5 - 2 * 1.0, abs=0.5)


# Threads


class LiveTable:
    """A protocol in real time whose players think until they are released."""

    def __init__(self) -> None:
        self.release = Event()
        self.sessions: list[FakeSession] = []
        self.protocol = PlayerProtocol(self._open, name="fake")

    def _open(self) -> FakeSession:
        self.sessions.append(FakeSession())
        return self.sessions[-1]

    def ask(self, message: str, *, received: float | None = None) -> str:
        return self.protocol.handle(message, received=received).text

    def ask_behind(
        self, message: str, *, received: float | None = None
    ) -> tuple[Thread, list[str]]:
        replies: list[str] = []
        thread = Thread(target=lambda: replies.append(self.ask(message, received=received)))
        thread.start()
        return thread, replies


def wait_until_told(session: FakeSession, count: int) -> None:
    waiting = Event()
    for _ in range(1000):
        if len(session.told) >= count:
            return
        waiting.wait(0.01)
    raise AssertionError(f"the player was only told {session.told}")


def wait_until_one_waits(threads: list[Thread]) -> None:
    for _ in range(1000):
        if sum(thread.is_alive() for thread in threads) == 1:
            return
        Event().wait(0.01)
    raise AssertionError("more than one request waits, or none")


def test_while_a_player_thinks_all_else_is_answered() -> None:
    table = LiveTable()
    table.ask(start("a", clocks="10 600"))
    table.ask(start("b", clocks="10 600"))
    table.sessions[0].thinks = patient(table.release)
    thread, replies = table.ask_behind("(PLAY a NIL)")
    wait_until_told(table.sessions[0], 2)
    assert table.ask("(INFO)") == "((name fake) (status available))"
    assert table.ask("(PLAY b NIL)") == "(choose 0)"
    assert table.ask("(STOP b NIL)") == "done"
    assert table.ask(start("c")) == "ready"
    assert not replies
    table.release.set()
    thread.join()
    assert replies == ["(choose 0)"]
    table.protocol.close()


def test_of_equal_plays_the_newest_waits_for_the_move() -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    table.ask("(PLAY m1 NIL)")
    session = table.sessions[0]
    session.thinks = patient(table.release)
    # The moves are such that they could follow themselves.
    session.answer = "(choose 1)"
    moves = "(PLAY m1 ((choose 1) (choose 2)))"
    first, first_replies = table.ask_behind(moves)
    wait_until_told(session, 3)
    others = [table.ask_behind(moves) for _ in range(5)]
    first.join()
    wait_until_one_waits([thread for thread, _ in others])
    assert first_replies == ["what"]  # while the player still thinks
    table.release.set()
    for thread, _ in others:
        thread.join()
    assert sorted(reply for _, (reply,) in others) == ["(choose 1)", *["what"] * 4]
    assert len(session.told) == 3
    assert table.ask(moves) == "(choose 1)"
    table.protocol.close()


def test_the_next_turn_waits_for_the_player_in_the_place_of_the_last() -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    session = table.sessions[0]
    session.thinks = patient(table.release)
    first, first_replies = table.ask_behind("(PLAY m1 NIL)")
    wait_until_told(session, 2)
    second, second_replies = table.ask_behind("(PLAY m1 ((choose 0) (choose 2)))")
    first.join()
    third, third_replies = table.ask_behind("(PLAY m1 ((choose 1) (choose 2)))")
    second.join()
    table.release.set()
    third.join()
    assert (first_replies, second_replies, third_replies) == (["what"], ["what"], ["(choose 2)"])
    assert session.told[2:] == ["play (choose 0) (choose 2)", "play (choose 1) (choose 2)"]
    table.protocol.close()


@pytest.mark.parametrize("wrong", ["(a b c)", "NIL NIL", "(((", "7 x (y)", "()", "x"], ids=repr)
def test_a_wrong_message_does_not_take_the_place_of_one_that_waits(wrong: str) -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    table.ask("(PLAY m1 NIL)")
    session = table.sessions[0]
    session.thinks = patient(table.release)
    thread, replies = table.ask_behind("(PLAY m1 ((choose 0) (choose 2)))")
    wait_until_told(session, 3)
    assert table.ask(f"(PLAY m1 {wrong})") == "what"
    table.release.set()
    thread.join()
    assert replies == ["(choose 1)"]
    table.protocol.close()


def test_questions_of_a_manager_that_does_not_wait_are_limited() -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    session = table.sessions[0]
    session.thinks = patient(table.release)
    asked = [table.ask_behind("(PLAY m1 NIL)")]
    wait_until_told(session, 2)
    for number in range(30):
        asked.append(table.ask_behind(f"(PLAY m1 ((choose {number}) (choose 2)))"))
    threads = [thread for thread, _ in asked]
    wait_until_one_waits(threads)
    table.release.set()
    for thread in threads:
        thread.join()
    # the first question, those that found no place, and the one that waited: all are answered
    assert all(replies for _, replies in asked)
    table.protocol.close()


def test_a_client_that_leaves_waits_no_longer_and_may_ask_again() -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    session = table.sessions[0]
    session.thinks = patient(table.release)
    leaves: list[Callable[[], None]] = []
    replies: list[Reply] = []

    def ask() -> None:
        replies.append(table.protocol.handle("(PLAY m1 NIL)", on_leaving=leaves.append))

    thread = Thread(target=ask)
    thread.start()
    wait_until_told(session, 2)
    while not leaves:
        Event().wait(0.01)
    leaves[0]()
    thread.join()
    assert (replies[0].text, replies[0].trouble) == ("what", "the client has left")
    again, again_replies = table.ask_behind("(PLAY m1 NIL)")
    table.release.set()
    again.join()
    assert again_replies == ["(choose 0)"]
    assert len(session.told) == 2
    table.protocol.close()


def test_the_newer_of_two_messages_waits_even_if_the_older_one_is_read_last() -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    session = table.sessions[0]
    session.thinks = patient(table.release)
    now = time.monotonic()
    newer, replies = table.ask_behind("(PLAY m1 NIL)", received=now)
    wait_until_told(session, 2)
    older = table.protocol.handle("(PLAY m1 NIL)", received=now - 0.001)
    assert (older.text, older.trouble) == ("what", "a newer message asks for the move")
    table.release.set()
    newer.join()
    assert replies == ["(choose 0)"]
    table.protocol.close()


@pytest.mark.parametrize(
    ("message", "reply"), [("(ABORT m1)", "aborted"), ("(STOP m1 NIL)", "done")]
)
def test_the_end_of_a_match_does_not_wait_for_the_player(message: str, reply: str) -> None:
    table = LiveTable()
    table.ask(start(clocks="10 600"))
    table.sessions[0].thinks = patient(table.release)
    thread, _ = table.ask_behind("(PLAY m1 NIL)")
    wait_until_told(table.sessions[0], 2)
    assert table.ask(message) == reply
    thread.join()  # the clock was cut
    table.protocol.close()
    assert table.sessions[0].is_closed


def test_a_play_does_not_wait_until_the_player_is_prepared() -> None:
    table = LiveTable()
    slow = FakeSession(thinks=patient(table.release))
    table.protocol = PlayerProtocol(lambda: slow)
    thread, replies = table.ask_behind(start(clocks="600 1"))
    wait_until_told(slow, 1)
    assert table.ask("(PLAY m1 NIL)") == "(choose 0)"
    thread.join()
    assert replies == ["ready"]
    table.protocol.close()
