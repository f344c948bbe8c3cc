"""Disjunctions mean what the same game with its rules written out by hand means."""

from __future__ import annotations

from itertools import product

import pytest

from ggp.gdl import Description
from ggp.perft import perft
from ggp.reasoner import open_reasoner

# Three switches on a board of 4 lights, some of them broken; the rule for `lit` is what varies.
GAME = """
(role one) (role two)
(light 1) (light 2) (light 3) (light 4)
(broken 2) (twin 1 3) (twin 3 1) (twin 2 4) (twin 4 2)
(init (on 1)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?role (press ?light)) (role ?role) (light ?light))
(<= (next (step ?next)) (true (step ?step)) (succ ?step ?next))
(<= terminal (true (step 3)))
(<= (goal one 100) (true (on 1)))
(<= (goal one 0) (not (true (on 1))))
(<= (goal two 100) (true (on 2)) (true (on 4)))
(<= (goal two 0) (or (not (true (on 2))) (not (true (on 4)))))
"""

#: Alternatives of each disjunction; `distinct` and `not` need variables that others bind.
ALTERNATIVES = [
    ["(does one (press ?x))", "(does two (press ?x))", "(true (on ?x))"],
    ["(distinct ?y 3)", "(not (broken ?x))"],
    ["(not (true (on ?y)))", "(does one (press ?y))"],
    ["(distinct ?x 4)", "(true (on 2))"],
    ["(not (does two (press ?x)))", "(true (step 1))"],
    ["(distinct ?y 1)", "(not (true (on 3)))", "(does two (press ?y))"],
]


def counts(text: str) -> object:
    description = Description.from_text(text)
    with open_reasoner(description) as reasoner:
        found = perft(description, reasoner).to_json()
    del found["n_rules"]
    return found


@pytest.fixture(scope="module")
def written_out() -> object:
    """The game with one rule for each combination."""
    bodies = product(*ALTERNATIVES)
    rules = (f"(<= (next (on ?x)) (light ?x) (twin ?x ?y) {' '.join(body)})" for body in bodies)
    return counts(GAME + "\n".join(rules))


def disjunctions() -> list[str]:
    return [f"(or {' '.join(alternatives)})" for alternatives in ALTERNATIVES]


def test_the_game_is_not_trivial(written_out: dict[str, list[int]]) -> None:
    assert sum(written_out["states"]) > 15


@pytest.mark.parametrize("binders", ["before", "after"])
def test_many_disjunctions_mean_what_their_combinations_mean(
    written_out: object, binders: str
) -> None:
    body = ["(light ?x)", "(twin ?x ?y)", *disjunctions()]
    ordered = body if binders == "before" else reversed(body)
    text = GAME + f"(<= (next (on ?x)) {' '.join(ordered)})"
    assert any(" " in rule.relation.name for rule in Description.from_text(text).rules)
    assert counts(text) == written_out


def test_few_disjunctions_mean_the_same(written_out: object) -> None:
    few, rest = disjunctions()[:2], ALTERNATIVES[2:]
    rules = (
        f"(<= (next (on ?x)) {' '.join(few)} (light ?x) (twin ?x ?y) {' '.join(body)})"
        for body in product(*rest)
    )
    assert counts(GAME + "\n".join(rules)) == written_out


def test_nested_and_negated_disjunctions_mean_the_same(written_out: object) -> None:
    first, second, third, fourth, *others = disjunctions()
    fifth = f"(not (or {' '.join(f'(not {other})' for other in others)}))"
    hidden = f"(not (or (not {third}) (not (not (not {fourth}))) (not (not (not (or {fifth}))))))"
    text = f"(<= (next (on ?x)) (light ?x) {first} (twin ?x ?y) (not (not {second})) {hidden})"
    assert counts(GAME + text) == written_out


def test_a_variable_bound_only_by_every_alternative_of_another_disjunction() -> None:
    one_of = "(or (true (on ?x)) (does one (press ?x)) (does two (press ?x)))"
    others = [f"(or (distinct ?x {n}) (not (broken ?x)) (true (step {n})))" for n in range(4)]
    many = counts(GAME + f"(<= (next (on ?x)) {one_of} {' '.join(others)})")
    lone = "(<= (some ?x) (true (on ?x))) (<= (some ?x) (does ?r (press ?x)))"
    named = " ".join(
        f"(<= (ok{n} ?x) (light ?x) (distinct ?x {n})) (<= (ok{n} ?x) (light ?x) (true (step {n})))"
        f"(<= (ok{n} ?x) (light ?x) (not (broken ?x)))"
        for n in range(4)
    )
    by_hand = "(<= (next (on ?x)) (some ?x) (ok0 ?x) (ok1 ?x) (ok2 ?x) (ok3 ?x))"
    assert many == counts(GAME + lone + named + by_hand)
