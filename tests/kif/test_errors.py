from __future__ import annotations

import pytest

from ggp.errors import GgpError, KifError, SourceError, Span
from ggp.kif import Source, parse, parse_term


def error_of(text: str) -> KifError:
    with pytest.raises(KifError) as caught:
        parse(Source(text, "game.kif"))
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("(a))", 1, 4),
        (")", 1, 1),
        ("(a)\n(b (c)))\n(d)", 2, 8),
        ("(a) ; (\n  )", 2, 3),
        ("(a)\r\n)", 2, 1),
    ],
)
def test_a_closing_parenthesis_too_many(text: str, line: int, column: int) -> None:
    error = error_of(text)
    assert error.message == "this parenthesis closes nothing"
    assert (error.span.file, error.span.line, error.span.column) == ("game.kif", line, column)
    assert "remove it" in error.hint


@pytest.mark.parametrize(
    ("text", "line", "column", "missing"),
    [
        ("(", 1, 1, 1),
        ("(a (b)", 1, 1, 1),
        ("(a (b", 1, 4, 2),
        ("(a)\n(b (c ?x)\n", 2, 1, 1),
        ("(a) ; )\n(b", 2, 1, 1),
        # Rules begin at the margin: the one that swallowed the next is at fault.
        ("(a)\n(<= (b ?x)\n    (c ?x)\n(<= (d) (e))\n(f)", 2, 1, 1),
        ("(a)\n(<= (b ?x)\n    (c ?x\n(<= (d) (e))\n(f)", 3, 5, 2),
        ("(a)\n(b (c\n(d)\n(e (f\n(g)", 2, 4, 4),
    ],
)
def test_a_parenthesis_that_is_never_closed(
    text: str, line: int, column: int, missing: int
) -> None:
    error = error_of(text)
    assert error.message == "this parenthesis is never closed"
    assert (error.span.line, error.span.column) == (line, column)
    assert error.hint == f"add {missing} closing parenthes{'is' if missing == 1 else 'es'}"


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_a_character_of_no_text_is_pointed_at(character: str) -> None:
    error = error_of(f"(a)\n  (b {character}c)")
    assert (error.span.line, error.span.column) == (2, 6)


def test_the_error_shows_the_line_a_caret_and_the_fix() -> None:
    assert str(error_of("(role x)\n\t(p ?y))\n(q)")).split("\n") == [
        "game.kif:2:8: this parenthesis closes nothing",
        "     (p ?y))",
        "           ^",
        "    remove it, or add the opening one that it belongs to",
    ]


def test_the_error_fits_one_line_too() -> None:
    assert error_of("(a").one_line() == (
        "game.kif:1:1: this parenthesis is never closed (add 1 closing parenthesis)"
    )


def test_a_long_line_is_cut_to_the_place_of_the_error() -> None:
    shown, caret = error_of("(" + "x" * 100_000 + "))").span.caret().split("\n")
    assert len(shown) < 120
    assert shown[caret.index("^")] == ")"


def test_without_a_position_the_error_points_at_the_beginning() -> None:
    assert Source("", "empty.kif").span(None) == Span("empty.kif", 1, 1)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [("", "expected a term", 1), ("(a) (b)", "expected the end of the text after one term", 5)],
)
def test_one_term_is_neither_none_nor_two(text: str, message: str, column: int) -> None:
    with pytest.raises(KifError) as caught:
        parse_term(text)
    assert (caught.value.message, caught.value.span.column) == (message, column)


def test_the_base_of_all_errors_catches_these() -> None:
    assert issubclass(KifError, SourceError)
    assert issubclass(SourceError, GgpError)
