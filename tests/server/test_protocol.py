from __future__ import annotations

from threading import Event, Thread

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import parse_term
from ggp.server.messages import Info, Preview, Unreadable, parse_message
from ggp.server.protocol import PlayerProtocol
from tests.server.fakes import (
    RULES,
    SEES_EVERYTHING,
    FakeSession,
    Table,
    broken,
    patient,
    start,
)


def is_one_line_of_ascii_kif(text: str) -> bool:
    parse_term(text)  # raises KifError where it is not one term
    return text.isascii() and text.isprintable()


def wait_for_endings(table: Table) -> None:
    """Closing waits for the matches that are ending behind."""
    table.protocol.close()


# Whole matches


def test_a_whole_match() -> None:
    table = Table()
    replies = table.ask_all(
        "( INFO )",
        f"( PREVIEW ({RULES}) 10 )",
        start(),
        "( PLAY m1 NIL )",
        "( PLAY m1 ((choose 0) (choose 2) ) )",
        "( PLAY m1 ((choose 1) (choose 1) ) )",
        "( STOP m1 ((choose 2) (choose 1) ) )",
    )
    wait_for_endings(table)
    assert replies == [
        "((name fake) (status available))",
        "ready",
        "ready",
        "(choose 0)",
        "(choose 1)",
        "(choose 2)",
        "done",
    ]
    assert table.session.rules == RULES
    assert table.session.told == [
        "start white 2.5",
        "play nil",
        "play (choose 0) (choose 2)",
        "play (choose 1) (choose 1)",
        "stop (choose 2) (choose 1)",
    ]
    assert table.session.is_closed


def test_an_aborted_match() -> None:
    table = Table()
    assert table.ask_all(start(), "(PLAY m1 NIL)", "(ABORT m1)") == [
        "ready",
        "(choose 0)",
        "aborted",
    ]
    wait_for_endings(table)
    assert table.session.told[-1] == "abort"
    assert table.session.is_closed


def test_dresden_writes_rules_and_moves_in_capitals() -> None:
    table = Table()
    replies = table.ask_all(
        start("Match.1", role="WHITE", rules=RULES.upper()),
        "(PLAY Match.1 NIL)",
        "(PLAY Match.1 ((CHOOSE 0) (CHOOSE 2)))",
        "(STOP Match.1 ((CHOOSE 1) (CHOOSE 2)))",
    )
    assert replies == ["ready", "(choose 0)", "(choose 1)", "done"]
    assert table.session.told[:3] == ["start WHITE 2.5", "play nil", "play (CHOOSE 0) (CHOOSE 2)"]


def test_the_role_is_spelled_as_the_rules_have_it() -> None:
    table = Table()
    table.ask(start(role="WHITE"))
    assert table.session.told == ["start white 2.5"]


@pytest.mark.parametrize("rules", [RULES + SEES_EVERYTHING, (RULES + SEES_EVERYTHING).upper()])
def test_the_later_generation_of_gdl_two(rules: str) -> None:
    table = Table()
    replies = table.ask_all(
        start(rules=rules),
        "(PLAY m1 0 NIL NIL)",
        "(PLAY m1 1 (CHOOSE 0) ((DID BLACK (CHOOSE 2)) (DID WHITE (CHOOSE 0)) ))",
        "(STOP m1 2 (CHOOSE 1) ((DID WHITE (CHOOSE 1)) (DID BLACK (CHOOSE 1)) ))",
    )
    wait_for_endings(table)
    assert replies == ["ready", "(choose 0)", "(choose 1)", "done"]
    assert table.session.told[1:] == [
        "play nil",
        "play (CHOOSE 0) (CHOOSE 2)",
        "stop (CHOOSE 1) (CHOOSE 1)",
    ]


def test_the_generation_of_2011() -> None:
    table = Table()
    percepts = "((did black (choose 2)) (did white (choose 0)))"
    replies = table.ask_all(
        start(rules=RULES + SEES_EVERYTHING),
        "(PLAY m1 NIL)",
        f"(PLAY m1 {percepts})",
        "(STOP m1 NIL)",
    )
    wait_for_endings(table)
    assert replies == ["ready", "(choose 0)", "(choose 1)", "done"]
    assert table.session.told[1:] == ["play nil", "play (choose 0) (choose 2)", "stop nil"]


