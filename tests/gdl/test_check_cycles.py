"""Cycles: which negations and which recursions are accepted, and which are not."""

from __future__ import annotations

import pytest

from ggp.gdl.check.analysis import callgraph
from tests.gdl.sheets import errors_of, with_line

HARMLESS = {
    "the goal of one role is another constant than that of the other": """
        (opponent white black) (opponent black white) (better 0 50)
        (<= (goal ?r ?less) (opponent ?r ?o) (better ?less ?more) (not (goal ?o ?more)))
        (<= (goal ?r 50) (true (won ?r)))""",
    "counting along a chain of static facts": """
        (<= (even ?n) (succ ?m ?n) (not (even ?m)))""",
    "counting along a chain that is derived": """
        (<= (best ?n) (true (step ?n)) (not (beaten ?n)))
        (<= (beaten ?m) (less ?m ?n) (best ?n))""",
    "counting along a chain that a negated static condition cuts open": """
        (after 1 2) (after 2 3) (after 3 1) (cut 3 1)
        (<= (even ?n) (after ?m ?n) (not (cut ?m ?n)) (not (even ?m)))""",
    "waiting is legal for who has no other move": """
        (<= (legal ?r wait) (role ?r) (not (busy ?r)))
        (<= (busy ?r) (legal ?r ?m) (distinct ?m wait))""",
    "a constant that two calls carry along does not fit the third": """
        (<= (red ?n) (succ ?m ?n) (true (step ?k)) (not (blue ?k a)))
        (<= (blue ?n ?c) (green ?n ?c))
        (<= (green ?n b) (succ ?n ?k) (red ?n))
        (<= (green ?n a) (true (step ?n)))""",
    "a term that only one layer of functions fits": """
        (<= (big (s ?n)) (succ ?m ?n) (not (big ?n)))""",
    "disjunctions, one of which names the predecessor": """
        (<= (odd ?n) (or (succ ?m ?n) (succ ?m ?n)) (not (odd ?m)))""",
    "a condition that no fact satisfies": """
        (<= (stuck ?n) (succ ?n ?n) (not (stuck ?n)))""",
}

HARMFUL = {
    "at once": "(<= (stuck ?n) (true (step ?n)) (not (stuck ?n)))",
    "by way of another relation": """
        (<= (this ?n) (true (step ?n)) (not (that ?n)))
        (<= (that ?n) (true (step ?n)) (this ?n))""",
    "around a ring of static facts": """
        (after 1 2) (after 2 3) (after 3 1)
        (<= (even ?n) (after ?m ?n) (not (even ?m)))""",
    "with the roles turned around": """
        (opponent white black) (opponent black white) (better 0 50) (better 50 0)
        (<= (goal ?r ?less) (opponent ?r ?o) (better ?less ?more) (not (goal ?o ?more)))""",
    "waiting is legal for who may not even wait": """
        (<= (legal ?r wait) (role ?r) (not (busy ?r)))
        (<= (busy ?r) (legal ?r wait))""",
    "through a disjunction": """
        (<= (stuck ?n) (true (step ?n)) (or (less 2 1) (not (stuck ?n))))""",
    "through many disjunctions": "(<= (stuck ?n) (true (step ?n)) (not (stuck ?n)) "
    + "(or (less 1 ?n) (less ?n 3)) " * 8
    + ")",
}


@pytest.mark.parametrize("rules", HARMLESS.values(), ids=HARMLESS)
def test_a_cycle_of_relations_that_is_none_of_atoms_is_accepted(rules: str) -> None:
    assert errors_of(with_line(rules)) == set()


@pytest.mark.parametrize("rules", HARMFUL.values(), ids=HARMFUL)
def test_a_negation_in_a_cycle_of_atoms_is_an_error(rules: str) -> None:
    assert "unstratified" in errors_of(with_line(rules))


@pytest.mark.parametrize("rules", HARMLESS.values(), ids=HARMLESS)
def test_a_cycle_that_takes_too_long_to_refine_is_judged_by_its_relations(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callgraph, "_MAX_STEPS_OF_RULES", 1)
    monkeypatch.setattr(callgraph, "_MAX_STEPS_OF_INSTANCES", 1)
    assert "unstratified" in errors_of(with_line(rules))


FINITE = {
    "a variable of the head": "(<= (less ?m ?n) (less ?m ?k) (succ ?k ?n))",
    "a ground term": "(<= (less ?m 4) (less (f 1) 3) (succ ?m 2))",
    "a variable inside a fact of the state": "(<= (less ?m 3) (true (step ?k)) (less ?m ?k))",
    "bounded in every branch": "(<= (less ?m 4) (less ?m ?k) (or (succ ?k 3) (succ 3 ?k)))",
    "no cycle of rules": """
        (<= (goal ?r 30) (goal ?o 40) (role ?r))
        (<= (goal ?r 40) (true (won ?r)) (less 2 1))""",
}

INFINITE = {
    "bounded in one branch": "(<= (less ?m 4) (less ?m ?k) (or (succ ?k 3) (less 3 ?k)))",
    "only inside a term of the head": "(<= (less ?m (f ?k)) (less ?m ?k))",
    "only in a negation": "(<= (less ?m 4) (less ?m ?k) (not (succ ?k 3)))",
    "in a disjunction": "(<= (less ?m (f ?k)) (or (less ?m ?k) (less ?k ?m)))",
    "by way of another relation": """
        (<= (more ?n ?m) (less ?m ?n))
        (<= (less ?m (f ?n)) (more ?n ?m) (succ 1 ?m))""",
}


@pytest.mark.parametrize("rules", FINITE.values(), ids=FINITE)
def test_a_bounded_recursion_is_accepted(rules: str) -> None:
    assert errors_of(with_line(rules)) == set()


@pytest.mark.parametrize("rules", INFINITE.values(), ids=INFINITE)
def test_an_unbounded_recursion_is_an_error(rules: str) -> None:
    assert errors_of(with_line(rules)) == {"recursion-restriction"}
