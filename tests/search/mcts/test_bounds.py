"""What is proven of a state reaches all states that lead to it, and counts in every value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine.mcts.search import TreeEngine
from ggp.gdl import Description
from ggp.search import LeafValueTable, Limit, TreeSearch
from ggp.search.mcts.values import preferred
from tests.engine.books import check_tree
from tests.engine.test_mcts import engine
from tests.engine.written import choosing, compiled, rules
from tests.search.every import in_python
from tests.search.mcts.proofs import provable
from tests.search.tree_game import TreeGame, games, tree

#: Both moves of the second role lead on to the same state, of which only what the first role gets
#: is ever proven: after one of its best moves the game may go round and round.
MEETING = tree(
    "a b",
    ([None, None], [1, 2], [1, 2]),
    ([None, None], [1, 1], [3]),
    ([None, None], [1, 1], [3]),
    ([None, None], [2, 1], [0, 4]),
    ([100, 50], [1, 1], []),
)

#: After the first two moves the second role may draw: the first one gets no more than 50, though
#: nearly all random play ends with 100. After the third move nearly all ends with 0, but play may
#: go round and round, so that nothing is proven.
TRAPS = tree(
    "a b",
    ([None, None], [3, 1], [1, 2, 4]),
    ([None, None], [1, 8], [5] + 7 * [3]),
    ([None, None], [1, 8], [5] + 7 * [3]),
    ([None, None], [1, 2], [3, 6]),
    ([None, None], [2, 1], [4, 7]),
    ([50, 50], [1, 1], []),
    ([100, 0], [1, 1], []),
    ([0, 100], [1, 1], []),
)


KINDS = [("reference", 1), ("engine", 1), ("engine", 4)]


def searcher(
    kind: str,
    game: TreeGame,
    role: int,
    *,
    table: LeafValueTable | None = None,
    threads: int = 1,
    **options: Any,
) -> TreeSearch | TreeEngine:
    if kind == "reference":
        made: TreeSearch = in_python(
            game.graph(), TreeSearch, role=role, leaf_values=table, **options
        )
        return made
    return engine(compiled(game), role=role, leaf_values=table, threads=threads, **options)


@pytest.mark.parametrize(("kind", "threads"), KINDS)
def test_a_proof_reaches_a_state_by_which_it_was_not_found(kind: str, threads: int) -> None:
    for seed in range(4):
        search = searcher(kind, MEETING, 0, threads=threads, playouts=1, seed=seed)
        result = search.run(limit=Limit(nodes=2000))
        assert (result.value, result.exact) == (100, True)


def zero_sum(game: TreeGame) -> LeafValueTable:
    """Return the table that knows that all goals of a leaf add up to 100."""
    text = "\n".join(rules(game))
    table = LeafValueTable.enumerate(Description.from_text(text), time_limit=60)
    assert table.goal_sums == (100, 100)
    return table


@pytest.mark.sample(1)
@pytest.mark.parametrize(("kind", "threads"), KINDS)
def test_what_is_proven_counts_in_all_values_above(kind: str, threads: int) -> None:
    search = searcher(kind, TRAPS, 0, table=zero_sum(TRAPS), threads=threads, playouts=1)
    for visits in (20, 100, 1000):
        result = search.run(limit=Limit(nodes=visits))
        assert result.value is not None
        assert 20 < result.value <= 50
        assert not result.exact
        assert str(result.move) in ("m0", "m1")
        assert max(search.move_values().values()) <= 50.001
    if isinstance(search, TreeEngine):
        check_tree(search, is_whole=False)


def check_proofs(game: TreeGame, data: st.DataObject, kind: str, threads: int = 1) -> None:
    role = data.draw(st.sampled_from(choosing(game)))
    table = LeafValueTable.of(Description.from_text("\n".join(rules(game))))
    value = provable(game, table)[role]
    search = searcher(kind, game, role, table=table, threads=threads, playouts=1)
    result = search.run(limit=Limit(nodes=4000))
    if value is None:
        assert not result.exact
    else:
        assert (result.value, result.exact) == (value, True)


turns = games(turns=True, cyclic=True, missing=False)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(game=turns, data=st.data())
def test_the_reference_proves_what_can_be_proven(game: TreeGame, data: st.DataObject) -> None:
    check_proofs(game, data, "reference")


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 4])
@settings(max_examples=200, deadline=None)
@given(game=turns, data=st.data())
def test_the_engine_proves_what_can_be_proven(
    game: TreeGame, data: st.DataObject, threads: int
) -> None:
    check_proofs(game, data, "engine", threads)


def best(visits: list[int], means: list[float], lower: list[float], upper: list[float]) -> int:
    proven = max(lower), max(upper)
    return preferred(visits, means, lower, upper, proven=proven, lowest=0, doubt=2)


def test_the_move_of_most_visits_is_made_if_nothing_proven_is_against_it() -> None:
    assert best([10, 80, 10], [90, 50, 50], [0, 0, 0], [100, 100, 100]) == 1


def test_a_move_that_surely_gives_more_than_another_seems_to_is_made() -> None:
    assert best([10, 90], [70, 50], [60, 0], [100, 100]) == 0


def test_a_move_is_not_made_that_cannot_give_more_than_another_surely_gives() -> None:
    assert best([10, 90], [50, 50], [50, 0], [100, 50]) == 0
    assert best([10, 90, 0], [50, 50, 0], [50, 50, 0], [100, 50, 100]) == 1


def test_a_move_is_not_made_that_cannot_give_what_another_seems_to_give() -> None:
    # its visits are from before its bound was known
    assert best([1000, 400, 9000], [20, 60, 50], [0, 0, 0], [100, 100, 50]) == 1
    # of this one too little is known
    assert best([1000, 1, 9000], [20, 60, 50], [0, 0, 0], [100, 100, 50]) == 2


def test_a_proven_move_is_made_unless_all_are_lost() -> None:
    assert best([10, 90, 5], [50, 50, 50], [0, 50, 50], [50, 50, 50]) == 1
    assert best([10, 90, 5], [0, 0, 0], [0, 0, 0], [0, 0, 0]) == 1
