"""Changes of a game that change nothing of how max-n plays it: Appendix A of Sturtevant (2005)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.reasoner import JointMove
from ggp.search import (
    BranchAndBound,
    LastBranch,
    MaxN,
    SearchResult,
    Shallow,
    Speculative,
)
from tests.search.every import in_python
from tests.search.maxn.rank_trees import ORDERS, Goals, Order, RankTree, random_tree
from tests.search.tree_game import Spot, TreeGame, games

RULES = (MaxN, Shallow, BranchAndBound, LastBranch, Speculative)
CLASSIFIERS: tuple[dict[str, Any], ...] = (
    {"classifier": "sum"},
    {"classifier": "linear"},
    {"classifier": "linear", "discrete": True},
    {"classifier": "lvt"},
)
HIGHEST = 4

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
every_classifier = pytest.mark.parametrize(
    "classifier", CLASSIFIERS, ids=lambda options: "-".join(map(str, options.values()))
)

#: For each role a and b of the transformation a x + b.
Affine: TypeAlias = list[tuple[int, int]]


@st.composite
def trees(draw: st.DrawFn, orders: Sequence[Order] = ORDERS) -> RankTree:
    return random_tree(
        draw(st.integers(0, 2**32)),
        roles=draw(st.integers(2, 4)),
        order=draw(st.sampled_from(orders)),
        depth=draw(st.integers(1, 4)),
        highest=draw(st.integers(1, HIGHEST)),
        shared=draw(st.booleans()),
    )


def affine(roles: int, highest: int) -> st.SearchStrategy[Affine]:
    """Transformations that leave goals from 0 to `highest` within 0 to 100."""
    factors = st.integers(1, 100 // highest)
    pairs = factors.flatmap(lambda a: st.tuples(st.just(a), st.integers(0, 100 - a * highest)))
    return st.lists(pairs, min_size=roles, max_size=roles)


def transformed(goals: Iterable[int | None], by: Affine) -> Goals:
    return tuple(a * (goal or 0) + b for goal, (a, b) in zip(goals, by, strict=True))


def with_goals(game: TreeGame, change: Callable[[Goals], Goals]) -> TreeGame:
    """Change the goals of all leaves."""
    spots = (
        spot if spot.children else replace(spot, goals=change(cast(Goals, spot.goals)))
        for spot in game.spots
    )
    return TreeGame(game.roles, tuple(spots))


def effort(result: SearchResult) -> tuple[Any, ...]:
    """All that pruning decides."""
    return result.expanded, result.generated, result.researched, result.prunes


# Affine transformations


@pytest.mark.sample(2)
@every_rule
@every_classifier
@given(st.data())
def test_affine_transformations_change_neither_moves_nor_pruning(
    rule: type[MaxN], classifier: dict[str, Any], data: st.DataObject
) -> None:
    made = data.draw(trees())
    by = data.draw(affine(len(made.game.roles), HIGHEST))

    def change(goals: Goals) -> Goals:
        return transformed(goals, by)

    other = RankTree(with_goals(made.game, change), tuple(map(change, made.rows)))
    before = made.search(rule, **classifier).run()
    after = other.search(rule, **classifier).run()
    assert after.variation == before.variation
    assert after.goals == change(cast(Goals, before.goals))
    assert effort(after) == effort(before)


@pytest.mark.sample(2)
@every_rule
@every_classifier
@given(st.data())
def test_with_chance_affine_transformations_change_no_move(
    rule: type[MaxN], classifier: dict[str, Any], data: st.DataObject
) -> None:
    # Chance is expected in goals: the bounds of the hull differ, and so may the effort.
    made = data.draw(games(roles=(2, 3), chance=True, goals=(0, 2, 5, 8, 10), missing=False))
    by = data.draw(affine(len(made.roles), 10))
    other = with_goals(made, lambda goals: transformed(goals, by))
    before = in_python(made.graph(), rule, **classifier).run()
    after = in_python(other.graph(), rule, **classifier).run()
    assert after.variation == before.variation


# A player more


def with_player(made: RankTree, place: int, payoff: Callable[[Goals], int]) -> RankTree:
    """Add a player who has one move everywhere; its goal depends on the others'."""

    def goals_of(goals: Goals) -> Goals:
        return (*goals[:place], payoff(goals), *goals[place:])

    def spot_of(spot: Spot) -> Spot:
        choices = (*spot.choices[:place], 1, *spot.choices[place:])
        goals = (None,) * len(choices) if spot.children else goals_of(cast(Goals, spot.goals))
        return Spot(goals, choices, spot.children)

    roles = (*made.game.roles[:place], "bystander", *made.game.roles[place:])
    game = TreeGame(roles, tuple(map(spot_of, made.game.spots)))
    return RankTree(game, tuple(map(goals_of, made.rows)))


