"""Proof numbers: by hand, and in the engine's trees."""

from __future__ import annotations

from math import inf

import pytest

from ggp.engine.mcts.proofs import NEVER
from ggp.search import Limit, TreeSearch
from ggp.search.mcts.node import Node, Values
from ggp.search.mcts.proofs import count_proofs, ease_of
from tests.engine.test_mcts import engine, opened
from tests.search.every import in_python

AIMS: Values = [100.0, 100.0]


def leaf(lower: Values, upper: Values) -> Node:
    node = Node(b"", lower, upper)
    node.proofs = count_proofs(node, AIMS)
    return node


def inner(mover: int, *children: Node) -> Node:
    node = Node(b"", [0.0, 0.0], [100.0, 100.0], children=children, mover=mover)
    node.proofs = count_proofs(node, AIMS)
    return node


def unknown() -> Node:
    return leaf([0.0, 0.0], [100.0, 100.0])


def test_a_leaf_needs_one_proof_unless_it_is_known() -> None:
    assert unknown().proofs == [1, 1]
    assert leaf([100.0, 0.0], [100.0, 0.0]).proofs == [0, inf]
    assert leaf([50.0, 0.0], [100.0, 50.0]).proofs == [1, inf]


def test_a_role_that_moves_needs_one_child_and_the_others_need_all() -> None:
    lost = leaf([0.0, 100.0], [0.0, 100.0])
    node = inner(0, unknown(), inner(1, unknown(), unknown()), lost)
    assert node.proofs == [1, 2]
    assert inner(0, lost, lost).proofs == [inf, 0]
    three = inner(1, unknown(), unknown(), unknown())
    assert inner(0, three, inner(1, unknown(), three)).proofs == [3, 2]


def test_the_easiest_move_is_the_one_of_the_lowest_number() -> None:
    assert [ease_of(number, 4) for number in (0, 1, 4, inf)] == [1, 0.75, 0, 0]
    assert ease_of(1, 1) == ease_of(inf, 0) == 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", ["connectfour", "breakthrough", "spades300"])
def test_the_engine_counts_as_the_reference_does(game: str) -> None:
    graph = opened(game)
    reference = in_python(graph, TreeSearch, playouts=2)
    reference.run(limit=Limit(nodes=100))
    root = reference._root
    assert root.proofs == count_proofs(root, reference._aims)
    search = engine(graph, playouts=2)
    search.run(limit=Limit(nodes=2000))
    tree, node = search._tree, int(search._tree.numbers.root)
    first, last = int(tree.first[node]), int(tree.first[node] + tree.degree[node])
    assert not (tree.lower[node] == tree.upper[node]).any()
    for role in range(len(graph.roles)):
        numbers = tree.edge_proofs[first:last, role]
        combined = numbers.min() if role == tree.mover[node] else numbers.sum()
        assert tree.proofs[node, role] == pytest.approx(min(combined, NEVER))
    assert (tree.proofs[node] > last - first).any()
