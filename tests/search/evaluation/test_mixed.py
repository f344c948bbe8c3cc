"""Estimates of states beyond the horizon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import AlphaBeta, Evaluation, LeafValueTable, Limit
from tests.search.every import in_python
from tests.search.tree_game import Spot, TreeGame, tree

GAMES = Path(__file__).parents[3] / "games"


def evaluation(graph: GameGraph, **weights: Any) -> Evaluation:
    return Evaluation(leaf_values=LeafValueTable.of(graph.reasoner.description), **weights)


@contextmanager
def opened(game: str, kind: str = "compiled") -> Iterator[GameGraph]:
    with open_reasoner(Description.load(GAMES / f"{game}.kif"), kind=kind) as reasoner:
        yield GameGraph(reasoner)


def waiting(goals: tuple[int | None, ...], moves: tuple[int, ...]) -> TreeGame:
    """A beginning with these goals and numbers of moves; roles end with 20 or 80."""
    ends = (Spot((20, 80), (1, 1)), Spot((80, 20), (1, 1)))
    count = moves[0] * moves[1]
    return TreeGame(("r", "s"), (Spot(goals, moves, (1,) * (count - 1) + (2,)), *ends))


def test_goals_as_they_stand_are_between_the_lowest_and_the_highest() -> None:
    for goal, expected in ((20, 20.06), (50, 50), (80, 79.94), (None, 50)):
        graph = waiting((goal, 50), (2, 2)).graph()
        table = replace(LeafValueTable.of(graph.reasoner.description), may_miss=frozenset())
        worth = Evaluation(leaf_values=table)(graph, graph.root, 0)
        assert worth == pytest.approx(expected)
        assert 20 < worth < 80


def test_a_goal_that_may_be_missing_counts_as_nothing() -> None:
    graph = waiting((80, 50), (2, 2)).graph()
    assert evaluation(graph).range_of(0) == (0, 80)


def test_mobility_is_a_share_of_all_moves() -> None:
    graph = waiting((50, 50), (4, 2)).graph()
    ours, theirs = (evaluation(graph, goals=0, mobility=1)(graph, graph.root, r) for r in (0, 1))
    assert ours == pytest.approx(80 * (0.001 + 0.998 * 5 / 9))
    assert theirs == pytest.approx(80 * (0.001 + 0.998 * 3 / 9))


def test_weights_count_as_shares_of_their_sum() -> None:
    graph = waiting((80, 50), (4, 2)).graph()
    parts = [
        evaluation(graph, goals=g, mobility=m)(graph, graph.root, 0) for g, m in ((1, 0), (0, 1))
    ]
    mixed = evaluation(graph, goals=6, mobility=2)(graph, graph.root, 0)
    assert mixed == pytest.approx(0.75 * parts[0] + 0.25 * parts[1])


@pytest.mark.parametrize("kind", ["compiled", "prolog"])
def test_playouts_come_to_their_mean(kind: str) -> None:
    with opened("tictactoe", kind) as graph:
        means = evaluation(graph, goals=0, playouts=1, count=400)
        ours, theirs = (means(graph, graph.root, role) for role in (0, 1))
        assert ours + theirs == pytest.approx(100)
        # the first player wins 58% and draws 13% of random games; one standard error is 2.3
        assert ours == pytest.approx(64.9, abs=10)


def test_a_state_is_worth_the_same_whenever_it_is_asked_for() -> None:
    with opened("connectfour") as graph, opened("connectfour") as other:
        means, again = evaluation(graph, playouts=1), evaluation(other, playouts=1)
        children = graph.expansion(graph.root).children
        values = [means(graph, child, 0) for child in children]
        others = other.expansion(other.root).children
        assert [again(other, child, 0) for child in reversed(others)] == values[::-1]
        assert len(set(values)) > 1


def test_playouts_that_are_cut_short_count_what_stands() -> None:
    with opened("connectfour") as graph:
        short = evaluation(graph, goals=0, playouts=1, steps=1)
        standing = evaluation(graph)
        assert short(graph, graph.root, 0) == pytest.approx(standing(graph, graph.root, 0))


def test_an_estimate_is_never_taken_for_a_proof() -> None:
    # Beyond the horizon all is won; still an estimate is not the highest goal.
    game = tree("r", ([100], [2], [1, 1]), ([100], [1], [2]), ([100], [1], []))
    graph = game.graph()
    result = in_python(graph, AlphaBeta, evaluation=evaluation(graph)).run(limit=Limit(depth=1))
    assert not result.exact
    assert result.value == pytest.approx(99.9)


@pytest.mark.parametrize(
    "wrong",
    [{"goals": -1}, {"goals": 0}, {"count": 0}, {"steps": 0}, {"playouts": float("nan")}],
)
def test_weights_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    graph = waiting((50, 50), (2, 2)).graph()
    with pytest.raises(ValueError, match="evaluation"):
        evaluation(graph, **wrong)


def test_without_playouts_something_is_left() -> None:
    graph = waiting((50, 50), (2, 2)).graph()
    assert evaluation(graph, goals=0, playouts=1).without_playouts.shares == (1, 0, 0)
    assert evaluation(graph, goals=0, mobility=1, playouts=1).without_playouts.shares == (0, 1, 0)
