"""No test that knows the table and the bounds alone decides better than the leaf-value table.

The theorem of Sturtevant (2005), section 4, as docs/leaf-values.md states it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Symbol
from ggp.search import LeafValueTable, MaxN
from ggp.search.classifiers import LowerBounds, Path, leaf_test, lower_bounds
from tests.search.maxn.rank_trees import Goals, RankTree, choice, role_names
from tests.search.tree_game import Spot, TreeGame

#: A choice on the way: a role, and the row of the leaf that it holds.
Held = tuple[int, Goals]


@st.composite
def tables(draw: st.DrawFn) -> list[Goals]:
    roles = draw(st.integers(1, 4))
    goals = st.tuples(*[st.integers(0, 4)] * roles)
    return draw(st.lists(goals, min_size=1, max_size=12, unique=True))


def on_the_way(rows: Sequence[Goals], held: Sequence[Held], last: Goals) -> RankTree:
    """A game in which each of some roles holds a leaf, or lets the next choose; then a last leaf.

    `P1[(5,4,1) P2[(0,6,4) last]]`, for instance, if P1 and P2 hold these leaves.
    """
    roles = len(last)
    spots: list[Spot] = []
    for role, goals in held:
        number = len(spots)
        spots.append(choice(roles, role, (number + 1, number + 2)))
        spots.append(Spot(goals, (1,) * roles))
    spots.append(Spot(last, (1,) * roles))
    return RankTree(TreeGame(role_names(roles), tuple(spots)), tuple(rows))


@given(st.data())
def test_a_leaf_becomes_the_value_of_a_game_exactly_if_the_table_says_that_it_may(
    data: st.DataObject,
) -> None:
    rows = data.draw(tables())
    roles = len(rows[0])
    choices = st.tuples(st.integers(0, roles - 1), st.sampled_from(rows))
    held = data.draw(st.lists(choices, max_size=4))
    path: Path = tuple((role, goals[role]) for role, goals in held)

    table = on_the_way(rows, held, rows[0]).leaf_values
    test = leaf_test(table, "lvt")
    inside = test.within(table.everything, lower_bounds(path, roles))
    for number, row in enumerate(table):
        result = on_the_way(rows, held, row.goals).search(MaxN, classifier="none").run()
        is_taken = all(Symbol("m1") in joint_move for joint_move in result.variation)
        assert is_taken == bool(inside >> number & 1)
        assert result.goals == row.goals or not is_taken


@st.composite
def any_bounds(draw: st.DrawFn, roles: int) -> LowerBounds:
    """Bounds that need not be goals; -inf for a role without one."""
    bound = st.one_of(st.just(-inf), st.integers(0, 10), st.sampled_from([0.5, 33.4, 99.9]))
    return tuple(draw(bound) for _ in range(roles))


@given(st.data())
def test_the_table_says_no_exactly_if_no_row_is_inside_and_the_linear_test_no_sooner(
    data: st.DataObject,
) -> None:
    goals = st.lists(st.integers(0, 10), min_size=1, max_size=4, unique=True).map(sorted)
    by_role = [tuple(each) for each in data.draw(st.lists(goals, min_size=1, max_size=3))]
    may_miss = data.draw(st.frozensets(st.integers(0, len(by_role) - 1)))
    roles = tuple(map(Symbol, role_names(len(by_role))))
    table = LeafValueTable(roles, tuple(by_role), may_miss)
    bounds = data.draw(any_bounds(len(by_role)))

    inside = leaf_test(table, "lvt").within(table.everything, bounds)
    for number, row in enumerate(table):
        is_inside = all(goal > bound for goal, bound in zip(row.goals, bounds, strict=True))
        assert is_inside == bool(inside >> number & 1)
    for discrete in (False, True):
        linear = leaf_test(table, "linear", discrete=discrete)
        assert linear.within(table.everything, bounds) or not inside