def test_who_is_told_percepts_alone_plays_by_them() -> None:
    table = Table()
    rules = RULES + "(<= (sees white bell) (does black (choose 2)))"
    replies = table.ask_all(
        start(rules=rules), "(PLAY m1 NIL)", "(PLAY m1 (bell))", "(PLAY m1 ())", "(STOP m1 (bell))"
    )
    assert replies == ["ready", "(choose 0)", "(choose 1)", "(choose 2)", "done"]
    told = ["play nil", "play (choose 0), seen bell", "play (choose 1), seen "]
    assert table.session.told[1:4] == told


def test_the_move_that_the_manager_has_made_counts() -> None:
    table = Table()
    rules = RULES + "(<= (sees white bell) (does black (choose 2)))"
    table.ask_all(start(rules=rules), "(PLAY m1 0 NIL NIL)", "(PLAY m1 1 (choose 7) (bell))")
    assert table.session.told[-1] == "play (choose 7), seen bell"


# The wrong message


def test_the_same_play_again_gets_the_same_answer() -> None:
    table = Table()
    first, then = "(PLAY m1 NIL)", "(PLAY m1 ((choose 0) (choose 2)))"
    replies = table.ask_all(start(), first, first, then, then, then)
    assert replies == ["ready", "(choose 0)", "(choose 0)", *["(choose 1)"] * 3]
    assert table.session.told[1:] == ["play nil", "play (choose 0) (choose 2)"]


def test_a_numbered_play_again_gets_the_same_answer() -> None:
    table = Table()
    first = "(PLAY m1 0 NIL NIL)"
    then = "(PLAY m1 1 (choose 0) ((did black (choose 2)) (did white (choose 0))))"
    replies = table.ask_all(start(rules=RULES + SEES_EVERYTHING), first, first, then, then)
    assert replies == ["ready", "(choose 0)", "(choose 0)", "(choose 1)", "(choose 1)"]


def test_the_same_moves_in_the_next_turn_are_no_repetition() -> None:
    table = Table()
    table.make = lambda: FakeSession(answer="(choose 1)")
    again = "(PLAY m1 ((choose 1) (choose 2)))"
    table.ask_all(start(), "(PLAY m1 NIL)", again, again)
    assert table.session.told[2:] == ["play (choose 1) (choose 2)"] * 2


def test_a_play_that_skips_a_turn_is_refused_and_the_match_goes_on() -> None:
    table = Table()
    moves = "(choose 0) ((did black (choose 2)) (did white (choose 0)))"
    replies = table.ask_all(
        start(rules=RULES + SEES_EVERYTHING),
        "(PLAY m1 0 NIL NIL)",
        f"(PLAY m1 2 {moves})",
        f"(PLAY m1 1 {moves})",
        f"(PLAY m1 7 {moves})",
        f"(PLAY m1 0 {moves})",
        f"(PLAY m1 2 {moves})",
    )
    assert replies[2:] == ["what", "(choose 1)", "what", "what", "(choose 2)"]


def test_a_play_with_too_few_or_too_many_moves_is_refused_and_the_match_goes_on() -> None:
    table = Table()
    replies = table.ask_all(
        start(),
        "(PLAY m1 NIL)",
        "(PLAY m1 ((choose 0)))",
        "(PLAY m1 ((choose 0) (choose 2) (choose 1)))",
        "(PLAY m1 ((choose 0) (choose 2)))",
        "(PLAY m1 NIL)",
        "(PLAY m1 ())",
    )
    assert replies[2:] == ["what", "what", "(choose 1)", "what", "what"]


def test_a_match_whose_first_play_was_lost_goes_on() -> None:
    table = Table()
    assert table.ask_all(start(), "(PLAY m1 ((choose 1) (choose 2)))")[-1] == "(choose 0)"
    assert table.session.told[1:] == ["play (choose 1) (choose 2)"]


@pytest.mark.parametrize("message", ["(PLAY other NIL)", "(PLAY M1 NIL)"])
def test_ids_of_no_match_disturb_nobody(message: str) -> None:
    table = Table()
    replies = table.ask_all(start(), message, "(STOP other NIL)", "(ABORT M1)", "(PLAY m1 NIL)")
    assert replies == ["ready", "what", "done", "aborted", "(choose 0)"]


def test_a_match_that_is_over_is_known_no_more() -> None:
    table = Table()
    replies = table.ask_all(start(), "(STOP m1 NIL)", "(STOP m1 NIL)", "(PLAY m1 NIL)")
    assert replies == ["ready", "done", "done", "what"]


