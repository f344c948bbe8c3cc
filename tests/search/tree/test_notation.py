"""Trees that are written down are games: the reasoners, and searches of other trees, agree."""

from __future__ import annotations

import re

import pytest

from ggp.errors import KifError
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_trees
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.reasoner import open_reasoner
from ggp.search import MaxN
from ggp.search.tree.notation import GameTree, is_tree, read_tree
from tests.search.every import in_python
from tests.search.maxn.rank_trees import random_tree, read
from tests.search.tree_game import TreeGame


def made(text: str) -> GameTree:
    return read_tree(Source(text, "a.tree"))


def written(game: TreeGame, number: int = 0) -> str:
    """A tree game in the notation."""
    spot = game.spots[number]
    if not spot.children:
        return f"({','.join(str(goal or 0) for goal in spot.goals)})"
    mover = max(range(len(spot.choices)), key=spot.choices.__getitem__)
    return f"P{mover + 1}[{' '.join(written(game, child) for child in spot.children)}]"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("algorithm", ["maxn", "speculative", "alphabeta"])
def test_the_game_of_a_tree_has_the_value_and_counts_of_the_tree(seed: int, algorithm: str) -> None:
    tree = random_tree(seed, roles=3, order="random", depth=3, highest=4, shared=False)
    text = written(tree.game)
    game = made(text)
    found = []
    for graph, values in ((read(text).graph, read(text).leaf_values), (None, game.leaf_values())):
        if graph is not None:
            found.append(in_python(graph, algorithm, leaf_values=values, table_size=0).run())
            continue
        with open_reasoner(game.description(), kind="prolog") as reasoner:
            found.append(
                in_python(GameGraph(reasoner), algorithm, leaf_values=values, table_size=0).run()
            )
    plain, by_rules = found
    assert plain.goals == by_rules.goals
    assert (plain.expanded, plain.researched) == (by_rules.expanded, by_rules.researched)
    assert plain.prunes == by_rules.prunes


def test_a_named_choice_is_one_state() -> None:
    game = made("P1[P2[x=P1[(1,0) (0,1)] (2,2)] P2[x (3,3)]]")
    assert len(game.nodes) == 8
    with open_reasoner(game.description(), kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        left, right = graph.expansion(graph.root).children
        assert set(graph.expansion(left).children) & set(graph.expansion(right).children)


def test_more_than_nine_moves_keep_their_order() -> None:
    goals = [(k, 11 - k) for k in range(12)]
    game = made(f"P1[{' '.join(f'({a},{b})' for a, b in goals)}]")
    with open_reasoner(game.description(), kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        children = graph.expansion(graph.root).children
        assert [graph.expansion(child).goals for child in children] == goals


def test_maxsum_says_all_that_a_search_knows() -> None:
    constant = made("maxsum=10 P1[(5,4,1) (?,?,?)]").leaf_values()
    assert constant.maxsum == 10
    assert ({sum(row.goals) for row in constant}, len(constant)) == ({10}, 66)
    less = made("maxsum=10 P1[(5,4,0) (5,4,1)]").leaf_values()
    assert {sum(row.goals) for row in less} == set(range(11))
    assert [len(goals) for goals in less.goals] == [11, 11, 11]
    leaves = made("P1[(5,4,1) (0,6,4)]").leaf_values()
    assert {row.goals for row in leaves} == {(5, 4, 1), (0, 6, 4)}


@pytest.mark.parametrize("path", bundled_trees(), ids=lambda path: path.stem)
def test_the_bundled_trees_can_be_played_and_searched(path) -> None:  # type: ignore[no-untyped-def]
    tree = read_tree(Source.read(path))
    with open_reasoner(tree.description(), kind="prolog") as reasoner:
        found = in_python(GameGraph(reasoner), MaxN, leaf_values=tree.leaf_values()).run()
    assert found.exact
    assert Description.from_text(tree.rules()).roles == found.roles


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("P1[(1,2) (3,4)", "1:1", "not closed"),
        ("P1[(1,2)] (3,4)", "1:11", "ends before"),
        ("P1[\n(1,2) (3)]", "2:7", "1 goals; the leaves before have 2"),
        ("P1[(1,101)]", "1:4", "from 0 to 100"),
        ("P1[(1,x)]", "1:4", "is no leaf"),
        ("P1[]", "1:1", "at least one move"),
        ("P1[(1,2) y]", "1:10", "named 'y'"),
        ("P3[(1,2) (2,1)]", "1:1", "P3 chooses, but a leaf has 2 goals"),
        ("maxsum=10 P1[(6,6) (1,2)]", "1:14", "more than maxsum 10"),
        ("P1[(1,2) #]", "1:10", "no '#'"),
        ("P1[(1,2)] ]", "1:11", "ends before"),
        ("maxsum=10", "1:1", "no tree"),
    ],
)
def test_what_is_wrong_is_pointed_at(text: str, place: str, said: str) -> None:
    with pytest.raises(KifError, match=re.escape(said)) as raised:
        made(text)
    assert f"a.tree:{place}" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("P1[(1,2)]", True),
        ("; a comment\nmaxsum=10\nP1[(1,2)]", True),
        ("x=P1[(1,2)]", True),
        ("(role P1)", False),
        ("; P1[(1,2)]\n(role x)", False),
        ("", False),
    ],
)
def test_a_tree_is_told_from_rules(text: str, is_one: bool) -> None:
    assert is_tree(text) == is_one
