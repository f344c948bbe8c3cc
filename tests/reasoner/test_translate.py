from __future__ import annotations

import pytest

from ggp.gdl import Description, Relation
from ggp.kif import parse_term
from ggp.reasoner.prolog.translate import (
    executable_order,
    prolog_program,
    prolog_term,
    recursive_relations,
)


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        ("(<= p (q ?x) (r ?x))", "(q ?x) (r ?x)"),
        ("(<= p (distinct ?x ?y) (q ?x) (r ?y))", "(q ?x) (r ?y) (distinct ?x ?y)"),
        ("(<= p (not (q ?x)) (r ?x))", "(r ?x) (not (q ?x))"),
        ("(<= p (r ?x) (not (q ?y ?x)) (s ?y))", "(r ?x) (s ?y) (not (q ?y ?x))"),
        # ?local is bound by no literal: it delays nothing.
        ("(<= p (r ?x) (not (q ?x ?local)) (s ?y))", "(r ?x) (not (q ?x ?local)) (s ?y)"),
        # What is merely looked up is tested before what multiplies.
        ("(<= p (q ?x) (q ?y) (true (step 1)))", "(true (step 1)) (q ?x) (q ?y)"),
    ],
)
def test_conditions_run_when_their_variables_are_bound(rule: str, order: str) -> None:
    (made,) = Description.from_text(f"(role x) {rule}").by_relation[Relation("p", 0)]
    assert " ".join(map(str, executable_order(made))) == order


@pytest.mark.parametrize(
    ("rules", "recursive"),
    [
        ("(<= (goal ?r 0) (role ?r) (not (goal ?r 100))) (<= (goal ?r 100) won)", ""),
        ("(<= (p ?x) (p (s ?x)))", "p"),
        ("(<= (p a) (p b)) (<= (p b) q)", ""),
        ("(<= (p a) (p b)) (<= (p b) (p a))", "p"),
        ("(<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (<= r (p a))", "p q"),
        ("(<= (next (n ?x)) (true (n ?x)))", ""),
    ],
)
def test_only_what_can_come_to_need_itself_is_recursive(rules: str, recursive: str) -> None:
    found = recursive_relations(Description.from_text(f"(role x) {rules}"))
    assert sorted(relation.name for relation in found) == recursive.split()


def test_the_program_is_ascii() -> None:
    assert prolog_program(Description.from_text("(role é) (init (日本 '\\ 😀))")).isascii()


def test_every_constant_is_an_atom() -> None:
    assert prolog_term(parse_term("(f 01 Name 'x\\)")) == "'f'('01','Name','\\x27\\x\\x5c\\')"


def test_variables_are_shared_by_name() -> None:
    names: dict[str, str] = {}
    assert prolog_term(parse_term("(f ?x ?y (g ?x))"), names) == "'f'(V0,V1,'g'(V0))"
    assert names == {"?x": "V0", "?y": "V1"}
