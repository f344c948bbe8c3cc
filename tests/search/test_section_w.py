"""The worked trees of Section W, "Node evaluation and pruning of game trees".

There the value of a node is what the player who moves from it can get: the maximum of the negated
values of its children. The players are Odd and Even, by the level; the root is at level 1. Here a
value x for Odd is the goal 50 + 5 x, and Even gets the rest of 100.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import pytest

from ggp.graph import GameGraph
from ggp.search import AlphaBeta, Bounded, LeafValueTable, Minimax, SearchOptions, SearchResult
from ggp.search.role_search import RoleSearch
from ggp.search.tree.recorder import Recorder
from tests.search.maxn.rank_trees import LightGraph
from tests.search.tree.skipped import Line, skipped
from tests.search.tree_game import Spot, TreeGame

ODD, EVEN = 0, 1

every_search = pytest.mark.parametrize("search", [Minimax, Bounded, AlphaBeta])

#: A subtree: what a leaf is worth to Odd, or the children.
Tree: TypeAlias = "int | Sequence[Tree]"


def spots(tree: Tree, mover: int, first: int) -> list[Spot]:
    """The spots of a tree, its root before its subtrees; `first` is the number of the root."""
    if isinstance(tree, int):
        return [Spot((50 + 5 * tree, 50 - 5 * tree), (1, 1))]
    below: list[Spot] = []
    children = []
    for child in tree:
        children.append(first + 1 + len(below))
        below += spots(child, 1 - mover, children[-1])
    choices = (len(tree), 1) if mover == ODD else (1, len(tree))
    return [Spot((None, None), choices, tuple(children)), *below]


def searched(
    search: type[RoleSearch], tree: Tree, *, mover: int = ODD, role: int = ODD
) -> tuple[SearchResult, dict[Line, str]]:
    """Search a tree whose root is the mover's; return the result and what was skipped."""
    game = TreeGame(("odd", "even"), tuple(spots(tree, mover, 0)))
    graph = cast(GameGraph, LightGraph(game))
    recorder = Recorder(graph.roles, role)
    table = LeafValueTable.of(game.description())
    made = search(
        graph, SearchOptions(role=role, leaf_values=table), observer=recorder, table_size=0
    )
    return made.run(), skipped(recorder.root)


def value(result: SearchResult) -> float:
    """The value of the root for the role that searched."""
    assert result.value is not None
    return (result.value - 50) / 5


# Figure W.1 and exercise EW.1

#: The text says of GT1 that node 2 has two leaves, worth +5 and -10 to the player who moves from
#: them, that Odd wins at 5, 11 and 14, and that Even wins at 6, 10 and 12. The rest is chosen: the
#: numbers go level by level, from left to right; the other wins have values of their own.
GT1: dict[int, tuple[int, ...]] = {
    1: (2, 3, 4),
    2: (5, 6),
    3: (7,),
    4: (8, 9),
    7: (10, 11),
    8: (12,),
    9: (13,),
    13: (14,),
}
#: What the leaves are worth to the player who moves from them: Odd from 5, 6 and 14.
LEAVES = {5: +5, 6: -10, 10: +3, 11: -4, 12: +2, 14: +6}
#: The values from the bottom up: each the maximum of the negated values of the children.
DERIVED = {13: -6, 9: +6, 8: -2, 7: +4, 4: +2, 3: -4, 2: +10, 1: +4}


def level(node: int) -> int:
    parents = {child: parent for parent, children in GT1.items() for child in children}
    return 1 + level(parents[node]) if node in parents else 1


def mover_of(node: int) -> int:
    return (level(node) - 1) % 2


def below(node: int) -> Tree:
    """The subtree of a node of GT1."""
    if node in LEAVES:
        return LEAVES[node] if mover_of(node) == ODD else -LEAVES[node]
    return tuple(map(below, GT1[node]))


def node_value(node: int, values: Mapping[int, int]) -> int:
    """The section's rule."""
    return max(-values[child] for child in GT1[node])


def test_gt1_odd_and_even_win_where_the_text_says() -> None:
    for_odd = {leaf: below(leaf) for leaf in LEAVES}
    assert {leaf for leaf, worth in for_odd.items() if cast(int, worth) > 0} == {5, 11, 14}
    assert {leaf for leaf, worth in for_odd.items() if cast(int, worth) < 0} == {6, 10, 12}


def test_ew_1_the_values_of_gt1_are_derived_from_its_leaves() -> None:
    values = dict(LEAVES)
    for node in DERIVED:
        values[node] = node_value(node, values)
    assert values == LEAVES | DERIVED
    # To Even node 2 is worth 10, and so a loss of 10 to Odd.
    assert values[2] == max(-values[5], -values[6]) == 10


@every_search
@pytest.mark.parametrize("node", list(DERIVED))
def test_ew_1_the_searches_find_the_value_of_each_node(search: type[RoleSearch], node: int) -> None:
    mover = mover_of(node)
    for role, sign in ((mover, 1), (1 - mover, -1)):
        result, _ = searched(search, below(node), mover=mover, role=role)
        assert value(result) == sign * DERIVED[node]


@every_search
def test_gt1_odd_moves_to_node_3(search: type[RoleSearch]) -> None:
    result, _ = searched(search, below(1))
    assert (value(result), str(result.move)) == (4, "m1")


# Problem PW.1: NIM with six toothpicks, of which a player takes one to three. Who takes the last
# one loses.


def nim(left: int, mover: int) -> Tree:
    if left == 0:
        return 1 if mover == ODD else -1
    return tuple(nim(left - taken, 1 - mover) for taken in range(1, min(3, left) + 1))


