"""The engine's tree search: its memory, its threads, its clock, and what it says."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ggp.deadline import Deadline
from ggp.engine.mcts.search import TreeEngine
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Evaluation, LeafValueTable, Limit, ValueNet
from tests.engine.books import check_tree
from tests.engine.written import STUCK
from tests.search.every import by_engine

GAMES = Path(__file__).parents[2] / "games"


def opened(name: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{name}.kif")))


def engine(graph: GameGraph, *, table: int = 8 << 20, **options: Any) -> TreeEngine:
    found = by_engine(graph, "mcts", table_bytes=table, **options)
    assert isinstance(found, TreeEngine)
    return found


@pytest.mark.sample(2)
@pytest.mark.parametrize("game", ["connectfour", "breakthrough", "rockpaperscissors", "uptoten"])
def test_a_small_memory_is_never_exceeded(game: str) -> None:
    search = engine(opened(game), table=200_000, playouts=2)
    size = len(search._tree.visits)
    for _ in range(4):
        search.run(limit=Limit(nodes=2000))
        assert len(search._tree.visits) == size
        check_tree(search)


def test_the_clock_is_looked_at_more_often_where_a_network_fills_the_tree() -> None:
    graph = opened("connectfour")
    reasoner = graph.reasoner
    assert isinstance(reasoner, CompiledReasoner)
    facts = reasoner.circuit.facts
    net = ValueNet.of_layers(
        graph.roles,
        facts,
        weights=np.zeros((32, len(facts))),
        bias=np.zeros(32),
        outputs=np.zeros((2, 32)),
        output_bias=np.zeros(2),
    )
    table = LeafValueTable.of(reasoner.description)
    evaluation = Evaluation(leaf_values=table, net=net)
    search = engine(graph, table=200_000, leaf_values=table, evaluation=evaluation)
    search.run(limit=Limit(nodes=5000))
    before = search._turns.size
    for _ in range(5):
        search.run(limit=Limit(deadline=Deadline.after(0.01)))
    assert search._turns.size < before or search._turns.size == 1


def test_the_tree_goes_on_from_the_state_that_was_reached() -> None:
    graph = opened("connectfour")
    search = engine(graph, playouts=4)
    search.run(limit=Limit(nodes=3000))
    child = graph.expansion(graph.root).children[3]
    result = search.run(child, Limit(nodes=1))
    # it is known already what the reply is worth
    assert result.value is not None
    assert len(result.variation) > 2


def test_a_seed_repeats_a_search() -> None:
    results = [
        engine(opened("connectfour"), playouts=8, seed=3).run(limit=Limit(nodes=500))
        for _ in range(2)
    ]
    first, second = ({**result.to_json(), "seconds": 0} for result in results)
    assert first == second
    other = engine(opened("connectfour"), playouts=8, seed=4).run(limit=Limit(nodes=500))
    assert {**other.to_json(), "seconds": 0} != first


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_prove_what_one_proves(threads: int) -> None:
    search = engine(opened("tictactoe"), threads=threads, playouts=2)
    result = search.run()
    assert (result.goals, result.exact) == ((50, 50), True)
    check_tree(search, is_whole=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", ["connectfour", "rockpaperscissors", "uptoten", "tron"])
def test_threads_lose_no_visit(game: str) -> None:
    search = engine(opened(game), threads=4, playouts=1, table=128 << 20)
    result = search.run(limit=Limit(nodes=50_000))
    assert result.exact or result.generated >= 50_000
    check_tree(search, is_whole=True)


def test_threads_share_a_tree_that_is_full() -> None:
    search = engine(opened("connectfour"), threads=3, playouts=2, table=200_000)
    result = search.run(limit=Limit(nodes=50_000))
    assert result.simulations is not None
    assert result.simulations > 50_000
    check_tree(search)


def test_a_thread_that_fails_ends_the_search() -> None:
    graph = GameGraph(CompiledReasoner(Description.from_text(STUCK)))
    with pytest.raises(GameError, match="no legal move"):
        engine(graph, threads=3).run()


def test_where_roles_choose_at_once_nothing_is_proven_but_what_is_sure() -> None:
    result = engine(opened("rockpaperscissors")).run(limit=Limit(nodes=5000))
    assert not result.exact
    assert result.value == pytest.approx(50, abs=10)


def test_chance_is_expected() -> None:
    graph = opened("uptoten")
    role = next(i for i, name in enumerate(graph.roles) if str(name) != "random")
    result = engine(graph, role=role).run(limit=Limit(nodes=20_000))
    assert result.value is not None
    assert 0 < result.value < 100


@pytest.mark.long
def test_a_deadline_ends_a_search_that_has_found_something() -> None:
    search, began = engine(opened("othello6x6")), time.monotonic()
    results = list(search.deepen(limit=Limit(deadline=Deadline.after(0.2))))
    assert time.monotonic() - began < 5
    assert results[-1].move is not None
    assert not results[-1].exact
    assert not list(search.deepen(limit=Limit(deadline=Deadline.after(0))))[-1].exact


@pytest.mark.long
def test_every_move_of_the_root_has_a_value() -> None:
    graph = opened("tictactoe")
    search = engine(graph, leaf_values=LeafValueTable.enumerate(graph.reasoner.description))
    search.run(limit=Limit(nodes=3000))
    values = search.move_values()
    assert list(values) == list(graph.expansion(graph.root).legal[0])
    assert all(0 <= value <= 100 for value in values.values())
    assert list(search.move_visits()) == list(values)
    assert sum(search.move_visits().values()) > 1000
    hand = opened("rockpaperscissors")
    search = engine(hand)
    search.run(limit=Limit(nodes=3000))
    assert list(search.move_values()) == list(hand.expansion(hand.root).legal[0])
    assert list(search.move_visits()) == list(hand.expansion(hand.root).legal[0])
    assert sum(search.move_visits().values()) > 1000


def test_a_role_without_a_move_is_an_error() -> None:
    rules = """(role r) (init (at 0))
    (<= (legal r go) (true (at 0))) (<= (legal r stay) (true (at 0)))
    (<= (next (at 1)) (does r go)) (<= (next (at 0)) (does r stay)) (<= terminal (true (at 2)))
    (<= (goal r 100) terminal)"""
    graph = GameGraph(CompiledReasoner(Description.from_text(rules)))
    with pytest.raises(GameError, match="no legal move"):
        engine(graph).run(limit=Limit(nodes=1000))
