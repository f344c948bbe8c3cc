"""Best-first minimax, by the reference and by the engine, proves the values of alpha-beta."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp import Game
from ggp.deadline import Deadline
from ggp.engine.bestfirst.search import BestFirstEngine
from ggp.graph import GameGraph
from ggp.search import (
    BestFirst,
    Estimator,
    Evaluation,
    LeafValueTable,
    Limit,
    SearchResult,
    ValueNet,
)
from tests.engine.written import choosing, compiled
from tests.search.every import by_engine, in_python
from tests.search.tree_game import TreeGame, games

#: More expansions than a random game takes.
MANY = 10_000


def engine(graph: GameGraph, *, table_bytes: int = 1 << 20, **options: Any) -> BestFirstEngine:
    search = by_engine(graph, "bestfirst", table_bytes=table_bytes, **options)
    assert isinstance(search, BestFirstEngine)
    return search


def check(result: SearchResult, exact: SearchResult, *, is_cyclic: bool) -> None:
    if result.exact and exact.exact:
        assert result.value == exact.value
    if not is_cyclic:
        assert result.exact


@settings(max_examples=6, deadline=None)
@given(st.booleans(), st.data())
def test_what_is_proven_is_what_alpha_beta_finds(is_cyclic: bool, data: st.DataObject) -> None:
    game: TreeGame = data.draw(games(cyclic=is_cyclic))
    role = data.draw(st.sampled_from(choosing(game)))
    graph = compiled(game)
    exact = in_python(graph, "alphabeta", role=role).run(limit=Limit(nodes=MANY))
    check(
        in_python(graph, BestFirst, role=role).run(limit=Limit(nodes=MANY)),
        exact,
        is_cyclic=is_cyclic,
    )
    check(engine(graph, role=role).run(limit=Limit(nodes=MANY)), exact, is_cyclic=is_cyclic)


@pytest.mark.parametrize("name", ["tictactoe", "hexapawn", "foxandhounds", "nim"])
def test_games_are_proven(name: str) -> None:
    with Game.load(name) as game:
        graph = GameGraph(game.reasoner)
        exact = by_engine(graph, "alphabeta", role=0)
        assert exact is not None
        result = engine(graph, role=0, table_bytes=1 << 27).run()
        assert result.exact
        assert result.value == exact.run().value
        assert result.variation


def test_the_line_is_searched_on_where_it_is_best() -> None:
    # a network that knows the game's end: the first line is the right one
    with Game.load("connectfour5x5") as game:
        reasoner = game.reasoner
        graph = GameGraph(reasoner)
        facts = [str(fact) for fact in reasoner.circuit.facts]
        generator = np.random.default_rng(1)
        net = ValueNet.of_layers(
            graph.roles, facts, weights=generator.normal(0, 0.3, (32, len(facts))),
            bias=np.full(32, 0.5), outputs=generator.normal(0, 1, (2, 32)), output_bias=np.zeros(2),
        )  # fmt: skip
        table = LeafValueTable.of(reasoner.description)
        evaluation = Evaluation(leaf_values=table, net=net)
        options: dict[str, Any] = {"role": 0, "leaf_values": table, "evaluation": evaluation}
        ours = engine(graph, **options).run(limit=Limit(nodes=300))
        reference = in_python(
            graph, BestFirst, role=0, leaf_values=table, evaluation=net_of(net)
        ).run(limit=Limit(nodes=300))
        # equal worths may be taken in another order, as the numbers of the two are rounded apart
        assert ours.expanded == reference.expanded == 300
        assert abs(float(ours.value or 0) - float(reference.value or 0)) < 10


def net_of(net: ValueNet) -> Estimator:
    def evaluation(graph: GameGraph, node: int, role: int) -> float:
        return net.goal(graph.reasoner.facts(graph.state(node)), role)

    return evaluation


def test_a_tree_that_is_full_goes_on() -> None:
    with Game.load("connectfour5x5") as game:
        graph = GameGraph(game.reasoner)
        small, large = engine(graph, table_bytes=1 << 19), engine(graph, table_bytes=1 << 26)
        for search in (small, large):
            result = search.run(limit=Limit(nodes=20_000))
            assert result.expanded == 20_000
            assert sum(search.move_visits().values()) > 0
            assert set(search.move_values()) == set(search.move_visits())
        assert (
            small.run(limit=Limit(nodes=10)).table_size
            < 6_000
            < large.run(limit=Limit(nodes=10)).table_size
        )


def test_a_tree_is_kept_from_move_to_move() -> None:
    with Game.load("connectfour5x5") as game:
        graph = GameGraph(game.reasoner)
        search = engine(graph, table_bytes=1 << 26)
        first = search.run(limit=Limit(nodes=5_000))
        node = graph.expansion(graph.root).children[0]
        second = search.run(node, Limit(nodes=100))
        assert first.table_size > 1_000
        assert second.table_size >= first.table_size
        assert search.run(graph.root, Limit(deadline=Deadline(0.0))).value is not None


def test_chance_is_refused() -> None:
    with Game.load("uptoten") as game, pytest.raises(ValueError, match="chance"):
        BestFirst(GameGraph(game.reasoner))
