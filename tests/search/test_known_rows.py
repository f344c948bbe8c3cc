"""What the leaf-value table says of a state saves nodes, and changes no value and no move."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.graph import GameGraph
from ggp.search import AlphaBeta, Bounded, Limit, Minimax, SearchResult
from ggp.search.role_search import RoleSearch
from tests.search import brute_force
from tests.search.known_rows import KnownRows, spot_number
from tests.search.tree_game import TreeGame, games, tree

FAMILY: tuple[tuple[type[RoleSearch], dict[str, Any]], ...] = (
    (Minimax, {}),
    (Bounded, {"win": 100}),
    (AlphaBeta, {}),
)

every_kind = st.one_of(games(), games(chance=True), games(roles=(2,), zero_sum=True))
seeds, sizes = st.integers(0, 2**32), st.sampled_from([0, 3, 1000])


def choosing(game: TreeGame) -> list[int]:
    return [i for i, role in enumerate(game.roles) if role != "random"]


def found_by(result: SearchResult) -> tuple[float | None, int]:
    """The value, and the number of the move."""
    return result.value, int(str(result.move)[1:])


@given(every_kind, seeds, st.sampled_from([0, 3]), sizes, st.data())
def test_all_find_the_value_and_the_first_best_move(
    game: TreeGame, seed: int, extra: int, size: int, data: st.DataObject
) -> None:
    role = data.draw(st.sampled_from(choosing(game)))
    worths = brute_force.minimax_moves(game, 0, role)
    known = KnownRows(game, seed, extra)
    for kind, options in FAMILY:
        result = known.search(kind, role=role, table_size=size, **options).run()
        assert found_by(result) == (max(worths), worths.index(max(worths)))
        assert result.exact
        if "random" not in game.roles:
            assert leads_to(game, result) == result.goals


def leads_to(game: TreeGame, result: SearchResult) -> tuple[int, ...]:
    graph = game.graph()
    node = graph.root
    for joint_move in result.variation:
        expansion = graph.expansion(node)
        node = expansion.children[expansion.joint_moves.index(joint_move)]
    end = graph.expansion(node)
    assert end.terminal
    return tuple(goal or 0 for goal in end.goals)


def promised(seed: int, *, is_coarse: bool) -> brute_force.Estimate:
    """An estimate of each spot for each role, from 0 to 100."""

    def estimate(number: int, role: int) -> float:
        value = random.Random(f"{seed} {number} {role}").uniform(0, 100)
        return round(value, -1) if is_coarse else value

    return estimate


@given(every_kind, seeds, st.sampled_from([0, 3]), st.integers(1, 4), st.booleans())
def test_at_a_horizon_all_find_what_minimax_finds(
    game: TreeGame, seed: int, extra: int, depth: int, is_coarse: bool
) -> None:
    # Without a transposition table: what is proven of a state counts at every depth.
    known, estimate = KnownRows(game, seed, extra), promised(seed, is_coarse=is_coarse)
    role = choosing(game)[0]

    def cut_down(number: int, role: int) -> float:
        return min(estimate(number, role), known.highest(number, role))

    def evaluation(graph: GameGraph, node: int, role: int) -> float:
        return estimate(spot_number(graph.facts(node)), role)

    worths = brute_force.minimax_moves(game, 0, role, depth, cut_down)
    for kind, options in FAMILY:
        for classifier in ("none", "lvt"):
            chosen: dict[str, Any] = {"classifier": classifier, "evaluation": evaluation}
            search = known.search(kind, role=role, table_size=0, **options, **chosen)
            assert found_by(search.run(limit=Limit(depth=depth))) == (
                max(worths),
                worths.index(max(worths)),
            )
            *_, deepest = search.deepen(limit=Limit(depth=depth))
            if deepest.horizon == depth:
                assert found_by(deepest) == (max(worths), worths.index(max(worths)))


@given(games(roles=(1, 2), cyclic=True, turns=True), seeds, st.integers(1, 6))
def test_where_play_goes_round_all_find_what_minimax_finds(
    game: TreeGame, seed: int, depth: int
) -> None:
    known, estimate = KnownRows(game, seed, extra=2), promised(seed, is_coarse=True)

    def evaluation(graph: GameGraph, node: int, role: int) -> float:
        return estimate(spot_number(graph.facts(node)), role)

    made: dict[str, Any] = {"table_size": 0, "evaluation": evaluation}
    searches = [known.search(kind, **options, **made) for kind, options in FAMILY]
    plain, *others = (search.run(limit=Limit(depth=depth)) for search in searches)
    truth = brute_force.endless_minimax(game, 0)[0]
    for result in (plain, *others):
        assert found_by(result) == found_by(plain)
        assert not result.exact or result.value == truth


@given(every_kind, seeds, st.sampled_from([(51, 50), (80, 20), (50, 0), (30, 25)]), sizes)
def test_thresholds_are_answered_truly(
    game: TreeGame, seed: int, thresholds: tuple[int, int], size: int
) -> None:
    (win, lose), known = thresholds, KnownRows(game, seed, extra=2)
    result = known.search(Bounded, win=win, lose=lose, table_size=size).run()
    truth = max(brute_force.minimax_moves(game, 0, result.role))
    assert result.value is not None
    assert (result.value >= win) == (truth >= win)
    assert (result.value <= lose) == (truth <= lose)
    assert not result.exact or result.value == truth


#         0           the role holds 50; what its other move leads to is worth at most 20 or 100
#   50        2
#          3     4
#          20    100 20
STEPS = tree(
    "r s",
    ([0, 0], [2, 1], [1, 2]),
    ([50, 50], [1, 1], []),
    ([0, 0], [1, 2], [3, 4]),
    ([0, 0], [2, 1], [5, 5]),
    ([0, 0], [2, 1], [6, 5]),
    ([20, 80], [1, 1], []),
    ([100, 0], [1, 1], []),
)


@pytest.mark.parametrize(("kind", "options"), [(AlphaBeta, {}), (Bounded, {"win": 51, "lose": 50})])
def test_what_cannot_give_more_than_is_held_is_not_searched(
    kind: type[RoleSearch], options: dict[str, Any]
) -> None:
    result = KnownRows(STEPS).search(kind, **options).run()
    assert (result.value, result.expanded, result.prunes["table"]) == (50, 2, 1)
    result = KnownRows(STEPS).search(kind, classifier="linear", **options).run()
    assert (result.value, result.expanded, "table" in result.prunes) == (50, 3, False)


def test_the_most_that_is_possible_ends_the_search_of_a_node() -> None:
    game = tree(
        "r s",
        ([0, 0], [1, 2], [1, 2]),
        ([0, 0], [3, 1], [3, 4, 3]),
        ([80, 20], [1, 1], []),
        ([20, 80], [1, 1], []),
        ([50, 50], [1, 1], []),
    )
    result = KnownRows(game).search(AlphaBeta).run()
    assert (result.value, result.generated, result.prunes) == (50, 4, {"table": 1})


def test_where_all_is_lost_one_line_is_searched() -> None:
    # The other can always choose the lost states 1 to 4, in which no move matters.
    lost = [([0, 0], [2, 2], [ply + 1] * 4) for ply in (1, 2, 3, 4)]
    root = ([0, 0], [2, 2], [1, 6, 1, 6])
    game = tree("r s", root, *lost, ([0, 100], [1, 1], []), ([100, 0], [1, 1], []))
    result = KnownRows(game).search(AlphaBeta, table_size=0).run()
    assert (result.value, result.exact, len(result.variation)) == (0, True, 5)
    # The rest of the four, and, after the second move at the root, state 1.
    assert (result.expanded, result.prunes["table"]) == (5, 5)


def test_the_least_that_is_possible_is_no_bound_where_play_need_not_end() -> None:
    # The only leaf gives 50, but the others may go round: that counts 0.
    game = tree(
        "r s",
        ([0, 0], [1, 2], [1, 2]),
        ([0, 0], [2, 1], [0, 0]),
        ([50, 50], [1, 1], []),
    )
    for kind, options in FAMILY:
        result = KnownRows(game).search(kind, **options).run()
        assert (result.value, result.exact) == (0, False)
