"""Max-n players try to solve the game first: there the leaf-value table prunes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from ggp.deadline import Deadline
from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.match import PlayerContext, SearchInfo, make_player
from ggp.reasoner import open_reasoner
from ggp.search import LeafValueTable, Limit
from tests.engine.loaded import loaded_engine  # noqa: F401 - a fixture
from tests.search.every import in_python
from tests.search.tree_game import TreeReasoner, tree

pytestmark = pytest.mark.usefixtures("forked")


def spades(cards: int) -> Description:
    return Description.from_text(rulesheet(deal("spades", cards=cards), evaluation="smot"))


def reports_of_start(player: str, description: Description) -> Sequence[SearchInfo]:
    infos: list[SearchInfo] = []
    with open_reasoner(description, kind="compiled") as reasoner:
        context = PlayerContext(reasoner.roles[0], reasoner, 4.0, infos.append)
        make_player(player).start(context, Deadline.after(600))
    return infos


@pytest.mark.parametrize("cards", [5, pytest.param(9, marks=pytest.mark.long)])
def test_a_deal_of_spades_is_proven_by_the_table(cards: int) -> None:
    infos = reports_of_start("maxn", spades(cards))
    assert (infos[-1].is_proven, infos[-1].classifier) == (True, "lvt")
    assert sum(infos[-1].prunes.values()) > 0
    assert sum(info.nodes or 0 for info in infos) < 100_000


def test_reports_say_how_much_of_the_leaf_value_table_the_search_has() -> None:
    game = spades(4)
    assert LeafValueTable.enumerate(game, time_limit=100).is_complete  # and it is kept
    assert reports_of_start("maxn", game)[-1].to_json()["leafValues"] == "complete"
    without = reports_of_start("maxn:classifier=none", game)
    assert {info.leaf_values for info in without} == {"level 1"}


def test_with_a_depth_limit_the_hull_of_the_table_decides() -> None:
    infos = reports_of_start("maxn:depth=3", spades(5))
    assert {info.classifier for info in infos} == {"hull"}


@pytest.fixture(scope="module")
def triad() -> Iterator[tuple[GameGraph, LeafValueTable]]:
    with open_reasoner(Description.load("triad"), kind="compiled") as reasoner:
        yield GameGraph(reasoner), LeafValueTable.enumerate(reasoner.description)


@pytest.mark.long
@pytest.mark.parametrize("classifier", ["none", "sum", "linear", "lvt"])
def test_a_result_names_the_classifier_that_decided(
    triad: tuple[GameGraph, LeafValueTable], classifier: str
) -> None:
    graph, values = triad
    search = in_python(graph, "speculative", classifier=classifier, leaf_values=values)
    to_the_end, to_a_depth = (
        search.run(limit=Limit(nodes=10)),
        search.run(limit=Limit(nodes=10, depth=2)),
    )
    assert to_the_end.classifier == classifier
    assert to_a_depth.classifier == ("hull" if classifier == "lvt" else classifier)


def test_no_estimate_of_what_others_do_takes_the_place_of_a_proof() -> None:
    """Where bob seems to gain nothing by his second move, he gains a hundred three moves later."""
    game = tree(
        "ann bob",
        ((0, 0), (2, 1), (1, 4)),
        ((0, 0), (1, 2), (2, 3)),
        ((100, 50), (1, 1), ()),
        ((0, 0), (2, 1), (7, 7)),
        ((0, 0), (2, 1), (5, 5)),
        ((0, 0), (2, 1), (6, 6)),
        ((100, 0), (1, 1), ()),
        ((0, 100), (1, 1), ()),
    )
    reasoner = TreeReasoner(game)
    player = make_player("maxn:playouts=0,goals=1,mobility=0")
    infos: list[SearchInfo] = []
    player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0, infos.append), Deadline.after(60))
    *_, move = player.moves(reasoner.initial_state(), Deadline.after(60))
    assert move == reasoner.legal_moves(reasoner.initial_state(), reasoner.roles[0])[1]
    assert (infos[-1].value, infos[-1].is_proven) == (100, True)
