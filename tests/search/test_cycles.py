"""Games that need not end: no search hangs, and what it promises is true."""

from __future__ import annotations

import pytest
from hypothesis import given

from ggp.search import AlphaBeta, Bounded, Limit, MaxN, Minimax
from tests.search import brute_force
from tests.search.every import TREE_SEARCHES, in_python
from tests.search.tree_game import TreeGame, games, tree

FAMILY: list[type[Minimax | Bounded | AlphaBeta]] = [Minimax, Bounded, AlphaBeta]

each_of_the_family = pytest.mark.parametrize("search", FAMILY)


@each_of_the_family
@given(games(cyclic=True))
def test_the_value_can_be_made_sure_of(search: type[Minimax], game: TreeGame) -> None:
    result = search(game.graph()).run()
    truth = brute_force.endless_minimax(game, 0)[0]
    assert result.value is not None
    assert result.value <= truth
    if result.exact:
        assert result.value == truth


@each_of_the_family
@given(games(cyclic=True, roles=(1, 2), turns=True))
def test_without_a_table_the_value_is_the_true_one(search: type[Minimax], game: TreeGame) -> None:
    result = search(game.graph(), table_size=0).run(limit=Limit(nodes=20_000))
    truth = brute_force.endless_minimax(game, 0)[0]
    if result.expanded < 20_000:
        assert result.value == truth


@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
@given(games(cyclic=True))
def test_with_a_table_each_state_is_expanded_a_few_times_at_most(
    algorithm: str, game: TreeGame
) -> None:
    result = in_python(game.graph(), algorithm).run()
    assert result.expanded <= len(game.spots)
    assert result.researched <= 5 * len(game.spots)


def test_repeating_a_state_gains_nothing() -> None:
    # The role can stand still forever, or take 20.
    game = tree("r", ([100], [2], [0, 1]), ([20], [1], []))
    for search in FAMILY:
        result = search(game.graph()).run()
        assert (result.value, str(result.move), result.exact) == (20, "m1", True)
    assert MaxN(game.graph()).run().goals == (20,)


def test_the_others_may_repeat_states_forever() -> None:
    game = tree("r s", ([50, 50], [1, 2], [0, 1]), ([100, 0], [1, 1], []))
    for search in FAMILY:
        result = search(game.graph()).run()
        assert (result.value, result.exact) == (0, False)


@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
def test_deepening_stops_where_looking_further_shows_nothing_new(algorithm: str) -> None:
    game = tree("r s", ([50, 50], [1, 2], [1, 2]), ([0, 0], [1, 1], [0]), ([100, 0], [1, 1], []))
    results = list(in_python(game.graph(), algorithm, classifier="none").deepen())
    assert len(results) <= 4
