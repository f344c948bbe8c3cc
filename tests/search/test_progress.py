"""How much of a search to the end of the game is done that a limit has ended."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ggp.engine.alphabeta.search import RoleEngine
from ggp.search import LeafValueTable, Limit, SearchResult
from tests.engine.written import compiled
from tests.search.every import by_engine
from tests.search.tree_game import TreeGame, tree

#: The first role has four moves, and the second one two replies to each, of which the first leaves
#: it nothing.
ROWS = tree(
    "a b",
    ([None, None], [4, 1], [1, 2, 3, 4]),
    *(([None, None], [1, 2], [5, 6]) for _ in range(4)),
    ([0, 100], [1, 1], []),
    ([100, 0], [1, 1], []),
)


def searched(game: TreeGame, nodes: int) -> SearchResult:
    graph = compiled(game)
    table = LeafValueTable.of(graph.reasoner.description)
    search = by_engine(graph, "alphabeta", table_bytes=1 << 16, leaf_values=table)
    assert search is not None
    return search.run(limit=Limit(nodes=nodes))


@pytest.mark.parametrize(("nodes", "refuted"), [(1, 0), (2, 1), (3, 2), (4, 3)])
def test_refuted_moves_are_progress(nodes: int, refuted: int) -> None:
    result = searched(ROWS, nodes)
    assert not result.exact
    # The move at hand may be the last one that has to be searched.
    assert result.progress == pytest.approx(refuted / (refuted + 1))


def row(*, own: tuple[int, int], reply: tuple[int, int]) -> SimpleNamespace:
    """Return a frame at one of the moves of the role, and at one of the replies to it."""
    (own_at, own_count), (reply_at, reply_count) = own, reply
    return SimpleNamespace(
        own_at=own_at,
        own_count=own_count,
        reply_at=reply_at,
        reply_count=reply_count,
        chance_at=0,
        chance_count=1,
    )


def test_progress_is_that_of_all_positions_on_the_path() -> None:
    search = RoleEngine.__new__(RoleEngine)
    rows = [
        row(own=(0, 1), reply=(0, 1)),  # stands above the root
        row(own=(1, 4), reply=(0, 1)),
        row(own=(0, 1), reply=(1, 3)),
        row(own=(2, 5), reply=(0, 1)),
    ]
    search._stack = SimpleNamespace(  # type: ignore[assignment]
        frames=rows, counters=SimpleNamespace(frame=3)
    )
    # if the answer is no: 1 of 4 moves is done, 1 of 2 replies to the second, and 2 of 5 moves then
    assert search._share_done(is_refuted=True) == pytest.approx(1 / 4 + 1 / 4 * (1 / 2 + 2 / 10))
    # if it is yes: 1 of 2 moves is done, 1 of 3 replies to the second, and 2 of 3 moves then
    assert search._share_done(is_refuted=False) == pytest.approx(1 / 2 + 1 / 2 * (1 / 3 + 2 / 9))
    assert search._progress_made() == search._share_done(is_refuted=False)


def test_a_search_that_has_ended_has_no_progress_to_tell_of() -> None:
    result = searched(ROWS, 1000)
    assert (result.value, result.exact, result.progress) == (0, True, 0)
