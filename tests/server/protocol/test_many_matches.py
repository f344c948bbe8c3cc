"""Players that fail, and several matches at the same time."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

import pytest

from ggp.errors import PlayerError
from ggp.server.access.peers import HERE
from ggp.server.messages import Message, parse_message
from ggp.server.protocol import Reply
from tests.server.fakes import (
    RULES,
    SEES_EVERYTHING,
    FakeSession,
    Table,
    broken,
    start,
)

# Trouble with the player


def test_rules_that_the_player_cannot_take_are_refused() -> None:
    table = Table(max_matches=1)
    table.make = broken
    reply = table.handle(start())
    assert (reply.text, reply.trouble) == ("busy", "no such game")
    assert table.session.is_closed
    assert table.ask("(INFO)") == "((name fake) (status available))"


def test_a_role_that_the_game_does_not_have_is_no_role_to_wait_for() -> None:
    """`busy` would say that the manager may ask again later."""
    table = Table(max_matches=1)
    reply = table.handle(start(role="red"))
    assert (reply.text, reply.trouble) == ("what", "the game has no role red")
    assert table.ask("(PLAY m1 NIL)") == "what"
    assert not table.sessions
    # and it takes the place of no match
    assert table.ask_all(start(), start(role="red"), "(PLAY m1 NIL)")[1:] == ["what", "(choose 0)"]


def test_the_rules_of_each_match_that_begins_are_told_of() -> None:
    begun = list[tuple[str, str]]()
    table = Table(max_matches=1)
    table.protocol._on_start = lambda match, rules: begun.append((match, rules))
    assert table.ask_all(start(role="red"), start(), start("m2")) == ["what", "ready", "busy"]
    assert begun == [("m1", RULES)]


def test_odd_moves_are_trouble_but_count() -> None:
    table = Table()
    table.ask_all(start(), "(PLAY m1 NIL)")
    table.session.doubt = "illegal move (choose 9) of black"
    reply = table.handle("(PLAY m1 ((choose 0) (choose 9)))")
    assert (reply.text, reply.trouble) == ("(choose 1)", "illegal move (choose 9) of black")
    table.session.doubt = ""
    reply = table.handle("(PLAY m1 ((choose 2) (choose 1)))")
    played = "the manager played (choose 2) for white, not the answer (choose 1)"
    assert (reply.text, reply.trouble) == ("(choose 2)", played)
    assert table.handle("(PLAY m1 ((CHOOSE 2) (choose 1)))").trouble == ""


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


def test_a_match_that_starts_again_replaces_the_old_one_even_beyond_the_limit() -> None:
    table = Table(max_matches=1)
    replies = table.ask_all(start(), "(PLAY m1 NIL)", start(role="black"), "(PLAY m1 NIL)")
    table.wait_for_endings()
    assert replies == ["ready", "(choose 0)"] * 2
    old, new = table.sessions
    assert old.told == ["start white 2.5", "play nil", "abort"]
    assert new.told == ["start black 2.5", "play nil"]


def test_a_match_without_messages_is_abandoned() -> None:
    table = Table()
    table.ask_all(start("old"), "(PLAY old NIL)")
    table.time += 60 + 10 + 5 * 4
    table.ask("(INFO)")
    assert [match.id for match in table.protocol.matches()] == ["old"]
    table.time += 1
    table.ask("(INFO)")
    table.wait_for_endings()
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
    table.wait_for_endings()
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
    table.wait_for_endings()
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
    table.wait_for_endings()
    assert table.sessions[0].told[-1] == "abort"
    assert table.protocol.ended() == {"over time": 1}


def test_how_matches_have_ended_is_counted() -> None:
    table = Table()
    table.ask_all(start("a"), start("b"), start("a"), "(STOP a NIL)", "(ABORT b)", "(STOP a NIL)")
    table.make = broken
    table.ask(start("c"))
    table.wait_for_endings()
    assert table.protocol.ended() == {"replaced": 1, "stopped": 1, "aborted": 1, "failed": 1}
    assert not table.protocol.matches()


def test_the_state_of_a_match_can_be_seen() -> None:
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
    table.wait_for_endings()
    assert first.told == ["start white 2.5", "play nil"]
    assert second.told == ["start black 2.5", "play nil", "stop nil"]


# Several peers


def test_what_a_stranger_says_about_a_match_is_not_said_of_it() -> None:
    table = Table()
    assert table.ask(start(), peer="192.0.2.1") == "ready"
    assert table.ask("(PLAY m1 NIL)", peer="192.0.2.1") == "(choose 0)"
    for peer in ("192.0.2.2", HERE):
        replies = [table.ask(f"({verb} m1 NIL)", peer=peer) for verb in ("PLAY", "STOP", "ABORT")]
        assert replies == ["what", "done", "aborted"]
        assert table.ask(start(), peer=peer) == "ready"  # a match of its own
        assert table.ask("(STOP m1 NIL)", peer=peer) == "done"
    moves = "(PLAY m1 ((choose 0) (choose 2)))"
    assert table.ask(moves, peer="192.0.2.1") == "(choose 1)"
    table.wait_for_endings()
    assert [session.told[-1] for session in table.sessions] == [
        "play (choose 0) (choose 2)",
        "stop nil",
        "stop nil",
    ]


def test_one_peer_does_not_get_all_matches() -> None:
    table = Table(max_matches=5, max_per_peer=2)

    def start_three(peer: str) -> list[str]:
        return [table.ask(start(f"m{number}"), peer=peer) for number in range(3)]

    assert start_three("192.0.2.1") == ["ready", "ready", "busy"]
    assert table.ask(start("m0"), peer="192.0.2.1") == "ready"  # in the place of its own
    assert "available" in table.ask("(INFO)", peer="192.0.2.1")
    assert start_three(HERE) == ["ready", "ready", "ready"]
    assert table.ask(start(), peer="192.0.2.2") == "busy"
    table.ask("(STOP m0 NIL)", peer="192.0.2.1")
    assert table.ask(start(), peer="192.0.2.2") == "ready"


def test_matches_that_are_ending_are_limited() -> None:
    table, release = Table(max_matches=1), Event()

    class Slow(FakeSession):
        def stop(self, joint_move: object) -> None:
            release.wait()

    table.make = Slow
    replies = [table.ask_all(start(), "(STOP m1 NIL)") for _ in range(6)]
    assert replies[:4] == [["ready", "done"]] * 4
    assert replies[4:] == [["busy", "done"]] * 2
    release.set()
    table.wait_for_endings()


def test_closing_ends_all_matches_and_takes_no_new_ones() -> None:
    table = Table()
    table.ask_all(start("a"), start("b"))
    table.protocol.close()
    assert [session.is_closed for session in table.sessions] == [True, True]
    assert table.ask(start("c")) == "busy"


def test_long_messages_that_wait_to_be_parsed_are_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, release = Table(max_message=200_000), Event()

    def parse_slowly(text: str) -> Message:
        if len(text) > 100_000:
            release.wait()
        return parse_message(text)

    monkeypatch.setattr("ggp.server.protocol.parse_message", parse_slowly)
    rules = RULES + "(note " + "x" * 150_000 + ")"
    with ThreadPoolExecutor(25) as pool:
        asked = [pool.submit(table.handle, start(f"m{n}", rules=rules)) for n in range(25)]
        refused = [wait_for_one(asked) for _ in range(20)]
        assert {reply.trouble for reply in refused} == {"too many long messages at once"}
        assert table.ask("(INFO)") == "((name fake) (status available))"
        release.set()
    assert [reply.result().text for reply in asked] == ["ready"] * 5


def wait_for_one(asked: list[Future[Reply]]) -> Reply:
    """Wait until one is answered, take it out, and return the answer."""
    done = next(iter(wait(asked, return_when=FIRST_COMPLETED).done))
    asked.remove(done)
    return done.result()
