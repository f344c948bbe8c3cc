"""Minimax, bounded minimax and alpha-beta: one value, one move, ever fewer expansions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import GgpError
from ggp.kif import Symbol
from ggp.search import AlphaBeta, Bounded, LeafValue, LeafValueTable, Minimax, SearchResult
from tests.search import brute_force
from tests.search.every import in_python
from tests.search.tree_game import TreeGame, games, tree

FAMILY = (Minimax, Bounded, AlphaBeta)

every_kind = st.one_of(games(), games(chance=True), games(roles=(2,), zero_sum=True))
classifiers = st.sampled_from(["none", "sum", "linear", "lvt"])


def results(game: TreeGame, **options: Any) -> list[SearchResult]:
    return [in_python(game.graph(), search, **options).run() for search in FAMILY]


def choosing(game: TreeGame) -> list[int]:
    return [i for i, role in enumerate(game.roles) if role != "random"]


def first_best(worths: list[float]) -> str:
    return f"m{worths.index(max(worths))}"


@given(every_kind, classifiers, st.booleans(), st.data())
def test_all_find_the_value_and_the_first_best_move(
    game: TreeGame, classifier: str, use_table: bool, data: st.DataObject
) -> None:
    role = data.draw(st.sampled_from(choosing(game)))
    worths = brute_force.minimax_moves(game, 0, role)
    options = {"role": role, "classifier": classifier, "table_size": 1000 * use_table}
    for result in results(game, **options):
        assert result.value == max(worths)
        assert str(result.move) == first_best(worths)
        assert result.exact


@given(every_kind, classifiers, st.booleans())
def test_each_expands_no_more_than_the_simpler_one(
    game: TreeGame, classifier: str, use_table: bool
) -> None:
    minimax, bounded, alphabeta = results(game, classifier=classifier, table_size=1000 * use_table)
    assert alphabeta.expanded <= bounded.expanded <= minimax.expanded
    assert minimax.researched == bounded.researched == 0


@given(games())
def test_with_a_table_minimax_expands_each_state_once(game: TreeGame) -> None:
    reachable, pending = {0}, [0]
    while pending:
        new = set(game.spots[pending.pop()].children) - reachable
        reachable |= new
        pending += new
    inner = sum(bool(game.spots[number].children) for number in reachable)
    result = Minimax(game.graph()).run()
    assert result.expanded == result.table_size == inner
    assert result.generated == sum(len(game.spots[number].children) for number in reachable)


@given(games())
def test_the_variation_leads_to_the_goals(game: TreeGame) -> None:
    for result in results(game):
        graph = game.graph()
        node = graph.root
        for joint_move in result.variation:
            expansion = graph.expansion(node)
            node = expansion.children[expansion.joint_moves.index(joint_move)]
        end = graph.expansion(node)
        assert end.terminal
        assert result.goals == tuple(goal or 0 for goal in end.goals)
        assert result.goals[result.role] == result.value
        assert result.joint_move == result.variation[0]


@given(
    st.one_of(games(), games(chance=True)),
    st.sampled_from([(100, 0), (51, 50), (80, 20), (50, 0), (1, 0), (100, 99), (30, 25)]),
    st.booleans(),
)
def test_thresholds_are_answered_truly(
    game: TreeGame, thresholds: tuple[int, int], use_table: bool
) -> None:
    win, lose = thresholds
    search = in_python(game.graph(), Bounded, win=win, lose=lose, table_size=1000 * use_table)
    worths = brute_force.minimax_moves(game, 0, search.role)
    truth, result = max(worths), search.run()
    assert result.value is not None
    assert (result.value >= win) == (truth >= win)
    assert (result.value <= lose) == (truth <= lose)
    if result.exact or lose < result.value < win:
        assert result.exact
        assert result.value == truth
    if result.value >= win:
        assert worths[int(str(result.move)[1:])] >= win


def test_satisficing_stops_at_the_first_move_that_is_good_enough() -> None:
    #             0
    #   60     100     0
    game = tree("r", ([0], [3], [1, 2, 3]), ([60], [1], []), ([100], [1], []), ([0], [1], []))
    result = in_python(game.graph(), Bounded, win=51, lose=50).run()
    assert (str(result.move), result.value, result.exact) == ("m0", 60, False)
    assert (result.generated, result.prunes) == (1, {"win": 1})


@pytest.mark.parametrize(("other", "expected"), [(30, "m0"), (20, "m1")])
def test_more_than_half_of_a_fixed_sum_is_enough(other: int, expected: str) -> None:
    #         0
    #   70 other   100 0
    game = tree("r s", ([0, 0], [2, 1], [1, 2]), ([70, other], [1, 1], []), ([100, 0], [1, 1], []))
    rows = LeafValue("", (70, other), (0, 1)), LeafValue("", (100, 0), (1, 0))
    roles = tuple(map(Symbol, game.roles))
    table = LeafValueTable(roles, ((70, 100), (0, other)), found=rows)
    assert str(in_python(game.graph(), Bounded, leaf_values=table).run().move) == expected


@pytest.mark.parametrize("thresholds", [(0, 0), (50, 60)])
def test_thresholds_must_be_in_order(thresholds: tuple[int, int]) -> None:
    game = tree("r", ([0], [1], []))
    with pytest.raises(GgpError, match="lose must be less than win"):
        in_python(game.graph(), Bounded, win=thresholds[0], lose=thresholds[1])


def test_alpha_beta_skips_what_cannot_matter() -> None:
    # The second move is refuted by its first answer: 20 is less than 50. So 80 is not looked at.
    game = tree(
        "r s",
        ([0, 0], [2, 1], [1, 2]),
        ([0, 0], [1, 2], [3, 4]),
        ([0, 0], [1, 2], [5, 6]),
        ([50, 50], [1, 1], []),
        ([80, 20], [1, 1], []),
        ([20, 80], [1, 1], []),
        ([80, 20], [1, 1], []),
    )
    result = AlphaBeta(game.graph()).run()
    assert (result.value, result.goals, str(result.move)) == (50, (50, 50), "m0")
    assert result.prunes == {"alpha": 1}
    assert result.generated == 5


def test_alpha_beta_skips_what_the_others_will_not_allow() -> None:
    # The first answer leaves 20. After the second the role would get 50 or more, so that is enough.
    game = tree(
        "r s",
        ([0, 0], [1, 2], [1, 2]),
        ([20, 80], [1, 1], []),
        ([0, 0], [3, 1], [3, 4, 5]),
        ([50, 50], [1, 1], []),
        ([80, 20], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    result = AlphaBeta(game.graph()).run()
    assert (result.value, result.generated, result.prunes) == (20, 3, {"beta": 1})


def test_the_highest_goal_of_the_table_ends_the_search() -> None:
    game = tree("r", ([0], [3], [1, 1, 1]), ([80], [1], []))
    assert in_python(game.graph(), AlphaBeta, classifier="lvt").run().generated == 1
    assert in_python(game.graph(), AlphaBeta, classifier="linear").run().generated == 1
    assert in_python(game.graph(), AlphaBeta, classifier="none").run().generated == 3


def test_simultaneous_moves_are_seen_pessimistically() -> None:
    # Matching pennies: whatever the role does, it is answered.
    game = tree(
        "r s",
        ([0, 0], [2, 2], [1, 2, 2, 1]),
        ([100, 0], [1, 1], []),
        ([0, 100], [1, 1], []),
    )
    for result in results(game):
        assert result.value == 0
        assert [str(move) for move in result.joint_move or ()] == ["m0", "m1"]


def test_three_roles_are_two_sides() -> None:
    # Max-n would let the others help themselves; here they hold the role down.
    game = tree(
        "r s t",
        ([0, 0, 0], [1, 2, 1], [1, 2]),
        ([80, 100, 50], [1, 1, 1], []),
        ([20, 0, 0], [1, 1, 1], []),
    )
    for result in results(game):
        assert result.goals == (20, 0, 0)


def test_random_is_expected_not_feared() -> None:
    # The first move leads to 0, 100 or 100 with the same probability, the second to 50.
    game = tree(
        "random r",
        ([0, 0], [1, 2], [1, 2]),
        ([0, 0], [3, 1], [3, 4, 4]),
        ([0, 0], [1, 1], [5]),
        ([0, 0], [1, 1], []),
        ([0, 100], [1, 1], []),
        ([0, 50], [1, 1], []),
    )
    for result in results(game):
        assert result.value == pytest.approx(200 / 3)
        assert result.goals[0] is None
        assert result.exact
        assert len(result.variation) == 2


def test_the_values_of_a_mean_are_searched_exactly() -> None:
    # The role is sure of 50. Its second move leads by chance to 100, or to where the others can
    # choose 20 or 0: the 20 is enough to see that they can hold it under 50, but not for the mean.
    game = tree(
        "random r s",
        ([0, 0, 0], [1, 2, 1], [1, 2]),
        ([0, 50, 50], [1, 1, 1], []),
        ([0, 0, 0], [2, 1, 1], [3, 4]),
        ([0, 100, 0], [1, 1, 1], []),
        ([0, 0, 0], [1, 1, 2], [5, 6]),
        ([0, 20, 80], [1, 1, 1], []),
        ([0, 0, 100], [1, 1, 1], []),
    )
    for result in results(game):
        assert (result.value, str(result.move)) == (50, "m0")
    for win, lose in ((51, 50), (100, 99)):
        result = in_python(game.graph(), Bounded, win=win, lose=lose).run()
        assert result.value == 50


def test_random_wants_nothing() -> None:
    game = tree("random r", ([0, 0], [1, 1], []))
    with pytest.raises(ValueError, match="no such role"):
        in_python(game.graph(), Minimax, role=0)
    assert Minimax(game.graph()).role == 1


def test_a_terminal_state_has_goals_and_no_move() -> None:
    game = tree("r s", ([None, 70], [1, 1], []))
    for result in results(game):
        assert (result.goals, result.value, result.move) == ((0, 70), 0, None)
        assert (result.exact, result.depth, result.expanded) == (True, 0, 0)
        assert result.variation == ()
