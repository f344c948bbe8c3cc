"""Whole matches, and messages that are repeated, missing or wrong."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ggp.kif import parse_term
from ggp.server.messages import Info, Preview, Unreadable, parse_message
from tests.server.fakes import (
    RULES,
    SEES_EVERYTHING,
    FakeSession,
    Table,
    start,
)


def is_one_line_of_ascii_kif(text: str) -> bool:
    parse_term(text)  # raises KifError where it is not one term
    return text.isascii() and text.isprintable()


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
    table.wait_for_endings()
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
    table.wait_for_endings()
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


def test_the_role_is_spelled_as_in_the_rules() -> None:
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
    table.wait_for_endings()
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
    table.wait_for_endings()
    assert replies == ["ready", "(choose 0)", "(choose 1)", "done"]
    assert table.session.told[1:] == ["play nil", "play (choose 0) (choose 2)", "stop nil"]


def test_a_player_that_gets_only_percepts_plays_by_them() -> None:
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
def test_messages_of_unknown_matches_disturb_no_match(message: str) -> None:
    table = Table()
    replies = table.ask_all(start(), message, "(STOP other NIL)", "(ABORT M1)", "(PLAY m1 NIL)")
    assert replies == ["ready", "what", "done", "aborted", "(choose 0)"]


def test_a_match_that_is_over_is_known_no_more() -> None:
    table = Table()
    replies = table.ask_all(start(), "(STOP m1 NIL)", "(STOP m1 NIL)", "(PLAY m1 NIL)")
    assert replies == ["ready", "done", "done", "what"]


@given(st.data())
def test_a_match_continues_whatever_other_messages_arrive(data: st.DataObject) -> None:
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
    table.wait_for_endings()
    assert all(session.is_closed for session in table.sessions)


@st.composite
def mutations(draw: st.DrawFn, messages: list[str]) -> str:
    """Cut a piece out of a message, and perhaps put another in its place."""
    text = draw(st.sampled_from(messages))
    begin, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text[:begin] + draw(st.text(max_size=3) | st.sampled_from(["(", ")", "é"])) + text[end:]


@pytest.mark.parametrize(
    ("move", "reply"),
    [("caf\u00e9", "caf\\xe9"), ("(go \u2192)", "(go \\u2192)")],
)
def test_characters_outside_ascii_are_escaped(move: str, reply: str) -> None:
    table = Table()
    table.make = lambda: FakeSession(answer=move)
    assert table.ask_all(start(), "(PLAY m1 NIL)")[-1] == reply