def without(place: int, moves: Iterable[JointMove]) -> list[JointMove]:
    return [(*joint[:place], *joint[place + 1 :]) for joint in moves]


def payoffs(data: st.DataObject, made: RankTree) -> Callable[[Goals], int]:
    """What the player gets: always the same, anything, or what makes the sum constant."""
    kind = data.draw(st.sampled_from(["constant", "random", "remainder"]))
    if kind == "constant":
        return lambda _goals: 7
    if kind == "remainder":
        most = max(map(sum, made.rows))
        return lambda goals: most - sum(goals)
    seed = data.draw(st.integers(0, 2**32))
    return lambda goals: random.Random(f"{seed} {goals}").randint(0, 100)


@pytest.mark.sample(2)
@every_rule
@every_classifier
@given(st.data())
def test_a_player_who_never_chooses_changes_no_move(
    rule: type[MaxN], classifier: dict[str, Any], data: st.DataObject
) -> None:
    made = data.draw(trees())
    place = data.draw(st.integers(0, len(made.game.roles)))
    other = with_player(made, place, payoffs(data, made))
    before = made.search(rule, **classifier).run()
    after = other.search(rule, role=int(place == 0), **classifier).run()
    assert without(place, after.variation) == list(before.variation)
    assert (*after.goals[:place], *after.goals[place + 1 :]) == before.goals


@pytest.mark.parametrize("rule", [MaxN, Shallow, BranchAndBound, LastBranch])
@given(st.data())
def test_the_table_prunes_as_before_whatever_the_player_gets(
    rule: type[MaxN], data: st.DataObject
) -> None:
    # Speculative pruning compares one bound more for each player, and may prune more.
    made = data.draw(trees())
    place = data.draw(st.integers(0, len(made.game.roles)))
    other = with_player(made, place, payoffs(data, made))
    before = made.search(rule, classifier="lvt").run()
    after = other.search(rule, classifier="lvt", role=int(place == 0)).run()
    assert effort(after) == effort(before)


def test_the_linear_test_misses_prunes_that_the_table_finds_when_a_player_is_added() -> None:
    # Two players share 3, and a third gets more the less the first has: the sum of ranks is no
    # longer constant. Leaf-value tables are not affected.
    rows = tuple((goal, 3 - goal) for goal in range(4))
    leaf = [Spot(row, (1, 1)) for row in rows]
    spots = (
        Spot((None, None), (2, 1), (1, 2)),
        leaf[2],
        Spot((None, None), (1, 2), (3, 4)),
        leaf[1],
        leaf[3],
    )
    made = RankTree(TreeGame(("a", "b"), spots), rows)
    other = with_player(made, 2, lambda goals: 3 - goals[0])
    prunes = {
        classifier: [
            each.search(Shallow, classifier=classifier).run().prunes for each in (made, other)
        ]
        for classifier in ("linear", "lvt")
    }
    assert prunes == {"linear": [{"shallow": 1}, {}], "lvt": [{"shallow": 1}, {"shallow": 1}]}
