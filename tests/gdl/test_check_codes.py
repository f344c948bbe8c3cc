"""Every code has a game with that fault, found at its place, and a fixed twin without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ggp.gdl.check import CODES, check
from ggp.kif import Source
from tests.gdl.sheets import GAME, LINES, codes_of, errors_of, with_line

#: More pots than both roles can name in a step.
POTS = (
    "(init (pot 1 a)) (init (pot 2 a)) (init (pot 3 a)) (<= (added ?n) (does ?r (add ?n)))"
    " (<= terminal (true (pot 1 b)))"
)

#: The beginning of a rule that keeps what stands on a square.
SQUARES = (
    "(init (at 1 1 a)) (<= (legal ?r (put 1 2)) (role ?r) (true (at 1 1 a)))"
    " (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (does ?r (put ?u ?v))"
)

# The code, a line to add to the game with @ before the fault, and the line fixed.
FAULTY_LINES = [
    ("syntax", "@(succ 3 4", "(succ 3 4)"),
    ("syntax", "(succ 3 4)@)", "(succ 3 4)"),
    ("syntax", "(succ 3 " + "(f " * 199 + "@(f 4" + ")" * 201, "(succ 3 4)"),
    ("not-a-relation", "@?x", "(succ 3 4)"),
    ("not-a-relation", "@()", "(succ 3 4)"),
    ("not-a-relation", "(@(succ 3) 4)", "(succ 3 4)"),
    ("not-a-relation", "(@?succ 3 4)", "(succ 3 4)"),
    ("not-a-relation", "(<= terminal @((not (smaller 1))))", "(<= terminal (not (smaller 1)))"),
    ("not-a-term", "(succ 3 (@()))", "(succ 3 4)"),
    ("not-a-term", "(succ 3 (@?f 4))", "(succ 3 (f 4))"),
    ("nested-rule", "(<= terminal @(<= (less 1 2) (less 2 1)))", "(<= terminal (less 2 1))"),
    ("rule-without-head", "@(<=)", "(<= terminal (less 2 1))"),
    ("empty-body", "@(<= terminal)", "(<= terminal (less 2 1))"),
    ("needless-parentheses", "(<= @(terminal) (less 2 1))", "(<= terminal (less 2 1))"),
    ("needless-parentheses", "(succ 3 @(four))", "(succ 3 four)"),
    ("negation-of-nonatom", "(<= terminal @(not (not (less 2 1))))", "(<= terminal (less 2 1))"),
    (
        "negation-of-nonatom",
        "(<= terminal @(not (or (less 1 2) (less 2 1))))",
        "(<= terminal (not (less 1 2)) (not (less 2 1)))",
    ),
    (
        "negation-of-nonatom",
        "(<= terminal (succ ?m ?n) @(NOT (distinct ?m ?n)))",
        "(<= terminal (succ ?m ?m))",
    ),
    (
        "nested-or",
        "(<= terminal (or (less 1 2) @(or (less 2 1) (less 3 1))))",
        "(<= terminal (or (less 1 2) (less 2 1) (less 3 1)))",
    ),
    ("trivial-or", "(<= terminal @(or (less 2 1)))", "(<= terminal (less 2 1))"),
    ("trivial-or", "(<= terminal @(or))", "(<= terminal (less 2 1))"),
    ("keyword-arity", "@(role white black)", "(role red)"),
    ("keyword-arity", "(<= @(TERMINAL yes) (less 2 1))", "(<= TERMINAL (less 2 1))"),
    ("keyword-arity", "(<= terminal @(distinct 1))", "(<= terminal (distinct 1 2))"),
    ("keyword-arity", "(<= terminal @(not (less 2 1) 3))", "(<= terminal (not (less 2 1)))"),
    ("keyword-arity", "(<= @(sees ?r) (role ?r))", "(<= (sees ?r dark) (role ?r))"),
    ("keyword-arity", "@role", "(role red)"),
    (
        "keyword-as-function",
        "(<= terminal (true (@true (step 3))))",
        "(<= terminal (true (step 3)))",
    ),
    ("keyword-as-function", "(succ 3 (@Next 4))", "(succ 3 (following 4))"),
    ("keyword-as-constant", "(<= terminal @not (less 2 1))", "(<= terminal (not (less 2 1)))"),
    ("keyword-as-constant", "(succ 3 @or)", "(succ 3 orange)"),
    ("keyword-as-object", "(succ 3 @Goal)", "(succ 3 aim)"),
    ("keyword-in-head", "(<= @(role ?n) (succ ?n 2))", "(role red)"),
    ("keyword-in-head", "@(true (step 2))", "(init (step 2))"),
    ("keyword-in-head", "(<= @(true (step ?n)) (succ 2 ?n))", "(<= (init (step ?n)) (succ 2 ?n))"),
    ("keyword-in-head", "(<= @(does ?r wait) (role ?r))", "(<= (legal ?r wait) (role ?r))"),
    ("keyword-in-head", "@(not (less 2 1))", "(less 2 1)"),
    ("keyword-in-head", "(<= @(distinct ?m ?n) (less ?m ?n))", "(<= (less ?m ?n) (succ ?m ?n))"),
    ("keyword-in-body", "(<= terminal @(init (step 3)))", "(<= terminal (true (step 3)))"),
    ("keyword-in-body", "(<= terminal (not @(next (step 3))))", "(<= terminal (less 2 1))"),
    (
        "next-in-sees",
        "(<= (sees white (now ?n)) @(next (step ?n)))",
        "(<= (sees white (now ?n)) (true (step ?n)))",
    ),
    (
        "next-in-sees",
        "(<= (reached ?n) @(next (step ?n))) (<= (sees ?r (now ?n)) (role ?r) (reached ?n))",
        "(<= (reached ?n) (true (step ?n))) (<= (sees ?r (now ?n)) (role ?r) (reached ?n))",
    ),
    ("role-not-a-name", "(role @(p 1))", "(role p1)"),
    ("keyword-in-head", "(<= @(TRUE (step 2)) (DOES white wait))", "(init (step 2))"),
    ("keyword-in-head", "@(does white wait)", "(legal white wait)"),
    (
        "keyword-in-body",
        "(<= (reached ?n) @(next (step ?n))) (<= (sees white (now ?n)) (reached ?n)) "
        "(<= terminal (reached 2))",
        "(<= (reached ?n) (true (step ?n))) (<= (sees white (now ?n)) (reached ?n))",
    ),
    ("depends-on-true", "(<= (init (won ?r)) @(legal ?r wait))", "(<= (init (won ?r)) (role ?r))"),
    (
        "depends-on-true",
        "(<= (base (won ?r)) (role ?r) @(true (won ?r)))",
        "(<= (base (won ?r)) (role ?r))",
    ),
    (
        "depends-on-does",
        "(<= (moved ?r) (does ?r (add ?n))) (<= terminal @(moved white))",
        "(<= terminal (true (won white)))",
    ),
    ("depends-on-does", "(<= (input ?r wait) @(does ?r wait))", "(<= (input ?r wait) (role ?r))"),
    ("variable-in-fact", "(succ 3 @?n)", "(succ 3 4)"),
    ("variable-in-fact", "(succ 3 (f @?n))", "(succ 3 (f 4))"),
    ("unsafe-variable", "(<= (less ?m @?n) (succ ?m 2))", "(<= (less ?m ?n) (succ ?m ?n))"),
    (
        "unsafe-variable",
        "(<= terminal (not (succ @?m 2)))",
        "(<= terminal (role ?m) (not (succ ?m 2)))",
    ),
    (
        "unsafe-variable",
        "(<= terminal (succ 1 ?m) (distinct ?m (f @?n)))",
        "(<= terminal (succ 1 ?m) (succ ?m ?n) (distinct ?m (f ?n)))",
    ),
    (
        "unsafe-variable",
        "(<= (less ?m @?n) (or (succ ?m ?n) (less ?m 2)))",
        "(<= (less ?m ?n) (or (succ ?m ?n) (less ?n ?m)))",
    ),
    (
        "unsafe-variable",
        "(<= terminal (or (succ 1 ?n) (distinct @?n 2)))",
        "(<= terminal (succ 1 ?n) (or (succ 2 ?n) (distinct ?n 2)))",
    ),
    (
        "recursion-restriction",
        "(<= (less ?m (f ?n)) (less ?m @?n))",
        "(<= (less ?m (f ?n)) (less ?m ?n) (succ ?m ?n))",
    ),
    (
        "unstratified",
        "(<= (middle ?n) (succ ?m ?n) (not @(middle ?n)))",
        "(<= (middle ?n) (succ ?m ?n) (not (middle ?m)))",
    ),
    ("two-arities", "@(succ 3)", "(succ 3 4)"),
    ("two-arities", "(<= terminal (true @(step 3 4)))", "(<= terminal (true (step 3)))"),
    ("two-capitalisations", "(@Succ 3 4)", "(succ 3 4)"),
    ("two-capitalisations", "(role @WHITE)", "(role red)"),
    (
        "two-capitalisations",
        "(<= terminal (succ ?m ?n) (succ ?n @?M))",
        "(<= terminal (succ ?m ?n) (succ ?n ?m))",
    ),
    ("odd-characters", "(succ 3 @four!)", "(succ 3 four-and.a_half+1)"),
    ("odd-characters", "(<= terminal (less @?größe 1))", "(<= terminal (less ?size 1))"),
    ("undefined-relation", "(<= terminal @(smalles 1))", "(<= terminal (smaller 1))"),
    ("undefined-fact", "(<= terminal (true @(stop 3)))", "(<= terminal (true (step 3)))"),
    (
        "initial-only-fact",
        "(init @(bag 3)) (<= terminal (true (bag 0)) (not (true (bag 3))))",
        "(init (bag 3)) (<= (next (bag ?n)) (true (bag ?n))) (<= terminal (not (true (bag 3))))",
    ),
    (
        "no-frame-rule",
        f"{POTS} (<= (next @(pot ?n b)) (does ?r (add ?n)))",
        f"{POTS} (<= (next (pot ?n b)) (does ?r (add ?n)))"
        " (<= (next (pot ?n ?c)) (true (pot ?n ?c)) (not (added ?n)))",
    ),
    (
        "no-frame-rule",
        f"{POTS} (<= (next @(pot ?n ?c)) (added ?n) (true (pot ?n ?c)))",
        "(init (pot 1 a)) (<= (added ?n) (does ?r (add ?n)))"
        " (<= (next (pot ?n ?c)) (added ?n) (true (pot ?n ?c)))",
    ),
    (
        "narrow-frame-rule",
        f"{SQUARES} (distinct ?x ?u) @(distinct ?y ?v))",
        f"{SQUARES} (or (distinct ?x ?u) (distinct ?y ?v)))",
    ),
    (
        "narrow-frame-rule",
        f"{SQUARES} (distinct ?x ?u) @(distinct ?y ?v))",
        f"{SQUARES} (distinct ?x ?u)) (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c))"
        " (does ?r (put ?u ?v)) (distinct ?y ?v))",
    ),
    (
        "loose-condition",
        "(other white black) (other black white)"
        " (<= terminal (true (control ?r)) (true (won ?s)) @(other ?r ?t))",
        "(other white black) (other black white)"
        " (<= terminal (true (control ?r)) (true (won ?s)) (other ?r ?s))",
    ),
    (
        "undefined-move",
        "(<= (next (won ?r)) (does ?r @pass))",
        "(<= (next (won ?r)) (does ?r wait))",
    ),
    ("unused-relation", "(<= @(bigger ?n ?m) (less ?m ?n))", "(<= (less ?m ?n) (less ?m ?n))"),
    ("relation-and-function", "(<= terminal (true @(succ 2 3)))", "(<= terminal (succ 2 3))"),
    ("unknown-role", "(legal @red wait)", "(legal white wait)"),
    ("unknown-role", "(<= terminal (goal @green 100))", "(<= terminal (goal black 100))"),
    ("goal-value", "(goal white @101)", "(goal white 10)"),
    ("goal-value", "(goal white @-1)", "(goal white 0)"),
    ("goal-value", "(<= terminal (goal ?r @won))", "(<= terminal (goal ?r 100))"),
    ("foreign-syntax", "@succ(3, 4).", "(succ 3 4)"),
    ("foreign-syntax", "(@=> terminal (less 2 1))", "(<= terminal (less 2 1))"),
    (
        "foreign-syntax",
        "(<= terminal (@and (less 2 1) (less 3 1)))",
        "(<= terminal (less 2 1) (less 3 1))",
    ),
    ("foreign-comment", "@// the end", "; the end"),
    ("lookalike-character", "(succ@\u00a03 4)", "(succ 3 4)"),
    (
        "misspelt-variable",
        "(<= terminal (less ?first ?second) (succ @?secnod ?first))",
        "(<= terminal (less ?first ?second) (succ ?second ?first))",
    ),
    (
        "misspelt-variable",
        "(<= terminal (less ?m ?n) (succ ?n @?mm))",
        "(<= terminal (less ?m ?n) (succ ?n ?k))",
    ),
    ("misspelt-constant", "(<= (next (control @blakc)) (less 2 1))", "(next (control black))"),
    (
        "forgotten-question-mark",
        "(<= terminal (true (step ?m)) (less @m 3))",
        "(<= terminal (true (step ?m)) (less ?m 3))",
    ),
    (
        "forgotten-question-mark",
        "(<= (next (won @r)) (does ?r wait))",
        "(<= (next (won ?r)) (does ?r wait))",
    ),
    (
        "impossible-constant",
        "(<= terminal (not (true (step @4))))",
        "(<= terminal (true (step 3)))",
    ),
    (
        "impossible-constant",
        "(<= terminal (true (control @whte)))",
        "(<= terminal (true (control white)))",
    ),
    (
        "impossible-constant",
        "(<= terminal (true (control (@side white))))",
        "(<= terminal (true (control white)))",
    ),
    (
        "never-fires",
        "(<= terminal (true (step ?r)) @(role ?r))",
        "(<= terminal (true (control ?r)) (role ?r))",
    ),
    ("contradiction", "(<= terminal @(distinct 0 0))", "(<= terminal (less 2 1))"),
    (
        "contradiction",
        "(<= terminal (less 2 1) (not @(less 2 1)))",
        "(<= terminal (less 2 1) (not (less 3 1)))",
    ),
    (
        "contradiction",
        "(<= terminal (less ?m ?n) @(distinct ?n ?n))",
        "(<= terminal (less ?m ?n) (distinct ?m ?n))",
    ),
    (
        "idle-condition",
        "(<= terminal (less 2 1) @(distinct a b))",
        "(<= terminal (less 2 1))",
    ),
    (
        "duplicate-condition",
        "(<= terminal (less 2 1) (less 3 1) @(less 2 1))",
        "(<= terminal (less 2 1) (not (less 1 2)))",
    ),
    ("duplicate-statement", "@(succ 1 2)", "(succ 3 4)"),
    ("duplicate-statement", "@(<= (less ?a ?b) (succ ?a ?b))", "(<= (less ?b ?a) (succ ?a ?b))"),
    (
        "duplicate-statement",
        "@(<= (less ?m ?n) (less ?k ?n) (succ ?m ?k))",
        "(<= (less ?m ?n) (less ?k ?m) (succ ?n ?k))",
    ),
    (
        "two-goals",
        "(<= @(goal ?r 50) (true (won ?r)) (true (step 3)))",
        "(<= (goal ?r 50) (role ?r) (true (step 3)))",
    ),
    (
        "unknown-suppression",
        "(succ 3 4) ; ggp: ignore[@odd-character]",
        "(succ 3 four!) ; ggp: ignore[odd-characters]",
    ),
    (
        "unused-suppression",
        "(succ 3 4) ; ggp: ignore[@odd-characters]",
        "(succ 3 four!) ; ggp: ignore[odd-characters]",
    ),
    ("base-misses-fact", "@(init (step 4))", "(init (step 3))"),
    ("base-misses-fact", "(<= @(init (won ?n)) (succ ?n 2))", "(<= (init (won ?r)) (role ?r))"),
    (
        "base-misses-fact",
        "(<= @(next (tired ?r)) (does ?r wait))",
        "(<= (next (won ?r)) (does ?r wait))",
    ),
    ("input-misses-move", "(<= @(legal ?r pass) (role ?r))", "(<= (legal ?r wait) (role ?r))"),
]

# The code, and the keyword without which the game has this fault.
MISSING = [
    ("missing-role", "role"),
    ("missing-init", "init"),
    ("missing-legal", "legal"),
    ("missing-terminal", "terminal"),
    ("missing-goal", "goal"),
    ("no-base", "base"),
    ("no-input", "input"),
]


#: The code, and the changes that give the game this fault.
FAULTY_GAMES: dict[str, list[tuple[str, str]]] = {
    "role-without-move": [
        ("(<= (legal ?r wait) (role ?r) (not", "(<= (legal white wait) (not"),
        ("(true (control ?r)) (true (step", "(role white) (true (control ?r)) (true (step"),
        ("(legal ?r (add", "(legal white (add"),
    ],
    "role-without-goal": [
        ("(goal ?r 100) (true (won ?r))", "(goal white 100) (true (won white))"),
        ("(<= (goal ?r 0) (role ?r) (not (goal ?r", "(<= (goal white 0) (not (goal white"),
    ],
}


@pytest.mark.parametrize(("code", "faulty", "fixed"), FAULTY_LINES)
def test_a_faulty_line_is_found_at_its_place_and_its_fixed_twin_is_not(
    code: str, faulty: str, fixed: str
) -> None:
    line, column = faulty.replace("@", ""), faulty.index("@") + 1
    findings = [f for f in check(Source(with_line(line), "game.kif")) if f.code == code]
    assert [(f.span.file, f.span.line, f.span.column) for f in findings] == [
        ("game.kif", LINES + 1, column)
    ]
    assert findings[0].severity == CODES[code].severity
    assert findings[0].span.text == line
    assert findings[0].message
    assert findings[0].hint
    twin = check(with_line(fixed))
    assert code not in codes_of(twin)
    assert errors_of(with_line(fixed)) == set()


@pytest.mark.parametrize(("code", "keyword"), MISSING)
def test_what_is_missing_is_found_at_the_top(code: str, keyword: str) -> None:
    lines = GAME.splitlines(keepends=True)
    defines = re.compile(rf"\((<= )?\(?{keyword}\b")
    without = "".join(line for line in lines if not defines.match(line))
    findings = [f for f in check(without) if f.code == code]
    assert [(f.span.line, f.span.column) for f in findings] == [(1, 1)]


@pytest.mark.parametrize(("code", "changes"), FAULTY_GAMES.items())
def test_a_role_without_move_or_goal_is_found_at_its_fact(
    code: str, changes: list[tuple[str, str]]
) -> None:
    text = GAME
    for before, after in changes:
        assert before in text
        text = text.replace(before, after.replace("(control ?r)", "(control white)"))
    findings = [f for f in check(text) if f.code == code]
    assert [(f.span.line, f.span.column) for f in findings] == [(2, 7)]
    assert "`black`" in findings[0].message


def test_chance_needs_no_goal() -> None:
    text = GAME.replace("black", "random")
    for before, after in FAULTY_GAMES["role-without-goal"]:
        text = text.replace(before, after)
    assert "(goal white 100)" in text
    assert "role-without-goal" not in codes_of(check(text))


def test_every_code_is_tested() -> None:
    tested = [code for code, *_ in (*FAULTY_LINES, *MISSING)]
    by_proof = {code for code in CODES if code.startswith("refuted-")}  # tests/prove
    assert {*tested, *FAULTY_GAMES, "outer-parentheses"} == CODES.keys() - by_proof


def test_a_rulesheet_in_one_pair_of_parentheses_is_read_with_a_warning() -> None:
    for pairs, text in ((1, f"; a comment\n({GAME})\n"), (2, f"(({GAME})) ; as in a message")):
        for _ in range(pairs):
            finding, *others = check(text)
            assert (finding.code, finding.severity, others) == ("outer-parentheses", "warning", [])
            assert finding.fix is not None
            text = finding.fix.apply(text)  # noqa: PLW2901 - each fix takes one pair away
        assert check(text) == []
    faulty = check(f"({GAME}(succ 3 ?n))")
    assert codes_of(faulty) == {"outer-parentheses", "variable-in-fact"}


def test_games_may_begin_with_an_empty_state() -> None:
    text = "".join(line for line in GAME.splitlines(keepends=True) if "(init" not in line)
    assert "missing-init" in codes_of(check(text))
    assert errors_of(text) == set()


@pytest.mark.parametrize(
    "percept",
    ["(does ?r wait)", "(legal ?r (add ?n))", "(true (step ?n))", "(f (not ?n))", "next"],
)
@pytest.mark.parametrize("relation", ["sees", "sees_xml"])
def test_a_percept_may_be_any_term(relation: str, percept: str) -> None:
    line = f"(<= ({relation} ?r {percept}) (does ?r wait) (true (step ?n)))"
    assert check(with_line(line)) == []


def test_the_relation_of_dresdens_displays_is_known() -> None:
    assert check(with_line("(<= (sees_xml white ?f) (true ?f))")) == []
    assert codes_of(check(with_line("(<= (sees_xlm white ?f) (true ?f))"))) == {"unused-relation"}


def test_the_term_that_is_no_role_is_named() -> None:
    text = GAME.replace("(role white)", "(role (p 1))").replace("(role black)", "(role (p 2))")
    findings = [f for f in check(text) if "role" in f.code and f.severity == "error"]
    assert [(f.code, f.span.column) for f in findings] == [("role-not-a-name", 7)] * 2
    assert "`(p 1)`" in findings[0].message
    assert "missing-role" not in codes_of(check(GAME.replace("(role white)", "(role white 1)")))


def test_the_clean_game_has_no_finding() -> None:
    assert check(GAME) == []


def test_codes_are_kebab_case() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in CODES)


def test_the_documentation_lists_exactly_the_codes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    expected = [(code, c.severity, c.meaning, c.fix) for code, c in CODES.items()]
    assert sorted(rows) == sorted(expected)


def test_findings_come_in_the_order_of_the_text() -> None:
    findings = check(with_line("(succ 3 four!) (succ 3) (goal white 101)"))
    places = [(finding.span.line, finding.span.column) for finding in findings]
    assert places == sorted(places)
    assert len(places) == 3


def test_a_fault_in_a_rule_that_is_split_is_reported_once() -> None:
    rule = "(<= (less ?m ?q) (or (succ ?m 2) (less ?m 2)) (or (succ ?m 2) (succ ?m 3)))"
    assert [f.code for f in check(with_line(rule))] == ["unsafe-variable"]


def test_several_independent_faults_are_all_reported() -> None:
    text = GAME.replace("(role ?r))", "(role ?q))").replace("100", "1000")
    faults = with_line("(Succ 3)").replace(GAME, text) + "(<= (less ?m ?n) (not (not ?m)))"
    assert errors_of(faults) >= {
        "unsafe-variable",
        "goal-value",
        "two-capitalisations",
        "negation-of-nonatom",
    }


def test_keywords_may_be_written_in_any_case() -> None:
    upper = re.sub(
        r"\b(role|init|true|next|legal|does|goal|terminal|base|input|not)\b",
        lambda word: word[0].upper(),
        GAME,
    )
    assert upper != GAME
    assert check(upper) == []


def test_the_rarer_way_to_write_a_name_is_blamed() -> None:
    text = GAME.replace("(succ 1 2)", "(succ 1)").replace("(role white)", "(role White)")
    found = {f.code: (f.span.line, f.span.column) for f in check(text)}
    assert found["two-arities"] == (3, 1)
    assert found["two-capitalisations"] == (1, 7)


def test_windows_line_ends_do_not_shift_places() -> None:
    finding = check(with_line("(succ 3 four!)").replace("\n", "\r\n"))[0]
    assert (finding.span.line, finding.span.column) == (LINES + 1, 9)
    assert finding.span.text == "(succ 3 four!)"


def test_a_relation_of_moves_that_nothing_uses_may_lack_its_frame_rule() -> None:
    of_moves, plain = "(<= (counted ?n) (does ?r (add ?n)))", "(<= (bigger ?n ?m) (less ?m ?n))"
    (finding,) = check(with_line(of_moves))
    assert finding.code == "unused-relation"
    assert "is a rule for `next` missing" in finding.hint
    (finding,) = check(with_line(plain))
    assert finding.hint == CODES["unused-relation"].fix


def test_a_fact_without_arguments_may_mark_the_first_state() -> None:
    line = "(init start) (base start) (<= (legal ?r wait) (role ?r) (true start))"
    assert check(with_line(line)) == []
