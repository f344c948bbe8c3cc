from __future__ import annotations

import time

import pytest

from ggp.compiler.grounding.encode import Encoder
from ggp.compiler.grounding.ground_program import GroundProgram, read_aspif
from ggp.compiler.grounding.grounder import ground
from ggp.compiler.rewriting.clauses import Auxiliaries
from ggp.compiler.rewriting.rewrite import PASSES, initial_rules, rewrite
from ggp.compiler.rewriting.rules import Rules
from ggp.errors import ReasonerError
from ggp.gdl import Description, Literal
from ggp.kif import Symbol, parse_term

GAME = "(role x) (init (at 0)) (legal x stay) (<= (next ?f) (true ?f)) "


def clauses(rules: str) -> Rules:
    return rewrite(Description.from_text(GAME + rules))


def ground_program(rules: str) -> GroundProgram:
    text = Encoder().text(clauses(rules))
    return read_aspif(ground(text, due=time.monotonic() + 60, memory_limit=2 << 30))


def texts(rules: str) -> list[str]:
    return [str(rule) for rule in clauses(rules).rules]


def board(size: int) -> str:
    cells = range(size)
    return (
        " ".join(f"(index {i}) (init (cell {i} {j} b))" for i in cells for j in cells)
        + "(<= (legal x (mark ?i ?j)) (true (cell ?i ?j b)))"
        + "(<= (next (cell ?i ?j x)) (does x (mark ?i ?j)))"
    )


def test_rules_that_no_query_needs_are_left_out() -> None:
    assert not any("useless" in text for text in texts("(<= (useless ?x) (true (at ?x)))"))


def test_a_negation_with_a_variable_of_its_own_becomes_the_negation_of_a_projection() -> None:
    found = texts("(<= terminal (not (true (at ?x))))")
    assert "(<= terminal (not part 0))" in found
    assert "(<= part 0 (true (at ?0)))" in found


def test_a_role_without_a_binding_ranges_over_the_roles() -> None:
    found = texts("(<= (goal ?r 10) (true (at 0)))")
    assert "(<= (goal ?r 10) (a player ?r) (true (at 0)))" in found


def test_a_variable_that_only_callers_bind_gets_their_values() -> None:
    found = clauses("(<= (other ?x) (distinct ?x 0)) (<= terminal (true (at ?y)) (other ?y))")
    assert "(<= (other ?x) (call other/1 ?x) (distinct ?x 0))" in map(str, found.rules)
    assert "(<= (call other/1 ?y) (true (at ?y)))" in map(str, found.guards)


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (next (seen ?x)) (distinct ?x 0))",
        "(legal x (say ?anything))",
        "(<= (other ?x) (distinct ?x 0)) (<= (next (seen ?y)) (other ?y))",
    ],
)
def test_a_variable_that_nothing_binds_cannot_be_grounded(rules: str) -> None:
    with pytest.raises(ReasonerError, match="cannot be grounded"):
        clauses(rules)


def test_an_argument_that_no_rule_uses_is_dropped() -> None:
    found = texts("(<= (p ?x ?y) (true (at ?x)) (true (on ?y))) (<= terminal (p ?a ?b))")
    assert not any("(p ?x ?y)" in text for text in found)


def test_an_argument_that_no_rule_looks_at_is_left_to_the_callers() -> None:
    found = texts("(d 0) (<= (p ?x ?y) (d ?x) (true (on ?y))) (<= terminal (p ?a ?a))")
    assert "(<= (p/2 variant 0 ?y) (true (on ?y)))" in found
    assert "(<= terminal (p/2 variant 0 ?a) (d ?a))" in found


def test_arguments_that_only_some_rules_look_at_divide_a_relation() -> None:
    count, cells = 30, range(30)
    line = " ".join(f"(after {i} {i + 1})" for i in range(count - 1))
    program = ground_program(
        f"{line} {' '.join(f'(index {i}) (init (at {i}))' for i in cells)}"
        + "(<= (clear ?a ?b ?but) (after ?a ?b) (index ?but))"
        + "(<= (clear ?a ?b ?but) (after ?a ?but) (clear ?but ?b ?but))"
        + "(<= (clear ?a ?b ?but) (after ?a ?m) (true (at ?m)) (clear ?m ?b ?but))"
        + "(<= (legal x (go ?a ?b ?but)) (true (at ?a)) (true (at ?b)) (true (at ?but))"
        + " (not (clear ?a ?b ?but)))"
    )
    # Each move is a rule; so is each step between two over an empty one, and over any one between.
    assert program.rules < count**3 + count**2 + 2 * count**3 / 6 + 3 * count


def test_conditions_on_few_variables_are_computed_once() -> None:
    size = 12
    game = " ".join(
        f"(init (p {i})) (init (q {i})) (init (r {i} {j}))"
        for i in range(size)
        for j in range(size)
    )
    body = " ".join(f"(not (true (p ?{v}))) (not (true (q ?{v})))" for v in "abcdef")
    bound = "(true (r ?a ?b)) (true (r ?b ?c)) (true (r ?c ?d)) (true (r ?d ?e)) (true (r ?e ?f))"
    found = texts(f"{game} (<= (legal x (m ?a ?b ?c ?d ?e ?f)) {bound} {body})")
    (rule,) = (text for text in found if text.startswith("(<= (legal x (m"))
    assert "not" not in rule


def test_a_long_body_is_split_into_small_joins() -> None:
    chain = " ".join(f"(next_to ?x{i} ?x{i + 1})" for i in range(6))
    facts = " ".join(f"(next_to {i} {j})" for i in range(9) for j in range(9))
    program = ground_program(
        facts
        + "(<= (at ?x) (true (at ?x)))"
        + " ".join(f"(init (at {i}))" for i in range(9))
        + f"(<= terminal {chain} {' '.join(f'(at ?x{i})' for i in range(7))})"
    )
    assert program.rules < 1000  # the rule as it stands has 9 ** 7 instances


