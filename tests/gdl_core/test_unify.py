from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ggp.gdl.unify import renamed, resolved, unifiable, unifier
from ggp.kif import Compound, Symbol, Term, compound, parse_term, variables

LEAVES = st.sampled_from(["a", "b", "?x", "?y", "?z"]).map(Symbol)
TERMS: st.SearchStrategy[Term] = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from("fg"), st.lists(inner, min_size=1, max_size=3)).map(
        lambda made: compound(made[0], *made[1])
    ),
    max_leaves=6,
)
GROUND = [parse_term(text) for text in ("a", "b", "(f a)", "(g b)", "(f (f a))", "(f a b)")]


def substituted(term: Term, values: Mapping[Symbol, Term]) -> Term:
    if isinstance(term, Symbol):
        return values.get(term, term)
    return Compound(tuple(substituted(item, values) for item in term.items))


def instances(term: Term) -> set[Term]:
    """Some of the term's ground instances."""
    names = list(dict.fromkeys(variables(term)))
    assume(len(names) <= 3)
    return {
        substituted(term, dict(zip(names, values, strict=True)))
        for values in product(GROUND, repeat=len(names))
    }


def generalised(term: Term, data: st.DataObject) -> Term:
    """A term of which this ground one is an instance: variables stand for some parts of it."""
    if data.draw(st.booleans()):
        return Symbol(f"?{term}".replace(" ", "-"))  # the same variable for the same part
    if isinstance(term, Symbol):
        return term
    name, *arguments = term.items
    return Compound((name, *(generalised(each, data) for each in arguments)))


@given(TERMS, st.data())
def test_terms_with_a_common_instance_are_unifiable(left: Term, data: st.DataObject) -> None:
    common = data.draw(st.sampled_from(sorted(instances(left), key=str)))
    assert unifiable(left, generalised(common, data))


@given(TERMS, st.data())
def test_a_term_is_unifiable_with_each_of_its_instances(term: Term, data: st.DataObject) -> None:
    instance = data.draw(st.sampled_from(sorted(instances(term), key=str)))
    assert unifiable(term, instance)
    assert unifiable(instance, term)


@given(TERMS, TERMS)
def test_a_ground_term_is_unifiable_with_nothing_else_than_that(left: Term, right: Term) -> None:
    assume(len(set(variables(left))) <= 1)
    some = sorted(instances(right), key=str)[:5]
    assert some
    for instance in some:
        assert unifiable(left, instance) == (instance in all_instances(left, instance))


def all_instances(term: Term, goal: Term) -> set[Term]:
    """The instances with the subterms of the goal for the only variable."""
    inside, pending = set(), [goal]
    while pending:
        inside.add(pending[-1])
        part = pending.pop()
        pending.extend(part.items if isinstance(part, Compound) else ())
    return {substituted(term, dict.fromkeys(variables(term), value)) for value in inside}


@given(TERMS, TERMS)
def test_it_does_not_matter_which_comes_first(left: Term, right: Term) -> None:
    assert unifiable(left, right) == unifiable(right, left)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("(p ?x b)", "(p a ?y)", True),
        ("(p ?x ?x)", "(p a b)", False),
        ("(p ?x ?x)", "(p ?y ?x)", True),  # of different rules: ?x is not ?x
        ("(p ?x ?x')", "(p (f ?x') ?x)", True),
        ("(p a)", "(p a b)", False),
        ("(p (f ?x))", "(p ?x)", True),
        ("(p (f ?x))", "(p (g ?x))", False),
        ("(p ?x (f ?x) b)", "(p ?y ?z ?z)", False),
        ("p", "p", True),
        ("p", "(p)", False),
    ],
)
def test_atoms_of_different_rules(left: str, right: str, expected: bool) -> None:
    assert unifiable(parse_term(left), parse_term(right)) is expected


def test_endless_terms_are_compared_in_finite_time() -> None:
    left, right = parse_term("(p ?x ?x ?y ?y ?x)"), parse_term("(p ?u (f ?u) ?v (f ?v) ?v)")
    assert unifiable(left, right)


def test_terms_that_double_at_every_step_are_compared_in_finite_time() -> None:
    doubles = " ".join(f"(f ?x{i} ?x{i})" for i in range(60))
    names = " ".join(f"?x{i + 1}" for i in range(60))
    left = parse_term(f"(p {names} {names} ?x60)")
    right = parse_term(f"(p {doubles} {doubles} ?x60)")
    assert unifiable(left, right)


@given(TERMS, TERMS)
def test_a_unifier_makes_terms_equal_and_there_is_one_where_they_have_a_common_instance(
    left: Term, right: Term
) -> None:
    found = unifier(left, right)
    common = instances(compound("both", left, right))
    is_common = any(len(set(pair.items[1:])) == 1 for pair in common if isinstance(pair, Compound))
    assert found is not None or not is_common
    if found is not None:
        assert resolved(left, found) == resolved(right, found)


@given(TERMS)
def test_a_variable_is_no_part_of_its_own_value(term: Term) -> None:
    variable = Symbol("?x")
    assert (unifier(variable, compound("f", term)) is None) == (variable in variables(term))


@given(TERMS, TERMS)
def test_terms_have_a_unifier_once_renamed_where_they_are_unifiable(
    left: Term, right: Term
) -> None:
    if unifier(renamed(left), right) is not None:
        assert unifiable(left, right)


def test_a_unifier_of_terms_that_double_at_every_step_is_found_in_finite_time() -> None:
    doubles = " ".join(f"(f ?x{i} ?x{i})" for i in range(60))
    names = " ".join(f"?x{i + 1}" for i in range(60))
    assert unifier(parse_term(f"(p {names})"), parse_term(f"(p {doubles})")) is not None
    assert unifier(parse_term(f"(p {names} ?x60)"), parse_term(f"(p {doubles} ?x0)")) is None
