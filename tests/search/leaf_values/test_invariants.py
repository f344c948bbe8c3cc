"""The invariants that are proved of a game's states hold in all of them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.gdl import Description
from ggp.search.leaf_values.invariants import Invariants, InvariantSearch
from ggp.search.leaf_values.linear import constant_sums, independent_columns, with_fewer_terms
from ggp.search.leaf_values.transitions import Transitions
from tests.search.maxn.trick_games import in_turn

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[3] / "games"


def invariants(description: Description) -> tuple[Circuit, Transitions, Invariants]:
    circuit = build_circuit(description)
    transitions = Transitions(circuit)
    search = InvariantSearch(circuit, transitions)
    search.run(due=time.monotonic() + 60)
    assert search.is_complete
    return circuit, transitions, search.invariants


def groups(text: str) -> set[frozenset[str]]:
    circuit, _, found = invariants(Description.from_text(text))
    return {frozenset(str(circuit.facts[fact]) for fact in group) for group in found.exclusive}


def test_the_values_of_a_cell_exclude_each_other() -> None:
    circuit, _, found = invariants(Description.load(GAMES / "tictactoe.kif"))
    names = {frozenset(str(circuit.facts[fact]) for fact in group) for group in found.exclusive}
    assert names == {frozenset({"(control x)", "(control o)"})} | {
        frozenset({f"(mark {x} {y} x)", f"(mark {x} {y} o)"}) for x in (1, 2, 3) for y in (1, 2, 3)
    }


def test_a_game_needs_no_fact_of_one_place() -> None:
    # All facts are propositions here, so one kind of groups is empty.
    found = groups(
        "(role a) (init off) (legal a go) (<= (next on) (true off)) (goal a 0)"
        "(<= terminal (true on))"
    )
    assert found == {frozenset({"on"}), frozenset({"off"})}


def test_facts_that_rarely_hold_together_are_not_exclusive() -> None:
    # Random playouts hardly ever find the way to both: it is one in 3^12.
    steps = " ".join(f"(succ {n} {n + 1})" for n in range(12))
    assert frozenset({"(light red)", "(light green)"}) not in groups(
        f"""
        (role a) (init (safe 0)) (init (light red)) {steps}
        (legal a x) (legal a y) (legal a z)
        (<= (next (safe ?m)) (true (safe ?n)) (succ ?n ?m) (does a x))
        (<= (next (safe 0)) (not (does a x)))
        (<= (next (light red)) (true (light red)))
        (<= (next (light green)) (true (safe 12)))
        (<= terminal (true (light green)))
        (goal a 0)
        """
    )


def test_an_invariant_may_need_another() -> None:
    # The counter stays below its end only because the clock, at the same speed, ends the game.
    assert frozenset({"(count 0)", "(count 1)", "(count 2)", "(count 3)"}) in groups(
        """
        (role a) (init (count 0)) (init (clock 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (legal a go)
        (<= (next (count ?m)) (true (count ?n)) (succ ?n ?m))
        (<= (next (count 0)) (true (count 3)))
        (<= (next (count 1)) (true (count 3)))
        (<= (next (clock ?m)) (true (clock ?n)) (succ ?n ?m))
        (<= terminal (true (clock 3)))
        (goal a 0)
        """
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("game", ["tictactoe", "harvest", "hexapawn", "centipede", "pirates"])
def test_every_step_keeps_the_invariants(game: str) -> None:
    circuit, transitions, found = invariants(Description.load(GAMES / f"{game}.kif"))
    with transitions.adding():
        doubles = [
            transitions.at_least(2, [(transitions.after[fact], 1) for fact in group])
            for group in found.exclusive
        ]
        some = transitions.any_of(doubles)
    assert doubles
    assert not list(transitions.models([*found.assumptions, some]))
    assert any(True for _ in transitions.models(found.assumptions))
    initial = set(circuit.initial.tolist())
    assert all(len(initial.intersection(group)) <= 1 for group in found.exclusive)


def test_the_number_of_tricks_is_known_where_no_rule_counts_them() -> None:
    circuit, transitions, found = invariants(Description.from_text(in_turn(3)))
    tricks = {
        fact: int(str(term).split()[-1][:-1])
        for fact, term in enumerate(circuit.facts)
        if str(term).startswith("(took ")
    }
    terms = [(transitions.after[fact], count) for fact, count in tricks.items()]
    with transitions.adding():
        fewer = -transitions.at_least(3, terms)
        more = transitions.at_least(4, terms)
        wrong = transitions.any_of([fewer, more])
    assert not list(transitions.models([*found.assumptions, transitions.over, wrong]))


# Linear algebra

points = arrays(
    np.int64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.integers(0, 9)
)


@given(points)
def test_constant_sums_are_constant(rows: np.ndarray) -> None:
    for weights, total in constant_sums(rows):
        assert (rows @ weights == total).all()
        assert weights.any()


@given(points)
def test_there_are_as_many_constant_sums_as_dimensions_are_missing(rows: np.ndarray) -> None:
    rank = np.linalg.matrix_rank(rows - rows[0])
    found = [weights for weights, _ in constant_sums(rows)]
    assert len(found) <= rows.shape[1] - rank
    if rows.max() <= 2:  # then no coefficient is too large
        assert len(found) == rows.shape[1] - rank
        assert not found or np.linalg.matrix_rank(np.array(found)) == len(found)


@given(points)
def test_independent_columns_span_all(rows: np.ndarray) -> None:
    chosen = independent_columns(rows)
    assert np.linalg.matrix_rank(rows) == len(chosen)
    assert not chosen or np.linalg.matrix_rank(rows[:, chosen]) == len(chosen)


@given(points)
def test_equations_with_fewer_terms_say_the_same(rows: np.ndarray) -> None:
    equations = rows[independent_columns(rows.T)]
    shorter = with_fewer_terms(equations)
    together = np.linalg.matrix_rank(np.vstack([equations, shorter]))
    assert together == np.linalg.matrix_rank(shorter) == len(equations)
    terms, before = np.count_nonzero(shorter[:, :-1]), np.count_nonzero(equations[:, :-1])
    assert terms <= before
