"""A text in another language has one finding: the cause, at its first place, with the fix."""

from __future__ import annotations

import re

import pytest

from ggp.gdl.check import Finding, check
from tests.gdl.sheets import GAME, LINES, codes_of, with_line

PROLOG = """\
role(white).
legal(R, wait) :- role(R), \\+ true(control(R)).
legal(R, add(N)) :- true(control(R)), succ(M, N).
terminal :- true(step(3)).
"""


def only(text: str) -> Finding:
    (finding,) = check(text)
    return finding


def place(finding: Finding) -> tuple[int, int]:
    return finding.span.line, finding.span.column


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (PROLOG, 1, 1),
        (f"% a game\n\n{PROLOG}", 3, 1),
        ("terminal :- true(step(3)).", 1, 10),
        (f"{GAME}\nrole(red).", LINES + 2, 1),
    ],
)
def test_prolog_is_one_finding(text: str, line: int, column: int) -> None:
    finding = only(text)
    assert finding.code == "foreign-syntax"
    assert "Prolog" in finding.message
    assert finding.span.line == line
    assert finding.span.column <= column


def test_a_simple_fact_of_prolog_is_rewritten() -> None:
    finding = only(f"{GAME}succ(3, N).\n")
    assert finding.fix is not None
    assert finding.fix.apply(f"{GAME}succ(3, N).\n") == f"{GAME}(succ 3 ?n)\n"


@pytest.mark.parametrize("arrow", ["=>", "<-", ":-", "->", "<==", "=<"])
def test_another_arrow_in_all_rules_is_one_finding(arrow: str) -> None:
    text = GAME.replace("(<=", f"({arrow}")
    finding = only(text)
    assert finding.code == "foreign-syntax"
    assert finding.fix is not None
    first = next(n for n, line in enumerate(text.split("\n"), 1) if arrow in line)
    assert place(finding) == (first, 2)
    assert finding.fix.apply(text).split("\n")[first - 1] == GAME.split("\n")[first - 1]


@pytest.mark.parametrize("arrow", ["<=", ":-", "<-"])
def test_an_arrow_after_the_head_is_one_finding(arrow: str) -> None:
    found = check(f"(role x)\n((legal ?r wait) {arrow} (role ?r))\n")
    assert "foreign-syntax" in codes_of(found)
    assert codes_of(found).isdisjoint({"missing-legal", "not-a-relation", "keyword-as-constant"})
    outside = only(f"(role x)\n(legal ?r wait) {arrow} (role ?r)\n")
    assert (outside.code, place(outside)) == ("foreign-syntax", (2, 17))


def test_capital_letters_for_variables_are_one_finding() -> None:
    text = re.sub(r"\?(\w+)", lambda name: name[1].upper(), GAME)
    finding = only(text)
    assert finding.code == "foreign-syntax"
    assert finding.hint.startswith("write ?r")
    assert text.split("\n")[finding.span.line - 1][finding.span.column - 1] == "R"


def test_capitals_that_are_roles_are_no_variables() -> None:
    ground = "(role X)\n(<= (legal X wait) (true p))\n(init p)\n(<= (next p) (does X wait))"
    assert "foreign-syntax" not in codes_of(check(ground))


@pytest.mark.parametrize(
    ("comment", "sign"),
    [
        ("// a comment (", "//"),
        ("/* a\n(comment\n*/", "/*"),
        ("# a comment", "#"),
        ("%% a comment", "%"),
        ("-- a comment", "--"),
    ],
)
def test_foreign_comments_are_one_finding_and_the_rest_is_checked(comment: str, sign: str) -> None:
    text = f"{comment}\n{GAME}{comment}\n(succ 3 four!)\n"
    found = check(text)
    assert [f.code for f in found] == ["foreign-comment", "odd-characters"]
    assert place(found[0]) == (1, 1)
    assert f"`{sign}`" in found[0].message
    assert found[1].span.text == "(succ 3 four!)"


def test_a_comment_at_the_end_of_a_line_is_found_too() -> None:
    text = GAME.replace("(role black)", "(role black) // the second (of two")
    finding = only(text)
    assert place(finding) == (2, 14)
    assert finding.fix is not None
    assert check(finding.fix.apply(text)) == []


def test_signs_inside_names_and_kif_comments_are_no_comments() -> None:
    text = with_line("(succ 3 a//b) ; // # /* %").replace("(role white)", "(role white) ; -- one")
    assert codes_of(check(text)) == {"odd-characters"}


@pytest.mark.parametrize("character", ["\u00a0", "\u200b", "\uff08", "\u201c"])
def test_lookalike_characters_are_one_finding(character: str) -> None:
    old = "(role" if character == "\uff08" else " white)"
    text = GAME.replace(old, f"{character}{old[1:]}")
    assert text != GAME
    finding = only(text)
    assert finding.code == "lookalike-character"
    assert f"U+{ord(character):04X}" in finding.message
    assert finding.span.text[finding.span.column - 1] == character


