"""The recorder keeps what a search does, branch by branch, and the drawing shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import GgpError
from ggp.graph import GameGraph
from ggp.kif import Symbol
from ggp.search import (
    ALGORITHMS,
    AlphaBeta,
    LeafValueTable,
    Limit,
    Minimax,
    SearchResult,
    Speculative,
)
from ggp.search.tree.drawing import draw
from ggp.search.tree.observer import Cut
from ggp.search.tree.recorder import Branch, Recorder, Visit
from tests.search.every import TREE_SEARCHES, in_python
from tests.search.maxn.rank_trees import LightGraph, read
from tests.search.tree_game import TreeGame, games, tree

every_algorithm = pytest.mark.parametrize("algorithm", TREE_SEARCHES)

SVG = "{http://www.w3.org/2000/svg}"


def recorded(game: TreeGame, algorithm: str, **options: Any) -> tuple[Recorder, SearchResult]:
    graph = cast(GameGraph, LightGraph(game))  # its nodes have the numbers of the spots
    role = next(i for i, name in enumerate(game.roles) if name != "random")
    recorder = Recorder(graph.roles, role, largest=100_000)
    table = LeafValueTable.of(game.description())
    search = in_python(graph, algorithm, observer=recorder, leaf_values=table, **options)
    return recorder, search.run()


def visits(visit: Visit | None) -> Iterator[Visit]:
    if visit is not None:
        yield visit
        for branch in visit.branches:
            yield from visits(branch.child)


def texts(svg: ET.Element, kind: str) -> list[str | None]:
    return [text.text for text in svg.iter(f"{SVG}text") if text.get("class") == kind]


@every_algorithm
@given(
    st.one_of(games(roles=(1, 2, 3)), games(roles=(1, 2), chance=True)),
    st.sampled_from(["none", "sum", "linear", "lvt"]),
)
def test_every_joint_move_is_in_one_branch_and_every_prune_is_named(
    algorithm: str, game: TreeGame, classifier: str
) -> None:
    recorder, result = recorded(game, algorithm, classifier=classifier)
    rules: Counter[str] = Counter()
    seen = list(visits(recorder.root))
    assert len(seen) == result.generated + 1
    for visit in seen:
        assert visit.found is not None
        rules.update({visit.rule} if visit.rule else ())
        rules.update(branch.rule for branch in visit.branches if branch.rule)
        if visit.branches:
            spot = game.spots[visit.node]
            first = [branch for branch in visit.branches if not branch.again]
            assert sum(len(branch.moves) for branch in first) == prod(spot.choices)
            children = {branch.child.node for branch in visit.branches if branch.child}
            assert children <= set(spot.children)
    assert rules == result.prunes


def test_moves_are_named_in_the_order_in_which_they_are_searched() -> None:
    # The second role searches: its moves come first, and each is answered.
    game = tree("r s", ([0, 0], [2, 2], [1, 1, 1, 1]), ([50, 50], [1, 1], []))
    graph = game.graph()
    recorder = Recorder(graph.roles, 1)
    in_python(graph, Minimax, role=1, observer=recorder).run()
    assert recorder.root is not None
    moves = [branch.moves for branch in recorder.root.branches]
    assert moves == [("m0 m0",), ("m1 m0",), ("m0 m1",), ("m1 m1",)]


def test_a_child_that_is_searched_again_has_a_second_branch() -> None:
    made = read("P1[(0,0,1) P2[P3[(0,1,0)(0,0,1)] P1[(1,0,0)]]]")
    recorder = Recorder(made.graph.roles)
    result = made.search(Speculative, classifier="lvt", observer=recorder).run()
    again = [
        branch.moves for visit in visits(recorder.root) for branch in visit.branches if branch.again
    ]
    assert (again, result.researched) == ([("m0",)], 1)
    assert "m0, again" in texts(ET.fromstring(draw(recorder, "again")), "note")


def test_values_bounds_and_rules_are_drawn() -> None:
    # The second move is refuted by its first answer: 20 is less than 50. So 80 is not looked at.
    game = tree(
        "r s",
        ([0, 0], [2, 1], [1, 2]),
        ([50, 50], [1, 1], []),
        ([0, 0], [1, 2], [3, 4]),
        ([20, 80], [1, 1], []),
        ([80, 20], [1, 1], []),
    )
    recorder = Recorder(game.graph().roles)
    AlphaBeta(game.graph(), observer=recorder).run()
    svg = ET.fromstring(draw(recorder, "a <drawing>"))
    assert svg.findtext(f"{SVG}title") == "a <drawing>"
    assert texts(svg, "rule") == ["alpha"]
    assert [path.get("class") for path in svg.iter(f"{SVG}path")].count("cut") == 1
    labels = [node.text for node in svg.iter(f"{SVG}text") if node.get("class") is None]
    assert labels == ["a <drawing>", "50", "20", "\u2264 20", "50"]
    assert len(list(svg.iter(f"{SVG}rect"))) == 4


def test_a_pruned_node_tells_the_bounds_that_it_is_not_above() -> None:
    made = read("P1[(1,0) P2[(0,1)(1,0)] P2[(0,1)(2,0)]]")
    recorder = Recorder(made.graph.roles)
    search = made.search(
        ALGORITHMS["branch-and-bound"],  # type: ignore[arg-type]
        classifier="lvt",
        possible=made.below,
        observer=recorder,
    )
    search.run()
    svg = ET.fromstring(draw(recorder, "cut"))
    titles = [title.text for title in svg.iter(f"{SVG}title")]
    assert "pruned: not P1 more than 1; cut before any child: branch-and-bound" in titles
    assert "note rule" in {text.get("class") for text in svg.iter(f"{SVG}text")}


def test_nodes_that_a_search_left_unfinished_are_drawn_as_such() -> None:
    game = tree("r", ([0], [2], [1, 2]), ([50], [1], [2]), ([80], [1], []))
    recorder = Recorder(game.graph().roles)
    Minimax(game.graph(), observer=recorder).run(limit=Limit(nodes=1))
    assert "not finished" in draw(recorder, "cut short")


def test_names_with_letters_that_xml_knows_or_cannot_hold() -> None:
    recorder = Recorder((Symbol("a<&\x01"),))
    recorder.root = Visit(0, (Symbol("a<&\x01"),), [Branch(("x>\x02",), cut=Cut('"'))])
    svg = ET.fromstring(draw(recorder, "&"))
    assert "a<&\ufffd" in texts(svg, "note")
    assert "x>\ufffd" in texts(svg, "note")
    assert '"' in texts(svg, "rule")


def test_a_large_tree_is_refused() -> None:
    game = tree("r", ([0], [3], [1, 1, 1]), ([80], [1], []))
    recorder = Recorder(game.graph().roles, largest=3)
    with pytest.raises(GgpError, match="more than 3 nodes, too many for a drawing"):
        Minimax(game.graph(), observer=recorder).run()
    assert recorder.is_full


def test_nothing_is_no_drawing() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        draw(Recorder((Symbol("r"),)), "")
