from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import KifError
from ggp.kif import (
    MAX_DEPTH,
    Compound,
    Position,
    Source,
    Symbol,
    Term,
    compound,
    parse,
    parse_term,
    symbols,
    variables,
)
from ggp.kif.terms import is_ground
from tests.kif.random_terms import RULESHEETS


def positions(term: Term) -> list[tuple[str, tuple[int, int]]]:
    """Every node of the term, in its order, with where it was read."""
    assert term.position is not None
    found = [(str(term), (term.position.line, term.position.column))]
    if isinstance(term, Compound):
        for item in term.items:
            found += positions(item)
    return found


def test_terms_are_symbols_and_compounds() -> None:
    assert parse("(role white) done (f (g ?x) ())") == (
        compound("role", Symbol("white")),
        Symbol("done"),
        compound("f", compound("g", Symbol("?x")), Compound(())),
    )


def test_an_empty_text_has_no_terms() -> None:
    assert parse("") == parse(" \t\n ; nothing\n") == ()


def test_every_node_knows_its_line_and_column() -> None:
    text = "(role white)\n\n  (<= (next\t?x)\n      (true ?x)) ; why\nend"
    found = [node for term in parse(text) for node in positions(term)]
    assert found == [
        ("(role white)", (1, 1)),
        ("role", (1, 2)),
        ("white", (1, 7)),
        ("(<= (next ?x) (true ?x))", (3, 3)),
        ("<=", (3, 4)),
        ("(next ?x)", (3, 7)),
        ("next", (3, 8)),
        ("?x", (3, 13)),
        ("(true ?x)", (4, 7)),
        ("true", (4, 8)),
        ("?x", (4, 13)),
        ("end", (5, 1)),
    ]


@given(RULESHEETS, st.sampled_from([" ", "\n", "\r\n", "\t ; a comment (\n"]))
def test_the_text_at_a_nodes_position_is_the_node(terms: tuple[Term, ...], blank: str) -> None:
    text = blank.join(str(term) for term in terms)
    lines = text.split("\n")
    for term in parse(text):
        for shown, (line, column) in positions(term):
            first = shown if shown[0] != "(" else "("
            assert lines[line - 1][column - 1 :].startswith(first)


def test_where_a_term_was_read_does_not_matter_for_equality() -> None:
    (there,) = parse("\n\n   (f x)")
    assert there == compound("f", Symbol("x"))
    assert hash(there) == hash(compound("f", Symbol("x")))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_comment_ends_with_its_line(end: str) -> None:
    assert parse(f"a ; ( b{end}c;d{end}") == (Symbol("a"), Symbol("c"))


def test_windows_line_ends_count_as_one_line_each() -> None:
    first, second = parse("(a)\r\n  (b)\r\n")
    assert (first.position, second.position) == (Position(1, 1), Position(2, 3))
    with pytest.raises(KifError) as caught:
        parse("(a)\r\n (b))\r\n")
    assert caught.value.span.text == " (b))"


@pytest.mark.parametrize(
    "text",
    ["=", "+", "*", "'", '"', "a'b", "\\", "|", ":-", "[]", "%", ",", "1.5", "日本", "é", "😀"],
)
@pytest.mark.parametrize("more", ["", "?", "-", "\u00a0", "\u2028", "\ufeff"])
def test_a_symbol_may_hold_any_character_that_is_no_blank_bracket_semicolon_or_control(
    text: str, more: str
) -> None:
    symbol = Symbol(text + more)
    assert parse(f"(f {symbol} (g {symbol}))") == (compound("f", symbol, compound("g", symbol)),)


def test_case_is_kept() -> None:
    assert [s.text for s in symbols(parse_term("(ROLE White ?X ?x)"))] == [
        "ROLE",
        "White",
        "?X",
        "?x",
    ]


def test_variables_begin_with_a_question_mark() -> None:
    term = parse_term("(f ?x (g y ?z) ?x a?b)")
    assert [v.text for v in variables(term)] == ["?x", "?z", "?x"]
    assert not is_ground(term)
    assert is_ground(parse_term("(f a?b ())"))


def test_the_name_of_a_compound_is_its_first_symbol() -> None:
    assert parse_term("(f x y)").items[1:] == parse_term("(f x y)").arguments  # type: ignore[union-attr]
    names = [term.name for term in parse("(f x) () ((g) x)") if isinstance(term, Compound)]
    assert names == ["f", "", ""]


class TestFiles:
    def test_utf8_with_and_without_a_mark(self, tmp_path: Path) -> None:
        text = "(role é) (role 日本)"
        for name, encoding in (("plain.kif", "utf-8"), ("marked.kif", "utf-8-sig")):
            (tmp_path / name).write_bytes(text.encode(encoding))
            source = Source.read(tmp_path / name)
            assert source.text == text
            assert source.name == str(tmp_path / name)
            assert parse(source)[0].position == Position(1, 1)

    def test_text_that_is_not_utf8_is_read_as_latin1(self, tmp_path: Path) -> None:
        (tmp_path / "old.kif").write_bytes("(role é)".encode("latin-1"))
        assert parse(Source.read(tmp_path / "old.kif")) == (compound("role", Symbol("é")),)

    @given(st.binary(max_size=200))
    def test_any_bytes_are_a_text_that_parses_or_a_kif_error(self, data: bytes) -> None:
        source = Source.decode(data)
        try:
            terms = parse(source)
        except KifError as error:
            assert 1 <= error.span.line <= source.text.count("\n") + 1  # noqa: PT017
        else:
            assert isinstance(terms, tuple)

    def test_a_missing_file_is_an_os_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            Source.read(tmp_path / "none.kif")


class TestLargeTexts:
    def test_terms_may_nest_as_deep_as_promised(self) -> None:
        text = "(f " * MAX_DEPTH + "x" + ")" * MAX_DEPTH
        assert str(parse_term(text)) == text

    def test_a_deeper_nesting_is_refused_where_it_begins(self) -> None:
        for depth in (MAX_DEPTH + 1, 10_000):
            with pytest.raises(KifError, match="nest deeper than 200") as caught:
                parse("(" * depth + ")" * depth)
            assert (caught.value.span.line, caught.value.span.column) == (1, MAX_DEPTH + 1)

    def test_a_million_opening_parentheses(self) -> None:
        with pytest.raises(KifError, match="nest deeper"):
            parse("(" * 1_000_000)

    def test_a_million_closing_parentheses(self) -> None:
        with pytest.raises(KifError, match="closes nothing"):
            parse(")" * 1_000_000)

    @pytest.mark.long
    def test_a_rulesheet_of_a_megabyte(self) -> None:
        rule = (
            "(<= (next (cell {0} ?column white)) (true (cell {0} ?column white)) (index ?column))"
        )
        text = "\n".join(rule.format(number) for number in range(12_500))
        assert len(text) > 1_000_000
        terms = parse(text)
        assert len(terms) == 12_500
        assert terms[-1].position == Position(12_500, 1)
