"""The max-n prunings: counterexamples of the literature, node counts, and where it is subtle."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ggp.search import (
    BranchAndBound,
    Classifier,
    LastBranch,
    LeafValueTable,
    Limit,
    MaxN,
    Shallow,
    Speculative,
)
from tests.search.every import in_python
from tests.search.maxn import unsound
from tests.search.maxn.rank_trees import (
    ORDERS,
    Order,
    RankTree,
    equal_leaves,
    random_tree,
    read,
    sums_to,
)
from tests.search.tree_game import TreeGame, games, tree

RULES = (MaxN, Shallow, BranchAndBound, LastBranch, Speculative, unsound.Deep, unsound.Lazy)

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)

#: Trees in which some rule that looks right goes wrong, the root's true goals, and, where it takes
#: goals that no leaf has, what the goals of all leaves add up to.
TREES: dict[str, tuple[str, tuple[int, ...], int | None]] = {
    "best returned": ("P2[P1[(0,0)] P1[(0,1)(1,0)]]", (0, 0), None),
    "node thrown away": ("P1[P2[(0,3)] P2[(1,2)(1,2)]]", (1, 2), None),
    "best forgotten": ("P1[(0,1) P2[(1,0)(1,0)]]", (1, 0), None),
    "no re-search": ("P3[P1[P2[(3,2,1)]] P1[P2[(2,0,2)] P2[(3,2,1)]]]", (3, 2, 1), None),
    "no re-search, eager": ("P1[(0,0,1) P2[P3[(0,1,0)(0,0,1)] P1[(1,0,0)]]]", (0, 0, 1), None),
    "no re-search, linear": (
        "P2[P2[P1[(0,1,1)] P1[(0,0,2)(0,1,1)]] P1[P3[(0,1,1)(0,0,2)] P2[(1,1,0)(0,2,0)]]]",
        (0, 1, 1),
        2,
    ),
    "tie on the left": (
        "P1[P2[P3[(1,0,1)]] P2[P3[(0,0,1)(2,0,1)] P3[(2,0,1)]]]",
        (1, 0, 1),
        None,
    ),
    "counted twice": ("P2[P2[(0,2,1)] P2[(2,1,0)(0,3,0)]]", (0, 3, 0), 3),
    "deep": ("P1[P2[P1[P2[(1,1)]] P1[P2[(0,2)] P2[(2,0)]]]]", (1, 1), None),
    "zero held": ("P1[P2[(1,0)(1,0)] (1,0)]", (1, 0), None),
    "best stored": ("P2[P1[(1,0) x=P2[(0,1)(1,2)]] P1[(0,0) x] (2,0)]", (1, 2), None),
}


def tree_of(name: str) -> RankTree:
    text, goals, total = TREES[name]
    return read(text, rows=sums_to(total, len(goals)) if total else ())


@every_rule
@pytest.mark.parametrize("name", list(TREES))
def test_the_counterexamples_of_unsound_rules_are_solved(name: str, rule: type[MaxN]) -> None:
    made, plain = tree_of(name), tree_of(name).search(MaxN, classifier="none").run()
    assert plain.goals == TREES[name][1]
    options: list[dict[str, Any]] = [
        {"classifier": "none"},
        {"classifier": "sum"},
        {"classifier": "linear"},
        {"classifier": "linear", "discrete": True},
        {"classifier": "lvt"},
    ]
    for each in options:
        for table_size in (0, 100):
            for possible in (None, made.below):
                search = made.search(rule, possible=possible, table_size=table_size, **each)
                result = search.run()
                assert (result.goals, result.variation) == (plain.goals, plain.variation)
                assert result.exact


@pytest.mark.parametrize(
    ("variant", "name", "classifier", "wrong"),
    [
        (unsound.ReturnsTheBest, "best returned", "lvt", (0, 1)),
        (unsound.ForgetsTheBest, "node thrown away", "lvt", (0, 3)),
        (unsound.ForgetsTheBest, "best forgotten", "lvt", (0, 1)),
        (unsound.LazyOnly, "no re-search", "lvt", (2, 0, 2)),
        (unsound.SpeculativeOnly, "no re-search, eager", "lvt", (1, 0, 0)),
        (unsound.SpeculativeOnly, "no re-search, linear", "linear", (0, 2, 0)),
        (unsound.DeepOnly, "no re-search, eager", "lvt", (1, 0, 0)),
        (unsound.ForgetsTies, "no re-search, eager", "lvt", (1, 0, 0)),
        (unsound.CountsTwice, "counted twice", "linear", (0, 2, 1)),
        (unsound.StoresTheBest, "best stored", "lvt", (1, 0)),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_what_the_kernel_takes_care_of_is_needed(
    variant: type[MaxN], name: str, classifier: Classifier, wrong: tuple[int, ...]
) -> None:
    search = tree_of(name).search(variant, classifier=classifier, table_size=100)
    assert search.run().goals == wrong


def test_nothing_is_held_before_a_child_is_resolved() -> None:
    result = tree_of("zero held").search(Shallow, classifier="lvt").run()
    wrong = tree_of("zero held").search(unsound.HoldsZero, classifier="lvt").run()
    assert [str(move) for move in result.variation[0]] == ["m0", "m0"]
    assert [str(move) for move in wrong.variation[0]] == ["m1", "m0"]


@pytest.mark.parametrize(
    ("variant", "classifier"),
    [
        (unsound.ForgetsTheBest, "lvt"),
        (unsound.ReturnsTheBest, "lvt"),
        (unsound.SpeculativeOnly, "lvt"),
        (unsound.LazyOnly, "lvt"),
        (unsound.DeepOnly, "lvt"),
        (unsound.ForgetsTies, "lvt"),
        (unsound.CountsTwice, "linear"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_random_games_tell_unsound_rules_from_sound_ones(
    variant: type[MaxN], classifier: Classifier
) -> None:
    def is_wrong(seed: int) -> bool:
        made = random_tree(seed, roles=3, order="random", depth=4, highest=2, shared=False)
        found = made.search(variant, classifier=classifier).run()
        return found.goals != made.search(MaxN, classifier="none").run().goals

    assert any(is_wrong(seed) for seed in range(3000))


def leaves_by_recurrence(width: int, depth: int) -> int:
    """For three roles: N(d) = N(d-1) + (b-1) N(d-2) + (b-1)^2 N(d-3)."""
    counts: list[int] = [width**ply for ply in range(3)]
    while len(counts) <= depth:
        *_, third, second, last = counts
        counts.append(last + (width - 1) * second + (width - 1) ** 2 * third)
    return counts[depth]


def leaves_of(width: int, depth: int, rule: type[MaxN]) -> int:
    made = equal_leaves(roles=3, width=width, depth=depth)
    result = made.search(rule, classifier="linear").run()
    assert (result.goals, result.researched) == ((1, 1, 1), 0)
    return result.generated + 1 - result.expanded


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("depth", range(1, 8))
def test_equal_leaves_are_counted_by_the_recurrence(width: int, depth: int) -> None:
    assert leaves_of(width, depth, Speculative) == leaves_by_recurrence(width, depth)


def test_two_choices_twelve_plies() -> None:
    assert leaves_by_recurrence(2, 12) == leaves_of(2, 12, Speculative) == 1_705
    assert leaves_of(2, 12, LastBranch) == 1_705
    assert leaves_of(2, 12, Shallow) == leaves_of(2, 12, MaxN) == 4_096


@pytest.mark.long
def test_ten_choices_six_plies() -> None:
    assert leaves_by_recurrence(10, 6) == leaves_of(10, 6, Speculative) == 52_300


def test_the_discrete_form_needs_one_bound_less() -> None:
    # Two of three roles hold 1 of 3: a leaf in which both have 2 would need 4.
    made = equal_leaves(roles=3, width=2, depth=6)
    plain = made.search(Shallow, classifier="linear").run()
    discrete = made.search(Shallow, classifier="linear", discrete=True).run()
    by_table = made.search(Shallow, classifier="lvt").run()
    assert (plain.expanded, plain.prunes) == (63, {})
    assert discrete.prunes == by_table.prunes == {"shallow": 12}
    assert discrete.expanded == by_table.expanded == 32


def test_each_cut_is_counted_by_the_simplest_rule_that_makes_it() -> None:
    # P1 has all there is; P2's second move would give P1 less than it has; and so on.
    text = "P1[(1,1,1) P2[(1,2,0) (2,0,1)] P2[(0,3,0) (0,0,3)]]"
    result = read(text, rows=sums_to(3, 3)).search(Shallow, classifier="lvt").run()
    assert result.prunes == {"shallow": 1, "immediate": 1}
    assert result.goals == (1, 1, 1)


def test_rows_no_longer_possible_prune_before_any_child() -> None:
    made = read("P1[(1,0) P2[(0,1)(1,0)] P2[(0,1)(2,0)]]")
    result = made.search(BranchAndBound, classifier="lvt", possible=made.below).run()
    bounds = made.search(BranchAndBound, classifier="linear", possible=made.below).run()
    for found in (result, bounds):
        assert (found.goals, found.expanded) == ((1, 0), 2)
        assert found.prunes == {"branch-and-bound": 1, "immediate": 1}


def test_a_table_too_large_to_enumerate_leaves_the_linear_test() -> None:
    goals = tuple(range(101))
    game = tree("a b c", ([0, 0, 0], [2, 1, 1], [1, 1]), ([50, 25, 25], [1, 1, 1], []))
    table = LeafValueTable(game.description().roles, (goals, goals, goals))
    assert not table.is_enumerated
    for rule in RULES:
        found = in_python(game.graph(), rule, leaf_values=table, classifier="lvt").run()
        assert (found.goals, found.exact) == ((50, 25, 25), True)


@every_rule
@given(games(chance=True, roles=(1, 2), turns=True), st.sampled_from(["sum", "linear", "lvt"]))
def test_chance_is_expected_exactly(
    rule: type[MaxN], game: TreeGame, classifier: Classifier
) -> None:
    plain = in_python(game.graph(), MaxN, classifier="none").run()
    result = in_python(game.graph(), rule, classifier=classifier).run()
    assert (result.goals, result.variation) == (plain.goals, plain.variation)
    assert result.exact


@every_rule
@given(
    st.integers(0, 2**32),
    st.integers(2, 4),
    st.sampled_from(ORDERS[:3]),
    st.sampled_from(["sum", "linear", "lvt"]),
    st.booleans(),
)
def test_to_a_depth_all_rules_find_what_plain_max_n_finds(
    rule: type[MaxN], seed: int, depth: int, order: Order, classifier: Classifier, use_table: bool
) -> None:
    def evaluation(_: object, node: int, role: int) -> float:
        return (node * 37 + role * 11) % 7 / 2

    made = random_tree(seed, roles=3, order=order, depth=5, highest=3, shared=True)
    plain = made.search(MaxN, classifier="none", evaluation=evaluation)
    search = made.search(
        rule, classifier=classifier, evaluation=evaluation, table_size=1000 * use_table
    )
    for limit in (depth, None):
        expected, found = plain.run(limit=Limit(depth=limit)), search.run(limit=Limit(depth=limit))
        assert (found.goals, found.variation) == (expected.goals, expected.variation)
        assert found.exact or limit


def test_estimates_promise_no_more_than_a_leaf_pays() -> None:
    made = read("P1[P2[(1,2) (3,0)] P2[(0,3) (2,1)]]")
    for rule in RULES:
        search = made.search(rule, classifier="linear", evaluation=lambda *_: 2)
        result = search.run(limit=Limit(depth=1))
        assert result.goals == pytest.approx((1.5, 1.5))
        assert sum(goal or 0 for goal in result.goals) <= 3


@every_rule
@given(games(cyclic=True, roles=(2, 3), turns=True), st.sampled_from(["sum", "linear", "lvt"]))
def test_where_play_need_not_end_all_rules_agree_without_a_table(
    rule: type[MaxN], game: TreeGame, classifier: Classifier
) -> None:
    plain = in_python(game.graph(), MaxN, classifier="none", table_size=0).run(
        limit=Limit(nodes=3000)
    )
    assume(plain.expanded < 3000)
    result = in_python(game.graph(), rule, classifier=classifier, table_size=0).run()
    assert (result.goals, result.variation) == (plain.goals, plain.variation)