@given(st.data())
def test_whatever_else_comes_a_match_goes_on(data: st.DataObject) -> None:
    table = Table()
    messages = [
        "(PLAY m1 NIL)",
        "(PLAY m1 ((choose 0) (choose 2)))",
        "(PLAY m1 ((choose 1) (choose 2)))",
    ]
    assert table.ask(start()) == "ready"
    for turn, message in enumerate(messages):
        for _ in range(data.draw(st.integers(0, 3))):
            junk = data.draw(st.text() | mutations([start(), *messages, "(INFO)", "(STOP m1 NIL)"]))
            # A message that happens to be meant for this match may well change it.
            assume(isinstance(parse_message(junk), Unreadable | Info | Preview))
            assert is_one_line_of_ascii_kif(table.ask(junk))
        assert table.ask(message) == f"(choose {turn})"
    assert table.session.told[1:] == [
        "play nil",
        "play (choose 0) (choose 2)",
        "play (choose 1) (choose 2)",
    ]


@given(st.data())
def test_no_sequence_of_mutated_messages_is_left_without_an_answer(data: st.DataObject) -> None:
    table = Table(max_matches=2)
    whole = [start(), start("m2"), "(PLAY m1 NIL)", "(PLAY m1 ((choose 0) (choose 2)))"]
    whole += ["(PLAY m1 1 (choose 0) ((a b)))", "(STOP m1 NIL)", "(ABORT m1)", "(INFO)"]
    for message in data.draw(st.lists(st.sampled_from(whole) | mutations(whole), max_size=12)):
        assert is_one_line_of_ascii_kif(table.ask(message))
    wait_for_endings(table)
    assert all(session.is_closed for session in table.sessions)


@st.composite
def mutations(draw: st.DrawFn, messages: list[str]) -> str:
    """Cut a piece out of a message, and perhaps put another in its place."""
    text = draw(st.sampled_from(messages))
    begin, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text[:begin] + draw(st.text(max_size=3) | st.sampled_from(["(", ")", "é"])) + text[end:]


@pytest.mark.parametrize(
    ("move", "reply"),
    [("caf\u00e9", "caf\\xe9"), ("(go \u2192)", "(go \\u2192)"), ("a\x1cb", "a\\x1cb")],
)
def test_what_is_not_ascii_is_escaped(move: str, reply: str) -> None:
    table = Table()
    table.make = lambda: FakeSession(answer=move)
    assert table.ask_all(start(), "(PLAY m1 NIL)")[-1] == reply


# Trouble with the player


def test_rules_that_the_player_cannot_take_are_refused() -> None:
    table = Table(max_matches=1)
    table.make = broken
    reply = table.handle(start())
    assert (reply.text, reply.trouble) == ("busy", "no such game")
    assert table.session.is_closed
    assert table.ask("(INFO)") == "((name fake) (status available))"


def test_a_role_that_the_game_does_not_have_is_refused() -> None:
    table = Table()
    assert table.ask_all(start(role="red"), "(PLAY m1 NIL)") == ["busy", "what"]
    assert not table.sessions


def test_a_player_without_a_move_gets_the_rest_of_the_clock() -> None:
    table = Table(margin=1.5)
    table.ask_all(start(), "(PLAY m1 NIL)")
    table.session.errors = [PlayerError("no move in time")]
    assert table.ask("(PLAY m1 ((choose 0) (choose 2)))") == "(choose 2)"
    assert table.session.told[2:] == ["play (choose 0) (choose 2)", "play nil"]
    assert [deadline.due - table.time for deadline in table.session.clocks[2:]] == (
        pytest.approx([2.5, 3.55])
    )


def test_a_player_without_a_move_is_asked_again_when_the_manager_asks_again() -> None:
    table = Table()
    table.ask_all(start(), "(PLAY m1 NIL)")
    table.session.errors = [PlayerError("no move in time"), PlayerError("its process died")]
    moves = "(PLAY m1 ((choose 0) (choose 2)))"
    assert table.ask_all(moves, moves) == ["nil", "(choose 3)"]
    assert table.session.told[2:] == ["play (choose 0) (choose 2)", "play nil", "play nil"]


