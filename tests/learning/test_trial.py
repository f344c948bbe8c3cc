"""A trial tells the better one of two searches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.learning import TrialResult, play_trial
from ggp.reasoner import open_reasoner
from ggp.search import Limit, Minimax
from tests.search.every import in_python


class Careless:
    """Takes any move for the best."""

    def __init__(self, graph: GameGraph, role: int) -> None:
        self._graph, self._role, self._random = graph, role, random.Random(role)

    def takes(self, _node: int) -> bool:
        return True

    def deepen(self, node: int, _limit: Limit) -> Iterator[SimpleNamespace]:
        legal = self._graph.expansion(node).legal[self._role]
        yield SimpleNamespace(move=self._random.choice(legal))


def tried(name: str, matches: int, deadline: Deadline, *, is_first: bool) -> TrialResult:
    with open_reasoner(Description.load(name), kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        roles = range(len(reasoner.roles))
        careful: list[Any] = [in_python(graph, Minimax, role=role) for role in roles]
        careless: list[Any] = [Careless(graph, role) for role in roles]
        sides = (careful, careless) if is_first else (careless, careful)
        return play_trial(graph, *sides, seconds=5.0, matches=matches, deadline=deadline)


@pytest.mark.parametrize("is_first", [True, False])
def test_the_better_one_gets_more(is_first: bool) -> None:
    result = tried("nim", 20, Deadline(), is_first=is_first)
    assert result.matches <= 20
    assert (result.score > 0.6) == is_first


def test_a_pair_that_is_interrupted_does_not_count() -> None:
    assert tried("nim", 20, Deadline(0.0), is_first=True) == TrialResult(0, 0.5)


def test_a_single_player_has_its_matches_in_turn() -> None:
    """The role `random` has no search: the states after its moves are drawn."""
    text = """
        (role me) (role random) (init (turn 1)) (then 1 2) (then 2 3) (then 3 4) (then 4 5)
        (<= (legal me (take ?n)) (number ?n)) (number 0) (number 1) (number 2)
        (<= (legal random (toss ?side)) (side ?side)) (side heads) (side tails)
        (<= (next (turn ?m)) (true (turn ?n)) (then ?n ?m))
        (<= (next (took ?n)) (does me (take ?n)))
        (<= terminal (true (turn 5)))
        (worth 0 0) (worth 1 50) (worth 2 100)
        (<= (goal me ?g) (true (took ?n)) (worth ?n ?g)) (<= (goal random 0) (true (turn ?n)))
    """
    with open_reasoner(Description.from_text(text), kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        careful: list[Any] = [in_python(graph, Minimax, role=0), None]
        careless: list[Any] = [Careless(graph, 0), None]
        result = play_trial(graph, careful, careless, seconds=5.0, matches=20, deadline=Deadline())
    assert result.matches >= 6
    assert result.score > 0.5
