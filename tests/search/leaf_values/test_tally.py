"""Facts that only count for a goal: found where they do, and no search finds less by them."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.rulesheet import evaluations, rulesheet
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import LeafValueTable, Limit, Minimax, SearchResult
from ggp.search.leaf_values.outcomes import Outcomes
from ggp.search.leaf_values.tally import find_tallies
from tests.search.every import by_engine, in_python
from tests.search.leaf_values.scoring_games import ScoringGame

pytestmark = pytest.mark.usefixtures("forked")

FAMILY = ("minimax", "bounded", "alphabeta")
#: The thresholds of bounded minimax that ask nothing.
WHOLE: dict[str, dict[str, Any]] = {"bounded": {"win": 100, "lose": 0}}
TABLE_BYTES = 1 << 22


#: Two points are shared out at the start. Then bob ends the game, or goes round in circles.
LOOPING = """
(role ann) (role bob)
(init (at x)) (init (step 0)) (init (points ann 0)) (init (points bob 0))
(<= (legal ann (take ?k)) (true (step 0)) (amount ?k))
(<= (legal ann noop) (true (step 2)))
(<= (legal bob noop) (true (step 0)))
(<= (legal bob noop) (true (step 2)) (true (at y)))
(<= (legal bob leave) (true (step 2)) (true (at x)))
(<= (legal bob stay) (true (step 2)) (true (at x)))
(amount 0) (amount 1) (amount 2)
(<= (next (step 2)) (true (step 0)))
(<= (next (step 2)) (true (step 2)))
(<= (next (at x)) (true (step 0)))
(<= (next (at x)) (true (at y)))
(<= (next (at y)) (true (at x)) (does bob stay))
(<= (next (at end)) (true (at x)) (does bob leave))
(<= (next (points ann ?new)) (does ann (take ?k)) (true (points ann ?old)) (plus ?old ?k ?new))
(<= (next (points bob ?new)) (does ann (take ?k)) (true (points bob ?old)) (plus ?k ?l 2)
    (plus ?old ?l ?new))
