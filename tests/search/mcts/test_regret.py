"""Regret matching comes to an equilibrium where roles choose at once."""

from __future__ import annotations

from typing import Any

import pytest

from ggp.engine.mcts.layout import OPTIONS
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit, TreeSearch
from ggp.search.mcts.regret import drawn
from tests.engine.test_mcts import engine
from tests.search.every import in_python

#: What `a` gets of 100. In equilibrium `a` plays x in 2 of 7 times, `b` in 3 of 7, and `a` gets
#: 300 / 7.
RULES = """
(role a) (role b)
(init start)
(move x) (move y)
(<= (legal ?r ?m) (role ?r) (move ?m))
(<= (next (made ?m ?n)) (does a ?m) (does b ?n))
(<= terminal (true (made ?m ?n)))
(value x x 100 0) (value x y 0 100) (value y x 20 80) (value y y 60 40)
(<= (goal a ?v) (true (made ?m ?n)) (value ?m ?n ?v ?w))
(<= (goal b ?w) (true (made ?m ?n)) (value ?m ?n ?v ?w))
"""


def opened() -> GameGraph:
    return GameGraph(CompiledReasoner(Description.from_text(RULES)))


def shares(kind: str, **options: Any) -> tuple[float, float, float]:
    """Return how often each role chose x in a search, and what the first one got."""
    graph, visits = opened(), 6000
    if kind == "reference":
        reference = in_python(graph, TreeSearch, playouts=1, **options)
        result = reference.run(limit=Limit(nodes=visits))
        counts = [choice.visits for each in reference._root.choices for choice in each]
    else:
        search = engine(graph, playouts=1, **options)
        result = search.run(limit=Limit(nodes=visits))
        tree = search._tree
        assert tree.totals[OPTIONS] == 6
        counts = tree.option_counts[2:6].tolist()
    assert result.value is not None
    return counts[0] / sum(counts[:2]), counts[2] / sum(counts[2:]), result.value


@pytest.mark.parametrize("kind", ["engine", "reference"])
def test_roles_come_to_an_equilibrium(kind: str) -> None:
    first, second, value = shares(kind, regret=True)
    assert first == pytest.approx(2 / 7, abs=0.03)
    assert second == pytest.approx(3 / 7, abs=0.03)
    assert value == pytest.approx(300 / 7, abs=1.5)


@pytest.mark.parametrize("kind", ["engine", "reference"])
def test_uct_need_not(kind: str) -> None:
    _, second, _ = shares(kind)
    assert abs(second - 3 / 7) > 0.03


@pytest.mark.parametrize("kind", ["engine", "reference"])
def test_the_move_is_drawn(kind: str) -> None:
    graph = opened()
    search = (
        in_python(graph, TreeSearch, regret=True)
        if kind == "reference"
        else engine(graph, regret=True)
    )
    assert len({search.run(limit=Limit(nodes=50)).move for _ in range(30)}) == 2


def test_a_draw_is_in_proportion() -> None:
    assert [drawn([1, 0, 3], draw / 8) for draw in range(8)] == [0, 0, 0, 2, 2, 2, 2, 2]


def test_a_small_memory_keeps_regrets() -> None:
    search = engine(
        GameGraph(CompiledReasoner(Description.load("tron"))), table=200_000, regret=True
    )
    for _ in range(3):
        result = search.run(limit=Limit(nodes=3000))
        assert result.move is not None
        search._make_room()
