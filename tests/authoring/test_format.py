"""The layout: the same terms, the same comments, and nothing left to do a second time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.authoring import format_rules
from ggp.errors import KifError
from ggp.experiments.cards.deal import GAMES, Game, deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.gdl.outer import without_outer_parentheses
from ggp.kif import MAX_LENGTH, Source, Symbol, Term, parse
from tests.kif.random_terms import TERMS

PROJECT = Path(__file__).parents[2]
CORPUS = sorted((PROJECT.parent / "shared" / "corpus").glob("*.kif"))
GAMES_OF_OURS = sorted((PROJECT / "games").glob("*.kif"))

_COMMENT = re.compile(r";[^\r\n]*")


def comments(text: str) -> list[str]:
    return [comment.rstrip(" \t\f\v") for comment in _COMMENT.findall(text)]


def assert_same(source: Source | str, *, width: int = 100) -> str:
    """Check what holds for the layout of any text, and return it."""
    text = source if isinstance(source, str) else source.text
    formatted = format_rules(source, width=width)
    assert parse(formatted) == without_outer_parentheses(parse(source))
    assert _COMMENT.findall(formatted) == comments(text)
    assert format_rules(formatted, width=width) == formatted
    lines = re.split(r"\r?\n", formatted)
    assert not any(line != line.rstrip(" \t\f\v") for line in lines)
    assert ["", ""] not in [lines[i : i + 2] for i in range(len(lines) - 1)]
    assert formatted == "" or (lines[0] and lines[-1] == "" and lines[-2])
    return formatted


@pytest.mark.sample(8)
@pytest.mark.skipif(not CORPUS, reason="the collection of real rulesheets is not here")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_real_rulesheet_keeps_its_terms_and_comments(path: Path) -> None:
    source = Source.read(path)
    assert_same(source)
    assert_same(source, width=30)


@pytest.mark.parametrize("path", GAMES_OF_OURS, ids=lambda path: path.stem)
def test_a_bundled_game_has_the_layout(path: Path) -> None:
    source = Source.read(path)
    assert assert_same(source) == source.text
    assert_same(source, width=30)


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_has_the_layout(game: Game) -> None:
    text = rulesheet(deal(game, cards=3))
    assert format_rules(text) == text


_GAPS = st.text(" \t\n\r\f\v", max_size=3)
_REMARKS = st.text(
    st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=6
).map(lambda text: f";{text}\n")
_BETWEEN = st.tuples(_GAPS, st.one_of(st.just(""), st.just(""), _REMARKS), _GAPS).map("".join)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Terms with any blanks and comments between any two tokens."""
    parts: list[str] = []

    def write(term: Term) -> None:
        parts.append(draw(_BETWEEN))
        if isinstance(term, Symbol):
            parts.append(term.text)
        else:
            parts.append("(")
            for number, item in enumerate(term.items):
                if number:
                    parts.append(" ")
                write(item)
            parts.append(draw(_BETWEEN) + ")")

    for term in draw(st.lists(TERMS, max_size=5)):
        write(term)
        parts.append(" ")
    return "".join(parts) + draw(_BETWEEN)


@given(texts(), st.sampled_from([1, 8, 20, 100]))
def test_any_text_keeps_its_terms_and_comments(text: str, width: int) -> None:
    assert_same(text, width=width)


_PIECES = ["(", ")", "(", ")", " ", "\n", "\r", "; x\n", ";", "a", "<=", "or", "\0", "é", "\f"]


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_it_refuses_what_the_parser_refuses_in_the_same_words(text: str) -> None:
    refusal = refusal_of(parse, text)
    assert refusal_of(format_rules, text) == refusal
    if not refusal:
        assert_same(text)


def refusal_of(read: Callable[[Source], object], text: str) -> str:
    try:
        read(Source(text, "a text"))
    except KifError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(role x)\n(<= (p ?x\n", ":2:5: this parenthesis is never closed"),
        ("(role x))", ":1:9: this parenthesis closes nothing"),
        ("(" * 201 + ")" * 201, ":1:201: parentheses nest deeper than 200"),
        ("(role x) ; \0 is fine here\n(role \0)", ":2:7: no symbol may hold this character"),
        (" " * (MAX_LENGTH + 1), ":1:1: the text is longer than"),
    ],
)
def test_an_error_says_where(text: str, place: str) -> None:
    with pytest.raises(KifError) as raised:
        format_rules(Source(text, "g.kif"))
    assert raised.value.one_line().startswith(f"g.kif{place}")


