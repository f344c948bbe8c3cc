"""Facts that only count for a goal: found where they do, and no search finds less by them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine import engine_search
from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.rulesheet import evaluations, rulesheet
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import ALGORITHMS, LeafValueTable, Minimax, SearchResult
from tests.search.leaf_values.scoring_games import ScoringGame

FAMILY = ("minimax", "bounded", "alphabeta")
#: The thresholds of bounded minimax that ask nothing.
WHOLE: dict[str, dict[str, Any]] = {"bounded": {"win": 100, "lose": 0}}
TABLE_BYTES = 1 << 22


def reported(result: SearchResult) -> tuple[Any, ...]:
    return result.value, result.joint_move, result.exact


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
    for tally in ScoringGame(0, is_falling=is_falling).leaf_values.tallies:
        assert tally is not None
        assert [str(fact).split()[2] for fact in tally.facts] == [f"{n})" for n in range(11)]
        known = [goal for goal in tally.goals if goal is not None]
        assert known == sorted(known, reverse=is_falling)


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


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.integers(2, 6), st.integers(1, 3), st.booleans())
def test_counting_changes_no_value(seed: int, layers: int, width: int, is_falling: bool) -> None:
    game = ScoringGame(seed, layers=layers, width=width, moves=2, is_falling=is_falling)
    with open_reasoner(game.description, kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        for role, algorithm in product(range(2), FAMILY):
            options = {"role": role, **WHOLE.get(algorithm, {})}
            plain = Minimax(graph, role=role, classifier="none", table_size=0).run()
            search = ALGORITHMS[algorithm](graph, leaf_values=game.leaf_values, **options)
            # The second search begins with what the first one has found.
            for found in (search.run(), search.run()):
                assert reported(found) == reported(plain)
                assert found.goals[role] == found.value
            unseen = replace(game.leaf_values, tallies=())
            without = ALGORITHMS[algorithm](graph, leaf_values=unseen, **options)
            limited = ALGORITHMS[algorithm](graph, leaf_values=game.leaf_values, **options)
            depth = layers - 1
            assert reported(limited.run(depth=depth)) == reported(without.run(depth=depth))
            assert reported(limited.run()) == reported(plain)


@pytest.mark.parametrize("seed", range(6))
def test_the_engine_counts_as_the_reference_does(seed: int) -> None:
    # With seven layers a state has more than 128 facts.
    game = ScoringGame(seed, layers=8 if seed % 2 else 5, width=6 if seed % 2 else 2)
    table = game.leaf_values
    assert all(table.tallies)
    with open_reasoner(game.description, kind="compiled") as reasoner:
        graph = GameGraph(reasoner)
        for role, algorithm, ordered in product(range(2), FAMILY, (False, True)):
            options = {"role": role, "leaf_values": table, **WHOLE.get(algorithm, {})}
            expected = ALGORITHMS[algorithm](graph, **options).run()
            engine = engine_search(
                graph, algorithm, table_bytes=TABLE_BYTES, ordered=ordered, **options
            )
            assert engine is not None
            found = engine.run()
            assert reported(found) == reported(expected)
            assert found.goals == expected.goals
            if not ordered:
                counted = (found.expanded, found.researched, found.table_hits, found.prunes)
                theirs = expected.expanded, expected.researched, expected.table_hits
                assert counted == (*theirs, expected.prunes)
            again = engine.run()
            assert reported(again) == reported(found)
            assert again.expanded == 0
            without = replace(table, tallies=())
            plain = engine_search(
                graph, algorithm, table_bytes=TABLE_BYTES, **{**options, "leaf_values": without}
            )
            assert plain is not None
            *_, deepened = engine.deepen()
            *_, theirs_deepened = plain.deepen()
            assert reported(deepened) == reported(theirs_deepened) == reported(found)