@pytest.mark.parametrize(("message", "reply"), [(start("m2"), "busy"), ("(PLAY m1 NIL)", "nil")])
def test_even_a_bug_is_answered(message: str, reply: str, caplog: pytest.LogCaptureFixture) -> None:
    table = Table()
    table.ask(start())
    table.session.errors = [ZeroDivisionError("a bug")]
    table.make = lambda: FakeSession(errors=[ZeroDivisionError("a bug")])
    assert table.ask(message) == reply
    assert "ZeroDivisionError" in caplog.text
    assert table.ask("(INFO)") == "((name fake) (status available))"


# Many matches


def test_beyond_the_limit_the_player_is_busy() -> None:
    table = Table(max_matches=2)
    replies = table.ask_all(start("a"), "(INFO)", start("b"), "(INFO)", start("c"), "(PLAY c NIL)")
    assert replies == [
        "ready",
        "((name fake) (status available))",
        "ready",
        "((name fake) (status busy))",
        "busy",
        "what",
    ]
    assert table.ask_all("(STOP a NIL)", start("c"), "(PLAY c NIL)") == [
        "done",
        "ready",
        "(choose 0)",
    ]


def test_a_match_that_starts_anew_replaces_the_old_one_even_beyond_the_limit() -> None:
    table = Table(max_matches=1)
    replies = table.ask_all(start(), "(PLAY m1 NIL)", start(role="black"), "(PLAY m1 NIL)")
    wait_for_endings(table)
    assert replies == ["ready", "(choose 0)"] * 2
    old, new = table.sessions
    assert old.told == ["start white 2.5", "play nil", "abort"]
    assert new.told == ["start black 2.5", "play nil"]


def test_a_match_of_which_nothing_is_heard_is_abandoned() -> None:
    table = Table()
    table.ask_all(start("old"), "(PLAY old NIL)")
    table.time += 60 + 10 + 5 * 4
    table.ask("(INFO)")
    assert [match.id for match in table.protocol.matches()] == ["old"]
    table.time += 1
    table.ask("(INFO)")
    wait_for_endings(table)
    assert table.sessions[0].told[-1] == "abort"
    assert table.protocol.ended() == {"abandoned": 1}


def test_a_manager_that_sends_no_stop_leaves_the_player_busy_for_two_clocks_only() -> None:
    table = Table(max_matches=1)
    table.ask_all(start("old"), "(PLAY old NIL)")
    table.time += 2 * 4 + 10
    assert table.ask_all("(INFO)", start("new")) == ["((name fake) (status busy))", "busy"]
    table.time += 1
    assert table.ask_all("(INFO)", start("new"), "(PLAY new NIL)", "(PLAY old NIL)") == [
        "((name fake) (status available))",
        "ready",
        "(choose 0)",
        "what",
    ]
    wait_for_endings(table)
    assert table.sessions[0].told[-1] == "abort"


def test_a_silent_match_goes_on_where_there_is_room_for_others() -> None:
    table = Table(max_matches=2)
    table.ask_all(start("human"), "(PLAY human NIL)")
    table.time += 60
    replies = table.ask_all(start("new"), "(PLAY human ((choose 0) (choose 2)))")
    assert replies == ["ready", "(choose 1)"]


@pytest.mark.parametrize("more", ["", SEES_EVERYTHING])
@pytest.mark.parametrize(
    "moves",
    ["", "NIL", "nil", "()", "((choose 0) (choose 2))", "((choose 0))", "1 (choose 0) ((a b))",
     "1 NIL NIL", "1 (choose 0)", "x y z", "1 (choose 0) ((a b)) more"],
)  # fmt: skip
def test_a_stop_of_any_form_ends_the_match(moves: str, more: str) -> None:
    table = Table(max_matches=1)
    table.ask_all(start(rules=RULES + more), "(PLAY m1 NIL)")
    assert table.ask_all(f"(STOP m1 {moves})", "(INFO)") == [
        "done",
        "((name fake) (status available))",
    ]
    wait_for_endings(table)
    assert table.session.told[-1].startswith("stop ")
    assert table.session.is_closed


@pytest.mark.parametrize("more", ["", "(<= (sees ?r (bell)) (role ?r))"])
@pytest.mark.parametrize(
    "moves",
    ["((choose 0) (choose 2))", "1 (choose 0) ((choose 0) (choose 2))",
     "1 (choose 0) ((choose 0) (choose 2)) more"],
)  # fmt: skip
def test_a_play_of_either_form_that_has_the_joint_move_is_understood(moves: str, more: str) -> None:
    table = Table()
    table.ask_all(start(rules=RULES + more), "(PLAY m1 NIL)")
    assert table.ask(f"(PLAY m1 {moves})") == "(choose 1)"
    assert table.session.told[-1] == "play (choose 0) (choose 2)"


