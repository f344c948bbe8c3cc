"""Which moves may be the cause of what is perceived."""

from __future__ import annotations

from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.match.histories.causes import Causes
from tests.match.histories.games import CARDS

SEEN = "(<= (next (percept ?p ?x)) (sees ?p ?x))"


def causes(rules: str, *facts: tuple[int, str], earliest: int = 0) -> dict[int, set[str]]:
    found = Causes(Description.from_text(rules + SEEN)).of(
        ((turn, parse_term(fact)) for turn, fact in facts), earliest=earliest
    )
    return {turn: {f"{cause.role} {cause.move}" for cause in own} for turn, own in found.items()}


def test_a_percept_names_the_move_that_it_tells_of() -> None:
    assert causes(CARDS, (2, "(percept me (got 4))"), earliest=2) == {2: {"random (deal 4)"}}


def test_a_fact_names_the_moves_of_earlier_turns() -> None:
    assert causes(CARDS, (2, "(hand me 4)")) == {turn: {"random (deal 4)"} for turn in range(3)}


def test_variables_of_different_rules_are_different() -> None:
    rules = """
        (role me) (role random)
        (<= (sees me (sum ?x)) (does random (throw ?y ?z)) (plus ?y ?z ?x))
        (<= (sees me (sum ?x)) (threw ?x)) (<= (threw ?y) (does random (throw ?y ?x)))
    """
    assert causes(rules, (0, "(percept me (sum 7))")) == {
        0: {"random (throw ?0 ?1)", "random (throw 7 ?0)"}
    }


def test_a_rule_that_calls_itself_comes_to_an_end() -> None:
    rules = """
        (role me) (role random)
        (<= (sees me ?x) (reaches ?x)) (<= (reaches ?x) (does random ?x))
        (<= (reaches (s ?x)) (reaches ?x)) (<= (reaches ?x) (reaches (s ?x)))
    """
    assert "random (s a)" in causes(rules, (0, "(percept me (s a))"))[0]
