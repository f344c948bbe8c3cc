from __future__ import annotations

from pathlib import Path

import pytest

from ggp.errors import GdlError, KifError
from ggp.gdl import RANDOM, Description, Relation
from ggp.gdl.outer import blank_outer_parentheses
from ggp.kif import Source, Symbol, parse

GAME = """
(role white)
(role black)
(init (step 1))
(legal ?role noop)
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal white 100) (true (step 2)))
(<= (goal white 0) (true (step 1)))
(goal black 050)
"""


def test_roles_come_in_the_order_of_their_facts() -> None:
    text = "(role b) (init x) (ROLE a) (role b) (<= (role c))"
    assert Description.from_text(text).roles == (Symbol("b"), Symbol("a"), Symbol("c"))


def test_the_terms_stay_as_written_and_the_rules_are_normal() -> None:
    description = Description.from_text("(ROLE x) (<= p (or q r))")
    assert [str(term) for term in description.terms] == ["(ROLE x)", "(<= p (or q r))"]
    assert [str(rule) for rule in description.rules] == ["(role x)", "(<= p q)", "(<= p r)"]


def test_rules_are_found_by_relation() -> None:
    description = Description.from_text(GAME)
    assert [str(rule) for rule in description.by_relation[Relation("goal", 2)]] == [
        "(<= (goal white 100) (true (step 2)))",
        "(<= (goal white 0) (true (step 1)))",
        "(goal black 050)",
    ]


def test_a_game_is_read_from_a_file_a_text_or_terms(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(GAME)
    loaded = Description.load(tmp_path / "game.kif")
    assert loaded.source.name == str(tmp_path / "game.kif")
    assert loaded.rules == Description.from_text(GAME).rules
    assert loaded.rules == Description.from_terms(parse(GAME)).rules


def test_errors_in_terms_of_a_message_show_the_terms() -> None:
    with pytest.raises(GdlError) as caught:
        Description.from_terms([*parse("(role x)"), *parse("(<=)")])
    assert "a rule without a head" in str(caught.value)


def test_a_game_needs_a_role() -> None:
    for text in ("", "(init x)", "(<= terminal (role x))"):
        with pytest.raises(GdlError, match="the game has no role") as caught:
            Description.from_text(Source(text, "game.kif"))
        assert str(caught.value.span) == "game.kif:1:1"
        assert "(role name)" in caught.value.hint


@pytest.mark.parametrize(
    ("fault", "column", "complaint"),
    [
        ("(role (p 1))", 7, "the role `(p 1)` is no name"),
        ("(role ?x)", 7, "the role `?x` is no name"),
        ("(<= (role (p 1)))", 11, "the role `(p 1)` is no name"),
        ("(role r 1)", 1, "`role` takes one argument, here it has 2"),
        ("role", 1, "`role` takes one argument, here it has 0"),
        ("(<= (role x) y)", 5, "a rule cannot define `role`"),
        ("(<= (Role ?x) (player ?x))", 5, "a rule cannot define `role`"),
        ("(true (t 1))", 1, "a fact cannot define `true`"),
        ("(<= (TRUE (t 1)) (does r a))", 5, "a rule cannot define `true`"),
        ("(<= ((true (t 1))) (true (s 0)))", 6, "a rule cannot define `true`"),
        ("(DOES r a)", 1, "a fact cannot define `does`"),
        ("(<= (does r b) (true (s 0)))", 5, "a rule cannot define `does`"),
        ("(distinct a b)", 1, "`distinct` cannot be defined"),
        ("(<= (Not a) b)", 5, "`not` cannot be defined"),
        ("(or a b)", 1, "`or` cannot be defined"),
        ("not", 1, "`not` cannot be defined"),
    ],
)
def test_what_no_rule_may_define_is_refused_at_its_place(
    fault: str, column: int, complaint: str
) -> None:
    for good in ("(role x)\n", "(init p)\n"):
        with pytest.raises(GdlError) as caught:
            Description.from_text(Source(good + fault, "game.kif"))
        assert str(caught.value.span) == f"game.kif:2:{column}"
        assert caught.value.message == complaint


@pytest.mark.parametrize("text", ["((role x) (init p))", "; a\n(((Role x)\n(init p))) ; b"])
def test_a_rulesheet_may_stand_in_one_pair_of_parentheses(text: str) -> None:
    description = Description.from_text(text)
    assert list(map(str, description.rules)) == ["(role x)", "(init p)"]


def test_the_outer_pair_is_looked_for_in_no_time() -> None:
    comments = ";" * 5000 + "\n" + "; a - b ;\n" * 500
    assert blank_outer_parentheses(Source(f"{comments}(role x) (init p)")) is None
    wrapped = f"{comments}( {comments}(role x)\n(init p)) ; the end"
    blank = blank_outer_parentheses(Source(wrapped))
    assert blank is not None
    assert len(blank.text) == len(wrapped)
    assert [str(term) for term in parse(blank)] == ["(role x)", "(init p)"]


def test_text_that_is_not_kif_is_a_kif_error() -> None:
    with pytest.raises(KifError):
        Description.from_text("(role x")


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("(goal white 100) (goal white 0)", (0, 100)),
        ("(goal ?role 50)", (50,)),
        ("(<= (goal ?role 75) (role ?role))", (75,)),
        ("(goal black 50)", ()),
        ("(goal white 007)", (7,)),
        ("(goal white won)", ()),
        ("(goal white 300) (goal white -1)", ()),
        (f"(goal white {'9' * 5000})", ()),
        ("(<= (goal white ?n) (score ?n)) (score 30) (score 60) (score none)", (30, 60)),
    ],
)
def test_the_goals_that_the_rules_name(rules: str, expected: tuple[int, ...]) -> None:
    description = Description.from_text(f"(role white) (role black) {rules}")
    assert description.goal_values[Symbol("white")] == expected


def test_sees_makes_the_information_imperfect() -> None:
    assert not Description.from_text(GAME).has_imperfect_information
    text = f"(role {RANDOM}) (role x) (<= (SEES x ?m) (does {RANDOM} ?m))"
    assert Description.from_text(text).has_imperfect_information


def test_two_descriptions_of_the_same_text_are_equal() -> None:
    assert Description.from_text(GAME) == Description.from_text(GAME)


def test_a_game_that_starts_in_another_state_has_its_facts_and_no_other_initial_ones() -> None:
    text = f"{GAME}\n(<= (INIT (mark ?role)) (role ?role))"
    moved = Description.from_text(text).starting_at([Symbol("there"), parse("(at 1 2)")[0]])
    initial = [str(rule) for rule in moved.by_relation[Relation("init", 1)]]
    assert initial == ["(init (at 1 2))", "(init there)"]
    assert moved.roles == Description.from_text(GAME).roles
    assert "(init there)" in moved.source.text