LAYOUTS = {
    "a rule has a line for each condition": (
        "(<= (goal ?p 100) (role ?p) (not (true (lost ?p))))",
        "(<= (goal ?p 100)\n    (role ?p)\n    (not (true (lost ?p))))\n",
    ),
    "so has a disjunction": (
        "(<= p (not (or a b)) (or (c) (or d)))",
        "(<= p\n    (not (or a\n             b))\n    (or (c)\n        (or d)))\n",
    ),
    "a rule without conditions is short": ("(<=  (p\n1))", "(<= (p 1))\n"),
    "spelling stays": ("(<= Terminal(NOT(True x)))", "(<= Terminal\n    (NOT (True x)))\n"),
    "facts that share a line still do": (
        "(succ 1  2)(succ 2 3)\n(succ 3 4) done",
        "(succ 1 2) (succ 2 3)\n(succ 3 4) done\n",
    ),
    "a row of facts is broken where it is too long": (
        "(index 1) (index 2) (index 3) (index 4) ; all",
        "(index 1) (index 2)\n(index 3) (index 4) ; all\n",
    ),
    "a rule begins a line": (
        "(p a) (<= (p b) (p a)) (p c)",
        "(p a)\n(<= (p b)\n    (p a))\n(p c)\n",
    ),
    "a long fact is filled": (
        "(board (row a b c) (row d e ff) (row g h i))",
        "(board (row a b c)\n    (row d e ff) (row g h i))\n",
    ),
    "blank lines are one": ("\n\n(p)\n\n \n\n(q)\n(r)\n\n", "(p)\n\n(q)\n(r)\n"),
    "there are none in a rule": ("(<= p\n\n  q\n\n  r)", "(<= p\n    q\n    r)\n"),
    "comments stay where they are": (
        "; a\n\n  ;; b\n(p) ;c  \n(<= ;d\n p ; e\n ; f\n q;g\n) ; h",
        "; a\n\n;; b\n(p)   ;c\n(<=   ;d\n    p ; e\n    ; f\n    q) ;g\n; h\n",
    ),
    "a comment at the end of a rule stays in it": (
        "(<= p\n q\n ; (r)\n )\n(s)",
        "(<= p\n    q\n    ; (r)\n)\n(s)\n",
    ),
    "a comment inside a term breaks it": (
        "(<= p (true (cell ?x ; the column\n ?y)))",
        "(<= p\n    (true (cell ?x ; the column\n              ?y)))\n",
    ),
    "comments of consecutive lines begin in one column": (
        "(move up) ; north\n(move down)     ; south\n(move left)\n(go) ; on",
        "(move up)   ; north\n(move down) ; south\n(move left)\n(go) ; on\n",
    ),
    "but not where that is too wide": (
        "(a) ; 123456789 123456\n(bbbbbbbbbbbbbbb) ; 1",
        "(a) ; 123456789 123456\n(bbbbbbbbbbbbbbb) ; 1\n",
    ),
    "a text of comments": ("; only", "; only\n"),
    "nothing": ("", ""),
    "blanks": (" \n\t\f\r\n", ""),
    "line ends of Windows": ("(p)\r\n; a \r\n\r\n\r\n(q)", "(p)\r\n; a\r\n\r\n(q)\r\n"),
    "line ends of old": ("(p) ; a\r(q)\r\r(r)", "(p) ; a\n(q)\n\n(r)\n"),
    "tabs and form feeds": ("(p\ta)\f(q)\v\n", "(p a) (q)\n"),
    "a tab in a comment": ("(p)\t;\ta\tb\t", "(p) ;\ta\tb\n"),
    "bars and quotes are characters of names": ('(p |a b| "c;d")\n)', '(p |a b| "c) ;d")\n'),
    "letters of any script": ("(移动  é ) ; ж", "(移动 é) ; ж\n"),
    "a mark of byte order inside": ("(p)\ufeff(q)", "(p) \ufeff (q)\n"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name: str) -> None:
    before, after = LAYOUTS[name]
    assert format_rules(before, width=30) == after
    assert_same(before, width=30)


def test_deep_nesting_does_not_blow_up_a_text() -> None:
    text = "(a " * 198 + "(b ; c\n" + "(d) " * 5000 + ")" * 199
    assert len(assert_same(text)) < 20 * len(text)


@pytest.mark.timing
def test_a_megabyte_takes_less_than_two_seconds() -> None:
    texts = [Source.read(path).text for path in GAMES_OF_OURS]
    text = "\n".join(texts * (1_000_000 // sum(map(len, texts)) + 1))
    assert len(text) >= 1_000_000
    began = time.process_time()
    format_rules(text)
    assert time.process_time() - began < 2


def test_the_example_of_the_documentation_has_the_layout() -> None:
    page = (PROJECT / "docs" / "authoring.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```lisp\n(.*?)```", page, re.DOTALL)
    assert assert_same(example) == example


def test_one_pair_of_parentheses_around_the_rulesheet_goes() -> None:
    text = "; a game\n((role x) ; a role\n(init p)\n\n(<= terminal (true p))) ; the end\n"
    expected = "; a game\n(role x) ; a role\n(init p)\n\n(<= terminal\n    (true p)) ; the end\n"
    assert assert_same(text) == expected
    assert assert_same(f"({text})") == expected


def test_a_row_that_is_too_long_is_broken_evenly() -> None:
    row = " ".join(f"(succ {n} {n + 1})" for n in range(1, 12))
    formatted = assert_same(f"{row}\n(role x) ; a comment\n", width=100)
    assert [len(line.split(") (")) for line in formatted.splitlines()[:2]] == [6, 5]
    assert formatted.splitlines()[2:] == ["(role x) ; a comment"]
    # Lines that fit stay as they were written.
    assert format_rules("(p 1)\n(p 2) (p 3)\n") == "(p 1)\n(p 2) (p 3)\n"
