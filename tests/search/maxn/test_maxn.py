"""Max-n: every role for itself, the first best child, the choosers one after the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.search import AlphaBeta, Classifier, MaxN
from tests.search import brute_force
from tests.search.every import in_python
from tests.search.tree_game import TreeGame, games, tree


@given(
    st.one_of(games(), games(chance=True)),
    st.sampled_from(["none", "sum", "linear", "lvt"]),
    st.booleans(),
    st.data(),
)
def test_it_finds_the_vector_and_the_joint_move(
    game: TreeGame, classifier: Classifier, use_table: bool, data: st.DataObject
) -> None:
    role = data.draw(st.sampled_from([i for i, r in enumerate(game.roles) if r != "random"]))
    size = 1000 * use_table
    result = in_python(game.graph(), MaxN, role=role, classifier=classifier, table_size=size).run()
    vector, joint = brute_force.maxn(game, 0, role)
    assert result.goals == tuple(map(float, vector))
    assert result.exact
    assert [str(move) for move in result.joint_move or ()] == [f"m{move}" for move in joint]
    assert result.value == float(vector[role])


@given(games(roles=(2,), zero_sum=True))
def test_two_roles_with_a_constant_sum_are_the_case_of_minimax(game: TreeGame) -> None:
    for role in (0, 1):
        maxn, alphabeta = (
            in_python(game.graph(), MaxN, role=role),
            in_python(game.graph(), AlphaBeta, role=role),
        )
        assert maxn.run().goals == alphabeta.run().goals


@given(games(roles=(1,)))
def test_one_role_is_the_case_of_minimax(game: TreeGame) -> None:
    maxn, alphabeta = MaxN(game.graph()).run(), AlphaBeta(game.graph()).run()
    assert (maxn.goals, maxn.joint_move) == (alphabeta.goals, alphabeta.joint_move)


@given(games())
def test_stopping_at_the_highest_goal_saves_expansions(game: TreeGame) -> None:
    full = in_python(game.graph(), MaxN, classifier="none").run()
    stopped = in_python(game.graph(), MaxN, classifier="lvt").run()
    assert stopped.expanded <= full.expanded
    assert full.prunes == {}


def test_a_tie_goes_to_the_first_move_whatever_it_gives_to_others() -> None:
    game = tree(
        "r s",
        ([0, 0], [3, 1], [1, 2, 3]),
        ([20, 0], [1, 1], []),
        ([50, 20], [1, 1], []),
        ([50, 100], [1, 1], []),
    )
    result = MaxN(game.graph()).run()
    assert (result.goals, str(result.move)) == ((50, 20), "m1")


@pytest.mark.parametrize(("role", "goals"), [(0, (50, 20)), (1, (20, 50))])
def test_the_searching_role_chooses_first_and_the_others_reply(
    role: int, goals: tuple[int, int]
) -> None:
    # The game of chicken: the role that commits first gets more; if both insist, they get nothing.
    game = tree(
        "r s",
        ([0, 0], [2, 2], [1, 2, 3, 1]),
        ([0, 0], [1, 1], []),
        ([20, 50], [1, 1], []),
        ([50, 20], [1, 1], []),
    )
    assert in_python(game.graph(), MaxN, role=role).run().goals == goals


def test_roles_help_each_other_where_it_costs_nothing() -> None:
    game = tree(
        "r s t",
        ([0, 0, 0], [1, 2, 1], [1, 2]),
        ([80, 100, 50], [1, 1, 1], []),
        ([20, 0, 0], [1, 1, 1], []),
    )
    assert MaxN(game.graph()).run().goals == (80, 100, 50)