(<= (next (points ?r ?n)) (true (points ?r ?n)) (true (step 2)))
(plus 0 0 0) (plus 0 1 1) (plus 0 2 2) (plus 1 0 1) (plus 1 1 2) (plus 2 0 2)
(<= terminal (true (at end)))
(<= (goal ?r ?g) (true (points ?r ?n)) (worth ?n ?g))
(worth 0 0) (worth 1 50) (worth 2 100)
"""

#: A mark goes round three places, by one or by two, but never all the way.
GOING_ROUND = """
(role ann) (role bob) (role cat) (init s0) (init (c ann))
(<= (legal bob a) (true s0)) (<= (legal bob b) (true s0))
(<= (legal bob (add 1)) (true s1) (true f))
(<= (legal bob (add 0)) (true s1) (not (true f)))
(<= (legal bob noop) (true s2))
(<= (legal ann (add 0)) (true s2)) (<= (legal ann jump) (true s2))
(<= (legal ann noop) (not (true s2))) (legal cat noop)
(<= (next s1) (true s0)) (<= (next s2) (true s1))
(<= (next s3) (true s2))
(<= (next f) (true s0) (does bob a))
(<= (next (c ?y)) (true (c ?x)) (adds ?k) (turn ?x ?k ?y))
(<= (adds ?k) (does ?r (add ?k))) (<= (adds 2) (does ann jump))
(turn ann 0 ann) (turn bob 0 bob) (turn cat 0 cat)
(turn ann 1 bob) (turn bob 1 cat) (turn cat 1 ann)
(turn ann 2 cat) (turn bob 2 ann) (turn cat 2 bob)
(<= (next (c bob)) (true (c ann)) (does bob a))
(<= (next (c cat)) (true (c bob)) (does bob a))
(<= (next (c ann)) (true (c cat)) (does bob a))
(<= (next (c ?x)) (true (c ?x)) (does bob b))
(<= terminal (true s3))
(<= (goal ann ?g) (true (c ?n)) (worth ?n ?g)) (<= (goal bob 0) (true s0)) (goal cat 0)
(worth ann 0) (worth bob 50) (worth cat 100)
"""

#: Two points a move are given to ann, bob, or a third who does not play: what ann can still get by
#: the table is more than what any way leads to.
SHARED_OUT = """
(role ann) (role bob) (init (at r)) (init (step 0))
(init (points ann 0)) (init (points bob 0)) (init (points cat 0))
(<= (legal ann (go ?m)) (true (at ?n)) (way ?n ?m ?to ?r)) (legal bob noop)
(<= (goes ?to ?r) (true (at ?n)) (does ann (go ?m)) (way ?n ?m ?to ?r))
(<= (next (at ?to)) (goes ?to ?r))
(<= (next (points ?r ?new)) (goes ?to ?r) (true (points ?r ?old)) (more ?old ?new))
(<= (next (points ?r ?n)) (goes ?to ?other) (true (points ?r ?n)) (distinct ?r ?other))
(<= (next (step ?new)) (true (step ?old)) (more ?old ?new))
(<= terminal (true (step 8)))
(<= (goal ann ?g) (true (points ann ?n)) (worth ?n ?g))
(<= (goal bob ?n) (true (points bob ?n)))
(more 0 2) (more 2 4) (more 4 6) (more 6 8)
(worth 0 0) (worth 2 20) (worth 4 40) (worth 6 60) (worth 8 80)
(way r 1 a1 ann) (way a1 1 a2 ann) (way a2 1 a3 ann) (way a3 1 e cat)
(way r 2 b1 cat) (way b1 1 p cat) (way r 3 c1 ann) (way c1 1 p ann)
(way p 1 q cat) (way q 1 e ann)
"""


def reported(result: SearchResult) -> tuple[Any, ...]:
    return result.value, result.joint_move, result.exact


@pytest.mark.long
def test_tricks_count_where_every_trick_is_worth_the_same() -> None:
    for evaluation in evaluations("spades"):
        dealt = deal("spades", players=2, cards=5, number=1)
        rules = Description.from_text(rulesheet(dealt, evaluation=evaluation))
        table = LeafValueTable.enumerate(rules, time_limit=100)
        if evaluation != "mt":
            assert not any(table.tallies)
            continue
        for role, tally in zip(("ann", "bob"), table.tallies, strict=True):
            assert tally is not None
            assert list(map(str, tally.facts)) == [f"(took {role} {n})" for n in range(6)]
            assert tally.goals == (0, 10, 20, 30, 40, 50)
            other = "bob" if role == "ann" else "ann"
            assert {f"(took {other} {n})" for n in range(6)} <= set(map(str, tally.ignored))
            assert not any("hand" in str(fact) for fact in tally.ignored)


@pytest.mark.parametrize("is_falling", [False, True])
def test_points_count_whether_more_is_better_or_worse(is_falling: bool) -> None:
    tallies = ScoringGame(0, is_falling=is_falling).leaf_values.tallies
    assert tallies
    for tally in tallies:
        assert tally is not None
        assert [str(fact).split()[2] for fact in tally.facts] == [f"{n})" for n in range(11)]
        known = [goal for goal in tally.goals if goal is not None]
        assert known == sorted(known, reverse=is_falling)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "more",
    [
        "(<= (legal ann pass) (true (points ann 3)))",
        "(<= terminal (true (points ann 7)))",
        "(<= (next (at n1_0)) (true (points ann 2)) (true (at n0_0)))",
        "(<= (next rich) (true (points ann 4))) (<= (legal bob pass) (true rich))",
        "(<= (goal ann 0) (true (points bob 9)))",
    ],
)
def test_what_anything_else_depends_on_does_not_only_count(more: str) -> None:
    tallies = ScoringGame(0, more=more).leaf_values.tallies
    assert not tallies or tallies[0] is None


def test_a_step_that_adds_by_what_there_is_does_not_count() -> None:
    """A point is worth two to those who have many."""
    game = ScoringGame(0)
    text = game.text.replace("(plus 4 1 5)", "(plus 4 1 6)").replace("(plus 5 1 6)", "(plus 5 1 5)")
    assert text != game.text
    table = LeafValueTable.enumerate(Description.from_text(text), time_limit=100)
    assert not any(table.tallies)


def test_nothing_is_counted_where_a_play_need_not_end() -> None:
    table = LeafValueTable.enumerate(Description.from_text(LOOPING), time_limit=100)
    assert table.links
    assert not any(table.tallies)


def test_a_count_that_may_begin_anew_is_none() -> None:
    circuit = build_circuit(Description.from_text(GOING_ROUND))
    outcomes = Outcomes(circuit, due=time.monotonic() + 60)
    table = outcomes.table(max_rows=1000)
    assert table is not None
    *_, linked = outcomes.links(table)
    assert not any(find_tallies(circuit, linked))


@pytest.mark.sample(1)
@pytest.mark.parametrize("algorithm", FAMILY)
def test_a_bound_that_nothing_here_can_reach_is_not_used(algorithm: str) -> None:
    description = Description.from_text(SHARED_OUT)
    table = LeafValueTable.enumerate(description, time_limit=100)
    assert table.tallies[0] is not None
    options = {"leaf_values": table, **WHOLE.get(algorithm, {})}
    with open_reasoner(description, kind="compiled") as reasoner:
        graph = GameGraph(reasoner)
        plain = in_python(graph, Minimax, classifier="none", table_size=0).run()
        assert plain.value == 60
        assert reported(in_python(graph, algorithm, **options).run()) == reported(plain)
        engine = by_engine(graph, algorithm, table_bytes=TABLE_BYTES, **options)
        assert engine is not None
        assert reported(engine.run()) == reported(plain)


@pytest.mark.long
@settings(max_examples=settings().max_examples // 3)
@given(st.integers(0, 10**9), st.integers(2, 6), st.integers(1, 3), st.booleans())
def test_counting_changes_no_value(seed: int, layers: int, width: int, is_falling: bool) -> None:
    game = ScoringGame(seed, layers=layers, width=width, moves=2, is_falling=is_falling)
    with open_reasoner(game.description, kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        for role, algorithm in product(range(2), FAMILY):
            options = {"role": role, **WHOLE.get(algorithm, {})}
            plain = in_python(graph, Minimax, role=role, classifier="none", table_size=0).run()
            search = in_python(graph, algorithm, leaf_values=game.leaf_values, **options)
            # The second search begins with what the first one has found.
            for found in (search.run(), search.run()):
                assert reported(found) == reported(plain)
                assert found.goals[role] == found.value
            unseen = replace(game.leaf_values, tallies=())
            without = in_python(graph, algorithm, leaf_values=unseen, **options)
            limited = in_python(graph, algorithm, leaf_values=game.leaf_values, **options)
            depth = layers - 1
            assert reported(limited.run(limit=Limit(depth=depth))) == reported(
                without.run(limit=Limit(depth=depth))
            )
            assert reported(limited.run()) == reported(plain)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))]
)
def test_the_engine_counts_as_the_reference_does(seed: int) -> None:
    # With eight layers the game has more than 128 facts.
    game = ScoringGame(seed, layers=8 if seed % 2 else 5, width=6 if seed % 2 else 2)
    table = game.leaf_values
    assert all(table.tallies)
    with open_reasoner(game.description, kind="compiled") as reasoner:
        graph = GameGraph(reasoner)
        for role, algorithm, ordered in product(range(2), FAMILY, (False, True)):
            options = {"role": role, "leaf_values": table, **WHOLE.get(algorithm, {})}
            expected = in_python(graph, algorithm, **options).run()
            engine = by_engine(
                graph, algorithm, table_bytes=TABLE_BYTES, ordered=ordered, **options
            )
            assert engine is not None
            found = engine.run()
            assert reported(found) == reported(expected)
            assert found.goals[role] == expected.goals[role]
            if not ordered:
                counted = (found.expanded, found.researched, found.table_hits, found.prunes)
                theirs = expected.expanded, expected.researched, expected.table_hits
                assert counted == (*theirs, expected.prunes)
            again = engine.run()
            assert reported(again) == reported(found)
            assert again.expanded == 0
            without = replace(table, tallies=())
            plain = by_engine(
                graph, algorithm, table_bytes=TABLE_BYTES, **{**options, "leaf_values": without}
            )
            assert plain is not None
            *_, deepened = engine.deepen()
            *_, theirs_deepened = plain.deepen()
            assert reported(deepened) == reported(theirs_deepened) == reported(found)
