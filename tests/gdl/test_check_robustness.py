"""For any text, the checker soon returns findings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import SourceError
from ggp.gdl import Description
from ggp.gdl.check import CODES, check
from ggp.kif import MAX_DEPTH, Source
from tests.gdl.sheets import GAME, codes_of, errors_of, with_line

TOKENS = re.findall(r"[()]|[^()\s]+", GAME)
FOREIGN = (
    "=>",
    ":-",
    "and",
    "~",
    "// x\n",
    "/*",
    "*/",
    "\n# x\n",
    "R",
    "\n; ggp: ignore[syntax]\n",
)
WORDS = sorted(
    {*TOKENS, "or", "distinct", "sees", "NEXT", "()", "?", "é", "101", "; x\n", *FOREIGN}
)


def judge(text: str) -> None:
    """Check a text; a text without an error must describe a game."""
    findings = check(Source(text, "mutilated.kif"))
    lines = text.split("\n")
    for finding in findings:
        assert finding.code in CODES
        assert 1 <= finding.span.line <= len(lines)
        assert 1 <= finding.span.column <= len(lines[finding.span.line - 1]) + 1
    places = [(f.span.line, f.span.column, f.code) for f in findings]
    assert places == sorted(set(places))
    try:
        Description.from_text(text)
    except SourceError:
        assert any(finding.severity == "error" for finding in findings)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["drop", "insert", "replace", "repeat"]),
            st.integers(0, len(TOKENS) - 1),
            st.sampled_from(WORDS),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_game_with_mutilated_tokens_is_judged(mutilations: list[tuple[str, int, str]]) -> None:
    tokens = list(TOKENS)
    for how, place, word in mutilations:
        at = place % len(tokens)
        keep = {"drop": [], "insert": [word, tokens[at]], "replace": [word]}
        tokens[at : at + 1] = keep.get(how, [tokens[at]] * 2)
    judge(" ".join(tokens))


@given(
    st.integers(0, len(GAME)),
    st.integers(0, 30),
    st.text("()?ab<=; \n\r\té/%#:-*.\u00a0\uff08", max_size=12),
)
def test_a_game_with_mutilated_characters_is_judged(start: int, length: int, put: str) -> None:
    judge(GAME[:start] + put + GAME[start + length :])


TERMS = st.recursive(
    st.sampled_from(WORDS).map(str),
    lambda inner: st.lists(inner, max_size=5).map(lambda items: f"({' '.join(items)})"),
    max_leaves=25,
)


@given(st.lists(TERMS, max_size=8))
def test_random_terms_are_judged(terms: list[str]) -> None:
    judge("\n".join(terms))


@pytest.mark.parametrize("text", ["", ";", "\n\n", "\ufeff", "<html></html>", "hello world"])
def test_text_that_is_not_a_game_has_errors(text: str) -> None:
    assert errors_of(text) >= {"missing-role", "missing-goal"}


MANY = 1000
#: What might take long or nest deep, and the codes of all that is found in it.
HOSTILE: dict[str, tuple[str, set[str]]] = {
    "nested terms": ("(succ 3 " + "(f " * (MAX_DEPTH - 1) + "4" + ")" * MAX_DEPTH, set()),
    "nested disjunctions": (
        "(<= terminal " + "(or (less 2 1) " * (MAX_DEPTH - 2) + ")" * (MAX_DEPTH - 1),
        {"nested-or", "trivial-or", "impossible-constant"},
    ),
    "nested negations": (
        "(<= terminal " + "(not " * (MAX_DEPTH - 1) + "x" + ")" * MAX_DEPTH,
        {"negation-of-nonatom"},
    ),
    "nested parentheses": (
        "(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH,
        {"needless-parentheses", "unused-relation"},
    ),
    "negated disjunctions": (
        "(<= terminal (not (or " + "(not (or (less 2 1) (less 3 1))) " * 30 + ")))",
        {"negation-of-nonatom"},
    ),
    "many disjunctions": ("(<= terminal " + "(or (less 2 1) (less 3 1)) " * MANY + ")", set()),
    "many conditions": (
        "(<= terminal " + " ".join(f"(less ?x{n} ?x{n + 1})" for n in range(MANY)) + ")",
        set(),
    ),
    "many variables": (
        "(<= (less " + " ".join(f"?x{n}" for n in range(MANY)) + ") (succ ?y ?y))",
        {"two-arities", "unsafe-variable"},
    ),
    "a product of static facts": (
        "(<= (init (step (f ?a ?b ?c ?d ?e ?f ?g ?h))) "
        + " ".join(f"(succ ?{n} ?{n})" for n in "abcdefgh")
        + ")"
        + " ".join(f"(succ {n} {n})" for n in range(4, 300)),
        set(),
    ),
    "terms that grow": (
        "(<= (less ?m (f ?n)) (less ?m ?n)) (<= (base ?n) (less ?m ?n))",
        {"recursion-restriction"},
    ),
    "terms that double": (
        "(r0 a) "
        + " ".join(f"(<= (r{n + 1} (f ?x ?x)) (r{n} ?x))" for n in range(200))
        + "(<= (less ?x ?x) (r200 ?x) (not (less ?x ?x)))",
        {"unstratified"},
    ),
    "terms that double around a cycle": (
        "(<= (r0 (g ?x ?x)) (true (step ?x)) (not (r200 ?x)))"
        + " ".join(f"(<= (r{n + 1} (f ?x ?x)) (r{n} ?x) (true (step ?x)))" for n in range(200)),
        {"unstratified", "never-fires"},
    ),
    "unifications that double": (
        "(<= (f " + " ".join(f"(f ?x{n} ?x{n})" for n in range(40)) + ") "
        "(r " + " ".join(f"?x{n}" for n in range(41)) + ") "
        "(not (f " + " ".join(f"?x{n}" for n in range(1, 41)) + ")))",
        {"relation-and-function", "undefined-relation"},
    ),
    "terms that contain themselves": (
        "(<= (less3 ?x (f ?x) ?x) (succ ?x ?y) (not (less3 (f ?y) ?y ?y)))",
        {"impossible-constant"},
    ),
    "a long chain": (
        " ".join(f"(<= (p{n} ?x) (p{n + 1} ?x))" for n in range(MANY)),
        {"undefined-relation", "unused-relation"},
    ),
    "a long ring": (
        " ".join(f"(<= (p {n}) (not (p {(n + 1) % MANY})))" for n in range(MANY)),
        {"unstratified"},
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize(("line", "codes"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_is_judged(line: str, codes: set[str]) -> None:
    assert codes_of(check(with_line(line))) == codes


def test_a_large_game_is_checked_in_full() -> None:
    copies = "".join(re.sub(r"\b(step|less|won)\b", rf"\g<0>{n}", GAME) for n in range(40))
    assert errors_of(copies) == set()
    faulty = copies + "(<= terminal (less39 ?x 3) (not (less7 ?x ?y)))"
    assert errors_of(faulty) == {"unsafe-variable"}