def test_a_body_stays_whole_where_its_parts_have_more_instances() -> None:
    size, few = range(30), range(4)
    facts = " ".join(f"(init (p {i} {j})) (init (q {i} {j}))" for i in size for j in size)
    facts += " ".join(f"(init (r {i} {i})) (init (s {i} {j}))" for i in few for j in few)
    # r ties ?a and ?c together; without it, the join of p and q has 30 ** 3 instances
    body = "(true (p ?a ?b)) (true (q ?b ?c)) (true (r ?a ?c)) (true (s ?c ?d))"
    keep = "(<= (next (r ?i ?j)) (true (r ?i ?j))) (<= (next (s ?i ?j)) (true (s ?i ?j)))"
    program = ground_program(f"{facts} {keep} (<= (legal x (go ?a ?d)) {body})")
    assert program.rules < 5_000


def test_two_rules_share_what_their_bodies_have_in_common() -> None:
    bodies = "(true (at ?x)) (true (on ?x ?y)) (true (by ?y))"
    found = texts(f"(<= terminal (true a) {bodies}) (<= (goal x 10) (true b) {bodies})")
    heads = [text for text in found if text.startswith("(<= part")]
    assert len(heads) == len(set(heads))
    used = [text for text in found if text.startswith(("(<= terminal", "(<= (goal"))]
    assert len({part for text in used for part in text.split(" (part ")[1:]}) <= 1


def test_different_cells_cost_no_more_than_their_coordinates() -> None:
    program = ground_program(
        board(9)
        + "(<= (other ?a ?b ?c ?d) (distinct ?a ?c) (index ?a) (index ?b) (index ?c) (index ?d))"
        + "(<= (other ?a ?b ?c ?d) (distinct ?b ?d) (index ?a) (index ?b) (index ?c) (index ?d))"
        + "(<= (next (cell ?a ?b b)) (true (cell ?a ?b b)) (does x (mark ?c ?d))"
        + " (other ?a ?b ?c ?d))"
    )
    assert program.rules < 9**4


def test_directions_between_all_places_are_not_ground_for_a_few() -> None:
    numbers = " ".join(f"(up {i} {i + 1})" for i in range(12))
    program = ground_program(
        numbers
        + "(<= (less ?a ?b) (up ?a ?b)) (<= (less ?a ?c) (up ?a ?b) (less ?b ?c))"
        + "(<= (line ?a ?b east) (less ?a ?b)) (<= (line ?a ?b west) (less ?b ?a))"
        + "(mix east east ne) (mix east west se) (mix west east nw) (mix west west sw)"
        + "(<= (way ?a ?b ?c ?d ?w) (line ?a ?c ?u) (line ?b ?d ?v) (mix ?u ?v ?w))"
        + "(init (place 3 4)) (<= (next (place ?a ?b)) (true (place ?b ?c)) (up ?c ?a))"
        + "(<= (near ?a ?b ?c ?d ?w) (true (place ?a ?b)) (way ?a ?b ?c ?d ?w) (up ?d ?c))"
        + "(<= terminal (near ?a ?b ?c ?d ne) (true (place ?c ?d)))"
    )
    assert program.rules < 1_000


def test_counting_from_one_place_is_not_counting_from_every_number() -> None:
    numbers = " ".join(f"(succ {i} {i + 1}) (number {i})" for i in range(40))
    program = ground_program(
        numbers
        + "(<= terminal (count 0 0 ?n ?m) (distinct ?n ?m))"
        + "(<= (count 3 ?n ?m ?n) (number ?n) (number ?m) (true (at ?m)))"
        + "(<= (count ?i ?n ?m ?e) (succ ?i ?j) (succ ?n ?k) (true (at ?i)) (count ?j ?k ?m ?e))"
    )
    assert program.rules < 300


def test_equal_conjunctions_are_one_relation() -> None:
    auxiliaries = Auxiliaries()
    description = Description.from_text(
        "(role x) (<= (p ?a) (q ?a ?b) (r ?b)) (<= (p ?c) (r ?d) (q ?c ?d))"
    )
    first, second = (rule for rule in description.rules if rule.body)
    one = auxiliaries.define(first.body, [parse_term("?a")])  # type: ignore[list-item]
    other = auxiliaries.define(second.body, [parse_term("?c")])  # type: ignore[list-item]
    assert one.relation == other.relation
    assert len(auxiliaries.rules) == 1


def test_a_pass_without_anything_to_do_returns_what_it_took() -> None:
    rules = initial_rules(Description.from_text(GAME + "(<= terminal (true (at 0)))"))
    for each in PASSES:
        after = each(rules)
        assert after is rules or after.rules != rules.rules or after.instances, each
        rules = after
    assert (
        rules.rules
        == initial_rules(Description.from_text(GAME + "(<= terminal (true (at 0)))")).rules
    )


def test_what_a_later_pass_makes_has_a_name_of_its_own() -> None:
    x = Symbol("?x")
    rules = Rules(roles=(), rules=())
    for number in range(2):
        auxiliaries = rules.auxiliaries()
        auxiliaries.define([Literal(parse_term("(at ?x)"))], [x])
        rules = rules.changed(rules.rules, auxiliaries)
        assert str(rules.rules[number]) == f"(<= (part {number} ?0) (at ?0))"


def test_what_follows_from_rules_is_found_once() -> None:
    rules = initial_rules(Description.from_text(GAME))
    assert rules.sizes is rules.sizes
    assert rules.changed(rules.rules) is rules