def test_a_match_that_lasts_too_long_is_given_up() -> None:
    table = Table(match_seconds=100)
    table.ask_all(start("old"), "(PLAY old NIL)")
    table.time += 60
    table.ask_all("(PLAY old ((choose 0) (choose 2)))", start("new"))
    table.time += 41
    table.protocol.release_abandoned()
    assert table.ask_all("(PLAY old ((choose 1) (choose 2)))", "(PLAY new NIL)") == [
        "what",
        "(choose 0)",
    ]
    wait_for_endings(table)
    assert table.sessions[0].told[-1] == "abort"
    assert table.protocol.ended() == {"over time": 1}


def test_how_matches_have_ended_is_counted() -> None:
    table = Table()
    table.ask_all(start("a"), start("b"), start("a"), "(STOP a NIL)", "(ABORT b)", "(STOP a NIL)")
    table.make = broken
    table.ask(start("c"))
    wait_for_endings(table)
    assert table.protocol.ended() == {"replaced": 1, "stopped": 1, "aborted": 1, "failed": 1}
    assert not table.protocol.matches()


def test_what_can_be_seen_of_a_match() -> None:
    table = Table()
    table.ask_all(start(clocks="20 7"), "(PLAY m1 NIL)")
    table.time += 3
    (seen,) = table.protocol.matches()
    assert (seen.id, seen.role, seen.phase, seen.turn) == ("m1", "white", "waiting", 0)
    assert (seen.answer, seen.start_clock, seen.play_clock) == ("(choose 0)", 20, 7)
    assert (seen.age, seen.silence) == (3, 3)


def test_a_match_that_goes_on_is_not_abandoned() -> None:
    table = Table()
    table.ask_all(start(), "(PLAY m1 NIL)")
    table.time += 80
    table.ask("(PLAY m1 ((choose 0) (choose 2)))")
    table.time += 80
    table.protocol.release_abandoned()
    assert table.ask("(PLAY m1 ((choose 1) (choose 2)))") == "(choose 2)"


def test_two_roles_of_a_match_are_told_apart_by_their_address() -> None:
    table = Table()
    table.ask(start(role="white"), "Alice")
    table.ask(start(role="black"), "Bob")
    first, second = table.sessions
    second.answer = "(choose 7)"
    assert table.ask("(PLAY m1 NIL)", "Bob") == "(choose 7)"
    assert table.ask("(PLAY m1 NIL)", "Alice") == "(choose 0)"
    assert table.ask("(PLAY m1 NIL)", "Carol") == "what"
    table.ask("(STOP m1 NIL)", "Bob")
    assert table.ask("(PLAY m1 NIL)", "Carol") == "(choose 0)"
    wait_for_endings(table)
    assert first.told == ["start white 2.5", "play nil"]
    assert second.told == ["start black 2.5", "play nil", "stop nil"]


def test_closing_ends_all_matches_and_takes_no_new_ones() -> None:
    table = Table()
    table.ask_all(start("a"), start("b"))
    table.protocol.close()
    assert [session.is_closed for session in table.sessions] == [True, True]
    assert table.ask(start("c")) == "busy"


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

    def ask(self, message: str) -> str:
        return self.protocol.handle(message).text

    def ask_behind(self, message: str) -> tuple[Thread, list[str]]:
        replies: list[str] = []
        thread = Thread(target=lambda: replies.append(self.ask(message)))
        thread.start()
        return thread, replies


def wait_until_told(session: FakeSession, count: int) -> None:
    waiting = Event()
    for _ in range(1000):
        if len(session.told) >= count:
            return
        waiting.wait(0.01)
    raise AssertionError(f"the player was only told {session.told}")


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


def test_a_play_repeated_while_the_player_thinks_gets_the_same_answer() -> None:
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
    second, second_replies = table.ask_behind(moves)
    Event().wait(0.1)  # the second message has arrived by now
    table.release.set()
    first.join()
    second.join()
    assert first_replies == second_replies == ["(choose 1)"]
    assert len(session.told) == 3
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
