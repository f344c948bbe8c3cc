"""The hand-written search of Spades agrees with the engine and the referee."""

from __future__ import annotations

from itertools import product

import pytest

from ggp.experiments import by_hand
from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.open_spades import Knowledge, OpenSpades
from ggp.experiments.cards.rulesheet import RANK_EQUIVALENTS, RankEquivalent, rulesheet
from ggp.experiments.running.runner import Measured
from ggp.experiments.running.searching import opened, search
from ggp.gdl import Description
from ggp.kif import Source
from ggp.search import SearchOptions
from tests.experiments.conftest import Run

KNOWLEDGE = [
    Knowledge(forgets_tricks=forgets, bounds_tricks=bounds)
    for forgets, bounds in product((False, True), repeat=2)
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("rank_equivalent", RANK_EQUIVALENTS)
@pytest.mark.parametrize("breaking", [True, False])
@pytest.mark.parametrize("number", range(1, 4))
def test_it_finds_what_the_engine_finds(
    number: int, breaking: bool, rank_equivalent: RankEquivalent
) -> None:
    dealt = deal("spades", players=2, cards=5, number=number)
    text = rulesheet(dealt, evaluation="mt", breaking=breaking, rank_equivalent=rank_equivalent)
    with opened(Description.from_text(Source(text, "a deal"))) as graph:
        full = search(graph, "maxn", SearchOptions(classifier="none"), table_bytes=1 << 20)
    for suits in ("cdhs", "scdh"):
        game = OpenSpades(dealt, breaking=breaking, rank_equivalent=rank_equivalent, suits=suits)
        assert game.positions() == full.expanded
        found = [game.alpha_beta(knowledge) for knowledge in KNOWLEDGE]
        # a trick is worth ten
        assert [10 * tricks for tricks, _ in found] == [full.goals[0]] * len(found)
        assert all(nodes <= full.expanded for _, nodes in found)


def test_knowledge_of_the_game_saves_nodes() -> None:
    task, *_ = by_hand.tasks(deals=1, seed=1, cards=8)
    report = by_hand.report([Measured(task, by_hand.measure(task), 0.0)])
    nodes = dict(
        zip(report.tables[0].column("column"), report.tables[0].numbers("mean"), strict=True)
    )
    assert nodes["Full"] > nodes["alpha-beta"] > nodes["bounds"] > nodes["forgets, bounds"]
    assert nodes["alpha-beta"] > nodes["forgets"]
    assert "differ in the tricks: none." in report.notes[0]


@pytest.mark.long
def test_by_hand_from_the_command(run: Run) -> None:
    found = run("by-hand", "--cards", "4", "--deals", "2", "--json", "--no-plot").json
    assert found["complete"]
    rows = found["tables"][0]["rows"]
    assert [row["column"] for row in rows] == [column.name for column in by_hand.COLUMNS]
    assert [row["deals"] for row in rows] == [2] * len(rows)
