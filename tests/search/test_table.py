"""The transposition table: bounded, and never the reason for another answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.search import AlphaBeta, Limit, MaxN, Minimax
from ggp.search.transposition_table import Bound, Entry, Found, TranspositionTable
from tests.search.every import TREE_SEARCHES, in_python
from tests.search.tree_game import TreeGame, games, tree

every_algorithm = pytest.mark.parametrize("algorithm", TREE_SEARCHES)


@pytest.mark.sample(5)
@every_algorithm
@given(st.one_of(games(), games(chance=True)), st.sampled_from([1, 3, 1000]))
def test_on_or_off_or_tiny_the_answer_is_the_same(
    algorithm: str, game: TreeGame, size: int
) -> None:
    without = in_python(game.graph(), algorithm, table_size=0).run()
    search = in_python(game.graph(max_states=1), algorithm, table_size=size)
    result = search.run()
    assert (result.goals, result.joint_move) == (without.goals, without.joint_move)
    assert (result.exact, without.exact) == (True, True)
    assert (without.table_size, without.table_hits) == (0, 0)
    assert result.table_size <= size
    again = search.run()
    assert (again.goals, again.joint_move) == (without.goals, without.joint_move)


@every_algorithm
def test_a_known_result_is_not_searched_again(algorithm: str) -> None:
    game = tree(
        "r s",
        ([0, 0], [3, 1], [1, 1, 1]),
        ([0, 0], [1, 2], [2, 3]),
        ([20, 80], [1, 1], []),
        ([50, 50], [1, 1], []),
    )
    search = in_python(game.graph(), algorithm)
    first = search.run()
    assert (first.expanded, first.table_hits, first.researched) == (2, 2, 0)
    second = search.run()
    assert (second.expanded, second.table_hits, second.goals) == (0, 1, first.goals)


def test_a_bound_that_is_not_enough_is_searched_again() -> None:
    # Alpha-beta meets spot 4 first from spot 1, where the role is sure of 50: the first answer, 20,
    # is enough to leave it. In spot 2 it is the best that there is, and has to be known exactly.
    game = tree(
        "r s",
        ([0, 0], [1, 3], [1, 2, 3]),
        ([0, 0], [2, 1], [5, 4]),
        ([0, 0], [2, 1], [4, 6]),
        ([100, 0], [1, 1], []),
        ([0, 0], [1, 2], [7, 8]),
        ([50, 50], [1, 1], []),
        ([0, 100], [1, 1], []),
        ([20, 80], [1, 1], []),
        ([10, 90], [1, 1], []),
    )
    result = AlphaBeta(game.graph()).run()
    assert (result.value, result.researched) == (10, 1)
    assert result.goals == Minimax(game.graph()).run().goals


def test_values_found_for_one_depth_do_not_serve_another() -> None:
    game = tree(
        "r",
        ([None], [1], [1]),
        ([None], [1], [2]),
        ([100], [1], []),
    )
    for search in (Minimax(game.graph()), MaxN(game.graph())):
        assert search.run(limit=Limit(depth=1)).goals == (50,)
        assert search.run(limit=Limit(depth=2)).goals == (100,)
        assert search.run(limit=Limit(depth=1)).table_hits == 1, "what is proven serves every depth"


def test_the_oldest_entry_makes_room() -> None:
    table: TranspositionTable[float] = TranspositionTable(2)
    for state in (b"a", b"b", b"c"):
        table.put(state, Entry(Found(1.0, proven=True), 3, Bound.EXACT))
    assert len(table) == 2
    assert table.get(b"a") is None
    assert b"b" in table
    assert b"c" in table


def test_a_table_has_room() -> None:
    with pytest.raises(ValueError, match="room for one"):
        TranspositionTable(0)
