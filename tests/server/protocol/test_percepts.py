from __future__ import annotations

import pytest

from ggp.kif import Symbol, Term
from ggp.server.messages import Moves, Play, Rules, parse_message
from ggp.server.percepts import joint_move, role_named
from tests.server.fakes import SEES_EVERYTHING

ROLES = "(role white) (role black)"


def known(moves: str, *, rules: str, role: str = "white", answer: str = "noop") -> str | None:
    message = parse_message(f"(PLAY m {moves})")
    assert isinstance(message, Play)
    found = joint_move(message.moves, rules=Rules(rules), role=role, answer=Symbol(answer))
    return None if found is None else " ".join(map(str, found))


def test_gdl_one_tells_the_joint_move() -> None:
    assert known("(noop (mark 1 1))", rules=ROLES) == "noop (mark 1 1)"


def test_a_joint_move_has_one_move_for_each_role() -> None:
    assert known("(noop)", rules=ROLES) is None


@pytest.mark.parametrize("head", ["", "1 noop "])
@pytest.mark.parametrize(
    "rule",
    [
        SEES_EVERYTHING,
        SEES_EVERYTHING.upper(),
        "(<= (sees ?a (zazi ?b ?c)) (does ?b ?c) (role ?b) (role ?a))",
    ],
)
def test_rules_that_announce_every_move_make_the_joint_move_known(head: str, rule: str) -> None:
    name = "zazi" if "zazi" in rule else "DID"
    percepts = f"(({name} BLACK (MARK 1 1)) ({name} WHITE NOOP) (other))"
    assert known(head + percepts, rules=f"{ROLES} {rule}") == "NOOP (MARK 1 1)"


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m) (true day))",
        "(<= (sees ?p (did ?p2 ?m)) (role ?p) (role ?p2) (true (planned ?p2 ?m)))",
        "(<= (sees ?p (did ?p ?m)) (role ?p) (does ?p ?m))",
        "(<= (sees white (did ?p2 ?m)) (role white) (does ?p2 ?m))",
        "(sees ?p (did ?p2 ?m))",
        "(<= (sees ?p ?m) (role ?p) (does ?p2 ?m))",
    ],
)
def test_other_rules_do_not(rule: str) -> None:
    percepts = "((did black (mark 1 1)) (did white noop) (other))"
    assert known(percepts, rules=f"{ROLES} {rule}") is None


def test_one_percept_for_each_role_is_needed() -> None:
    assert known("2 noop ((did white noop))", rules=f"{ROLES} {SEES_EVERYTHING}") is None


def test_a_single_role_knows_the_joint_move() -> None:
    rules = "(role solo) (<= (sees solo light) (true day))"
    assert known("4 (go left) (light)", rules=rules, role="solo") == "(go left)"
    assert known("(light)", rules=rules, role="solo", answer="(go right)") == "(go right)"


def test_a_manager_that_sends_the_joint_move_all_the_same_is_believed() -> None:
    rules = f"{ROLES} (<= (sees ?r dawn) (role ?r) (true night))"
    assert known("(NOOP (mark 1 1))", rules=rules) == "NOOP (mark 1 1)"
    assert known("3 noop (noop (mark 1 1))", rules=ROLES) == "noop (mark 1 1)"
    assert known("(dawn bell)", rules=rules) is None


@pytest.mark.parametrize("answer", [None, Symbol("noop")])
def test_nil_tells_nothing(answer: Term | None) -> None:
    rules = Rules("(role solo)")
    assert joint_move(Moves(None), rules=rules, role="solo", answer=answer) is None


def test_roles_that_differ_by_capitals_alone_are_told_apart() -> None:
    rules = f"(role A) (role a) {SEES_EVERYTHING}"
    assert known("((did a one) (did A two))", rules=rules, role="a") == "two one"
    assert role_named("a", Rules(rules)) == "a"
    assert role_named("WHITE", Rules(ROLES)) == "white"
    assert role_named("red", Rules(ROLES)) is None