@every_search
@pytest.mark.parametrize("left", range(1, 8))
def test_pw_1_the_player_who_leaves_one_or_five_toothpicks_wins(
    search: type[RoleSearch], left: int
) -> None:
    result, _ = searched(search, nim(left, ODD))
    assert value(result) == (-1 if left in (1, 5) else 1)


@every_search
def test_pw_1_of_six_toothpicks_the_player_takes_one(search: type[RoleSearch]) -> None:
    result, _ = searched(search, nim(6, ODD))
    assert str(result.move) == "m0"


# Figure W.2: alpha-beta pruning

#: N21 is worth -5 to Even, and N34, the first child of N22, 4 to Odd. The other leaves are chosen.
W2: Tree = ((5, 7, 6), (4, 9, -8))


def test_w_2_the_other_children_of_n22_are_pruned() -> None:
    result, pruned = searched(AlphaBeta, W2)
    assert (value(result), str(result.move)) == (5, "m0")
    assert pruned == {("m1", "m1"): "alpha", ("m1", "m2"): "alpha"}


@pytest.mark.parametrize("hidden", range(-10, 11))
def test_w_2_whatever_they_are_odd_prefers_n21(hidden: int) -> None:
    result, _ = searched(Minimax, ((5, 7, 6), (4, hidden, -hidden)))
    assert (value(result), str(result.move)) == (5, "m0")


def test_w_2_a_child_above_alpha_prunes_nothing() -> None:
    _, pruned = searched(AlphaBeta, ((5, 7, 6), (6, 9, 8)))
    assert pruned == {}


def test_beta_pruning_is_the_same_for_odd_nodes() -> None:
    mirrored = ((-5, -7, -6), (-4, -9, 8))
    result, pruned = searched(AlphaBeta, mirrored, mover=EVEN)
    assert value(result) == -5
    assert pruned == {("m1", "m1"): "beta", ("m1", "m2"): "beta"}
    # To Even itself it is alpha pruning.
    result, pruned = searched(AlphaBeta, mirrored, mover=EVEN, role=EVEN)
    assert value(result) == 5
    assert pruned == {("m1", "m1"): "alpha", ("m1", "m2"): "alpha"}


# Figure W.3: bounding

#: N21 is worth 5 to Odd. Below N22 are N31, N41, and N51, which is worth 4. The other leaves are
#: chosen.
N41: Tree = (4, 9, -8)
N22: Tree = ((N41, 7), 8)
W3: Tree = (5, N22)


def test_w_3_the_bound_of_the_root_prunes_the_children_of_its_grandchilds_child() -> None:
    result, pruned = searched(AlphaBeta, W3)
    assert (value(result), str(result.move)) == (7, "m1")
    assert pruned == {("m1", "m0", "m0", "m1"): "alpha", ("m1", "m0", "m0", "m2"): "alpha"}


def test_w_3_without_the_bound_they_are_searched() -> None:
    _, pruned = searched(AlphaBeta, N22, mover=EVEN)
    assert not any(line[:2] == ("m0", "m0") for line in pruned)


@pytest.mark.parametrize("hidden", range(-10, 11))
def test_w_3_whatever_they_are_the_value_is_the_same(hidden: int) -> None:
    result, _ = searched(Minimax, (5, (((4, hidden, -hidden), 7), 8)))
    assert value(result) == 7


# NodeValue and PruneValue, as the section writes them

#: Less than any value.
TOO_SMALL = -100


def as_seen(tree: Tree, mover: int = ODD) -> Tree:
    """The tree with the values of leaves for the player who moves from them."""
    if isinstance(tree, int):
        return tree if mover == ODD else -tree
    return tuple(as_seen(child, 1 - mover) for child in tree)


def node_value_of(tree: Tree) -> int:
    """NodeValue, without the choice: the maximum of the negated values of the children."""
    if isinstance(tree, int):
        return tree  # LeafValue
    most = TOO_SMALL
    for child in tree:
        most = max(most, -node_value_of(child))
    return most


def prune_value(tree: Tree, bound: int, seen: list[int], *, cuts: bool) -> int:
    """PruneValue, to the letter where `cuts` is not set, and without a level.

    As printed it never asks what a leaf is worth, and no child ends the loop. With both, which the
    text describes, the bound that is handed down is what the parent has so far.
    """
    if isinstance(tree, int):
        seen.append(tree)
        return tree if cuts else bound
    most = TOO_SMALL if cuts else bound
    for child in tree:
        most = max(most, -prune_value(child, -most, seen, cuts=cuts))
        if cuts and most >= bound:
            break  # the parent has as much elsewhere
    return most


@pytest.mark.parametrize("tree", [below(1), W2, W3, *(nim(left, ODD) for left in range(2, 7))])
def test_node_value_is_what_minimax_finds(tree: Tree) -> None:
    result, _ = searched(Minimax, tree)
    assert value(result) == node_value_of(as_seen(tree))


def test_prune_value_as_it_is_printed_returns_its_bound() -> None:
    for bound in (-3, 0, 7):
        seen: list[int] = []
        assert prune_value(as_seen(W2), bound, seen, cuts=False) == bound
        assert len(seen) == 6  # and nothing is pruned


# In W.3 the bound is the grandparent's: the section's further phase, which alpha-beta has.
@pytest.mark.parametrize(("tree", "leaves"), [(W2, 4), (W3, 6)])
def test_prune_value_as_the_text_describes_it_prunes_by_the_bound_of_the_parent(
    tree: Tree, leaves: int
) -> None:
    seen: list[int] = []
    found = prune_value(as_seen(tree), -TOO_SMALL, seen, cuts=True)
    assert found == node_value_of(as_seen(tree))
    assert len(seen) == leaves
