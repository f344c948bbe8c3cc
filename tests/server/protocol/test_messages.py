from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Symbol, parse_term
from ggp.server.messages import (
    Abort,
    Info,
    MessageEnd,
    Moves,
    Play,
    Preview,
    Rules,
    Start,
    Stop,
    Unreadable,
    parse_message,
)

LETTERS = st.text(alphabet="()aA?1 ;\n\té-", max_size=40)


@pytest.mark.parametrize(
    "text", ["(INFO)", "( INFO )", "(info)", "info", "info()", "(PING)", "ping", "\n(Ping)\r\n"]
)
def test_info_is_understood_in_every_spelling(text: str) -> None:
    assert parse_message(text) == Info()


def test_start_keeps_the_rules_as_they_came() -> None:
    rules = "(role x) ; one (comment)\n(<= (next (c ?x))\t(true (c ?x)))"
    message = parse_message(f"( START Match.1 X ({rules} ) 30 10.5)")
    assert message == Start("Match.1", "X", Rules(rules + " "), 30.0, 10.5)


def test_start_tolerates_further_arguments() -> None:
    assert parse_message("(start m x ((role x)) 1 2 (gdl 2) more)") == Start(
        "m", "x", Rules("(role x)"), 1.0, 2.0
    )


def test_ids_keep_their_case_and_verbs_do_not() -> None:
    assert parse_message("(aBoRt MaTcH)") == Abort("MaTcH")


def test_preview_is_understood() -> None:
    assert parse_message("( PREVIEW ((role x) ) 10 )") == Preview()


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("NIL", Moves(None)),
        ("nil", Moves(None)),
        ("((mark 1 1) noop)", Moves((parse_term("(mark 1 1)"), Symbol("noop")))),
        ("((mark 1 1) noop )", Moves((parse_term("(mark 1 1)"), Symbol("noop")))),
        ("()", Moves(())),
        ("0 NIL NIL", Moves(None, 0, None)),
        (
            "3 (MARK 1 1) ((DID X NOOP))",
            Moves((parse_term("(DID X NOOP)"),), 3, parse_term("(MARK 1 1)")),
        ),
        ("3 noop ()", Moves((), 3, Symbol("noop"))),
    ],
)
def test_play_and_stop_are_understood_in_all_generations(text: str, moves: Moves) -> None:
    assert parse_message(f"( PLAY m {text} )") == Play("m", moves)
    assert parse_message(f"( STOP m {text} )") == Stop("m", moves)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no message"),
        (" ; a comment", "no message"),
        ("()", "no message"),
        ("(DANCE m)", "unknown verb dance"),
        ("((a) b)", "unknown verb (a)"),
        ("(PLAY m", "a parenthesis is never closed"),
        ("(PLAY m NIL))", None),  # what follows the message does not matter
        (") (INFO)", "a parenthesis closes nothing"),
        ("(PLAY m noop)", "the moves are no list"),
        ("(PLAY m x noop ())", "the turn is no number"),
        ("(PLAY m ² noop ())", "the turn is no number"),
        ("(PLAY m)", "moves in 0 arguments"),
        ("(PLAY)", "play with 0 arguments"),
        ("(PLAY (m) NIL)", "a list where a name should stand"),
        ("(START m x ((role x)) 10)", "start with 4 arguments"),
        ("(START m x rules 10 10)", "the rules are no list"),
        ("(START m x ((role x)) ten 10)", "a clock is no number of seconds"),
        ("(START m x ((role x)) -1 10)", "a clock is no number of seconds"),
        ("(START m x ((role x)) nan inf)", "a clock is no number of seconds"),
        ("(" * 1_000_000, "parentheses nest too deep"),
    ],
)
def test_the_error_of_a_message_is_reported(text: str, reason: str | None) -> None:
    expected = Play("m", Moves(None)) if reason is None else Unreadable(reason)
    assert parse_message(text) == expected


def test_moves_may_hold_no_character_that_kif_forbids() -> None:
    assert isinstance(parse_message("(PLAY m (a\x00b))"), Unreadable)


@given(st.text() | LETTERS)
def test_any_text_is_some_message(text: str) -> None:
    assert isinstance(
        parse_message(text), Info | Preview | Start | Play | Stop | Abort | Unreadable
    )


def test_roles_are_found_in_their_order() -> None:
    rules = Rules("""
        (<= (legal black noop) (role white)) (ROLE black) ; (role red)
        ( role  white ) (role ?other) (<= (p ?r) (role ?r)) (role black)
    """)
    assert rules.roles == ("black", "white")


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ("(<= (sees ?r ?m) (does ?r ?m))", 1),
        ("(SEES x start) (<= ( Sees ?r ?m) (does ?r ?m))", 2),
        ("(<= (next (seen ?x)) (true (sees ?x))) ; (sees x y)", 0),
    ],
)
def test_rules_for_sees_are_found(rules: str, count: int) -> None:
    assert len(Rules(rules).sees) == count


@given(LETTERS, st.data())
def test_a_message_ends_where_its_parentheses_do_however_it_is_cut(
    junk: str, data: st.DataObject
) -> None:
    text = f"(PLAY m ((mark 1 1) ; (\n noop)){junk}".encode()
    end = text.index(b"noop))") + len("noop))")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    finder = MessageEnd()
    is_whole = False
    for begin, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        if not is_whole:
            is_whole = finder.feed(text[begin:stop])
            assert is_whole == (stop >= end)


@pytest.mark.parametrize("verb", ["PLAY", "STOP"])
def test_moves_of_more_than_a_hundred_thousand_characters_are_not_parsed(verb: str) -> None:
    longest = f"(move {'x' * 99_900})"
    assert not isinstance(parse_message(f"({verb} m1 ({longest}))"), Unreadable)
    parsed = parse_message(f"({verb} m1 ({longest} {longest}))")
    if verb == "STOP":
        assert parsed == Stop("m1", Moves(None))
    else:
        assert parsed == Unreadable("the moves have more than 100000 characters")