def test_lookalike_characters_in_comments_are_fine() -> None:
    assert check(f"; a \u201cgame\u201d\u00a0of mine\n{GAME}") == []


def test_foreign_connectives_are_named() -> None:
    for condition, kif in (
        ("(and (less 2 1) (less 3 1))", "(less 2 1) (less 3 1)"),
        ("(~ (less 2 1))", "(not (less 2 1))"),
        ("(| (less 2 1) (less 3 1))", "(or (less 2 1) (less 3 1))"),
        ("(true (step ?m)) (!= ?m 2)", "(true (step ?m)) (distinct ?m 2)"),
    ):
        text = with_line(f"(<= terminal {condition})")
        finding = only(text)
        assert finding.code == "foreign-syntax"
        assert finding.fix is not None
        assert finding.fix.apply(text) == with_line(f"(<= terminal {kif})")


def test_a_relation_named_and_is_a_relation() -> None:
    rules = "(<= (and ?m ?n) (succ ?m ?n))\n(<= terminal (and 2 3))"
    assert check(with_line(rules)) == []


def test_a_rule_that_swallows_the_next_statements_is_named_and_nothing_else() -> None:
    open_rule = GAME.replace("(step ?n)) (succ ?m ?n))", "(step ?n)) (succ ?m ?n)", 1)
    text = open_rule.rstrip("\n") + ")\n"
    finding = only(text)
    assert finding.code == "nested-rule"
    assert "of line 5" in finding.message
    assert finding.span.line == 6


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("(<= (leagl ?r wait) (true (won ?r)))", "legal"),
        ("(<= (nxet (won ?r)) (does ?r wait))", "next"),
        ("(<= termnal (less 2 1))", "terminal"),
        ("(<= terminal (ture (step 3)))", "true"),
        ("(<= terminal (less ?m ?n) (distnct ?m ?n))", "distinct"),
        ("(<= terminal (smalle 2))", "smaller"),
        ("(<= terminal (true (stepp 2)))", "step"),
        ("(<= terminal (true (control wihte)))", "white"),
        ("(<= (next (won ?r)) (does ?r wiat))", "wait"),
        ("(<= (next (won whiet)) (does whiet wait))", "white"),
        ("(<= (less ?first ?secnod) (succ ?first ?second) (less 1 ?first))", "?second"),
    ],
)
def test_the_closest_name_is_suggested_and_is_the_fix(wrong: str, right: str) -> None:
    text = with_line(wrong)
    suggestions = [f for f in check(text) if f"`{right}`" in f.hint + f.message and f.fix]
    assert suggestions
    assert suggestions[0].fix is not None
    assert suggestions[0].fix.text == right
    assert len(check(suggestions[0].fix.apply(text))) < len(check(text))


def test_a_misspelt_variable_of_a_head_is_one_finding() -> None:
    finding = only(with_line("(<= (less ?first ?secnod) (succ ?first ?second) (less 1 ?first))"))
    assert finding.code == "unsafe-variable"
    assert "did you mean `?second`?" in finding.hint


def test_a_missing_keyword_points_at_its_misspelling() -> None:
    text = GAME.replace("(<= terminal", "(<= termnal")
    missing = next(f for f in check(text) if f.code == "missing-terminal")
    assert "`termnal` in line 22" in missing.hint


def test_names_that_resemble_nothing_get_no_suggestion() -> None:
    (finding,) = check(with_line("(<= terminal (elephant 2))"))
    assert "did you mean" not in finding.hint
    assert finding.fix is None


@pytest.mark.parametrize(
    ("faulty", "fixed"),
    [
        ("(<= terminal ((less 2 1)))", "(<= terminal (less 2 1))"),
        ("(<= (terminal) (less 2 1))", "(<= terminal (less 2 1))"),
        ("(succ 3 (four))", "(succ 3 four)"),
        ("(<= terminal (or (less 2 1)))", "(<= terminal (less 2 1))"),
        (
            "(<= terminal (or (less 1 2) (or (less 2 1) (less 3 1))))",
            "(<= terminal (or (less 1 2) (less 2 1) (less 3 1)))",
        ),
        ("(<= terminal (less 2 1) (distinct a b))", "(<= terminal (less 2 1))"),
        ("(<= (less 7 8))", "(less 7 8)"),
        ("(succ 1 2)", ""),
        ("(Succ 3 4)", "(succ 3 4)"),
    ],
)
def test_a_mechanical_fix_is_right(faulty: str, fixed: str) -> None:
    text = with_line(faulty)
    edits = [finding.fix for finding in check(text) if finding.fix]
    assert edits[0].apply(text) == (with_line(fixed) if fixed else GAME)


def test_a_finding_ends_where_its_term_does() -> None:
    text = with_line("(<= terminal\n    (true (stop ; why)\n      3)))")
    finding = only(text)
    assert place(finding) == (LINES + 2, 11)
    assert finding.end == (LINES + 3, 9)
