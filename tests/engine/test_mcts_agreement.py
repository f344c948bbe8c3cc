"""Tree search, by the reference and by the engine, proves the values that max-n finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine.mcts.layout import VISITS
from ggp.engine.mcts.search import TreeEngine
from ggp.graph import GameGraph
from ggp.search import LeafValueTable, Limit, SearchResult
from tests.engine.books import check_tree
from tests.engine.written import choosing, compiled
from tests.search.every import by_engine, in_python
from tests.search.tree_game import Spot, TreeGame, games

#: More visits than it takes to prove a random game in which one role at a time has a choice.
MANY = 2000

every_kind = st.one_of(games(), games(chance=True), games(cyclic=True))


def engine(
    graph: GameGraph, role: int, table: LeafValueTable, *, playouts: int, threads: int = 1
) -> TreeEngine:
    search = by_engine(
        graph,
        "mcts",
        table_bytes=1 << 20,
        role=role,
        leaf_values=table,
        playouts=playouts,
        threads=threads,
    )
    assert isinstance(search, TreeEngine)
    return search


def check(result: SearchResult, exact: SearchResult, game: TreeGame) -> None:
    """Check what a tree search says of a game against what max-n says."""
    role = result.role
    assert result.value is None or -1e-4 <= result.value <= 100.0001
    if result.exact and exact.exact:
        assert result.value == pytest.approx(exact.value, abs=1e-4)
    is_in_turn = all(sum(count > 1 for count in spot.choices) <= 1 for spot in game.spots)
    if is_in_turn and "random" not in game.roles and exact.exact:
        assert result.exact
        assert result.goals[role] == exact.goals[role]


def check_game(game: TreeGame, data: st.DataObject) -> None:
    role = data.draw(st.sampled_from(choosing(game)))
    graph = compiled(game)
    table = LeafValueTable.of(graph.reasoner.description)
    exact = in_python(graph, "maxn", role=role, classifier="none").run(limit=Limit(nodes=10_000))
    playouts = data.draw(st.sampled_from([1, 3, 64]))
    reference = in_python(graph, "mcts", role=role, leaf_values=table, playouts=playouts)
    check(reference.run(limit=Limit(nodes=MANY)), exact, game)
    for threads in (1, 4):
        search = engine(graph, role, table, playouts=playouts, threads=threads)
        check(search.run(limit=Limit(nodes=MANY)), exact, game)
        check_tree(search, is_whole=True)


def test_playouts_that_never_end_are_cut_off() -> None:
    # the first move leads to two states that lead to each other
    spots = (
        Spot((None,), (3,), (1, 3, 4)),
        Spot((None,), (1,), (2,)),
        Spot((None,), (1,), (1,)),
        Spot((50,), (1,)),
        Spot((None,), (2,), (3, 5)),
        Spot((0,), (1,)),
        Spot((100,), (1,)),
    )
    graph = compiled(TreeGame(("r",), spots))
    table = LeafValueTable.of(graph.reasoner.description)
    result = engine(graph, 0, table, playouts=3).run(limit=Limit(nodes=200))
    assert str(result.move) != "m0"
    assert result.generated >= 200


def test_visits_that_a_worker_did_not_yet_count_for_all_are_counted_at_rest() -> None:
    graph = compiled(
        TreeGame(("r",), (Spot((0,), (2,), (1, 2)), Spot((50,), (1,)), Spot((100,), (1,))))
    )
    search = engine(graph, 0, LeafValueTable.of(graph.reasoner.description), playouts=1)
    search.run(limit=Limit(nodes=20))
    before = int(search._tree.totals[VISITS])
    search._team.first.tree.own.visits += 5  # as a thread does that pauses after its last visits
    for _ in range(2):
        search._team.rest()
        assert search._tree.totals[VISITS] == before + 5


@settings(max_examples=6, deadline=None)
@given(every_kind, st.data())
def test_what_is_proven_is_what_max_n_finds(game: TreeGame, data: st.DataObject) -> None:
    check_game(game, data)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(every_kind, st.data())
def test_what_is_proven_is_what_max_n_finds_in_many_games(
    game: TreeGame, data: st.DataObject
) -> None:
    check_game(game, data)
