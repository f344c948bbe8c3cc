"""Searches of card games: pruned ones find what unpruned ones do, and the tables add up."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

from ggp.experiments import table2, table3, table4
from ggp.experiments.cards.deal import GAMES, Deal, Game, card, deal
from ggp.experiments.cards.rulesheet import RANK_EQUIVALENTS, evaluations, rulesheet
from ggp.experiments.classifiers.random_games import TO_THE_END
from ggp.experiments.classifiers.random_games import measure as measure_classifiers
from ggp.experiments.classifiers.random_games import report as report_classifiers
from ggp.experiments.running.runner import Measured, Task
from ggp.experiments.running.searching import leaf_values, opened, search
from ggp.gdl import Description
from ggp.kif import Source
from ggp.search import LeafValueTable, SearchOptions
from ggp.search.leaf_values import RowFilter
from tests.experiments.conftest import Run

#: Deals of each game that the long test searches.
DEALS = int(os.environ.get("CARD_SEARCHES", "150"))
ALGORITHMS = ("shallow", "branch-and-bound", "last-branch", "speculative")
#: Seconds for a table: enough even on a busy machine.
ENOUGH = 100


def compare(game: Game, number: int) -> None:
    """Search a deal by every rule, each with another classifier from deal to deal."""
    known = evaluations(game)
    dealt = deal(game, players=2 + number % 5 // 2 % 2, cards=3 + number % 3, number=number)
    text = rulesheet(dealt, evaluation=known[number % len(known)], breaking=number % 2 == 0)
    description = Description.from_text(Source(text, "a deal"))
    table = LeafValueTable.enumerate(description, time_limit=ENOUGH)
    assert table.level == 2
    with opened(description) as graph:
        plain = search(graph, "maxn", SearchOptions(classifier="none"), table_bytes=1 << 20)
        assert plain.exact
        for place, algorithm in enumerate(ALGORITHMS):
            options = list(TO_THE_END.values())[(number + place) % len(TO_THE_END)]
            for table_bytes in (0, 1 << 20):
                found = search(
                    graph, algorithm, replace(options, leaf_values=table), table_bytes=table_bytes
                )
                assert (found.goals, found.move) == (plain.goals, plain.move)


@pytest.mark.long
@pytest.mark.parametrize(("game", "number"), list(product(GAMES, range(1, 3))))
def test_pruned_searches_find_what_max_n_does(game: Game, number: int) -> None:
    compare(game, number)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_pruned_searches_find_what_max_n_does_for_hundreds_of_deals(game: Game) -> None:
    for number in range(DEALS):
        compare(game, number)


@pytest.mark.long
def test_equal_cards_make_no_difference_to_the_value() -> None:
    for number in range(1, 6):
        dealt = deal("spades", cards=4, number=number)
        found = []
        for rank_equivalent in RANK_EQUIVALENTS:
            text = rulesheet(dealt, evaluation="oh", rank_equivalent=rank_equivalent)
            with opened(Description.from_text(Source(text, "a deal"))) as graph:
                found.append(search(graph, "maxn", SearchOptions(classifier="none")))
        left, by_deal, full = found
        assert (left.goals, left.move) == (by_deal.goals, by_deal.move) == (full.goals, full.move)
        assert left.expanded <= by_deal.expanded <= full.expanded


@pytest.mark.long
def test_table_2_from_the_command(run: Run) -> None:
    options = ("--cards", "3", "--deals", "2", "--json", "--no-plot")
    found = run("table2", "--column", "Full", "--column", "mOT", "--column", "WL", *options).json
    assert found["complete"]
    table, by_bids = found["tables"]
    assert [row["column"] for row in table["rows"]] == ["Full", "mOT", "WL"]
    full, mot, win = table["rows"]
    assert (full["paper"], mot["paper"], win["paper"]) == (2_700_000, 37_200, 788)
    assert full["deals"] == 2
    assert full["mean"] > mot["mean"]
    assert full["factor"] == 1
    assert "in value or move: none." in found["notes"][0]
    assert by_bids["columns"] == ["bids", "deals", "Full", "mOT", "WL"]
    sums = [sum(deal("spades", cards=3, number=number).bids) for number in (1, 2)]
    assert [row["bids"] for row in by_bids["rows"]] == sorted(set(sums))
    assert sum(row["deals"] * row["mOT"] for row in by_bids["rows"]) == 2 * mot["mean"]


@pytest.mark.long
def test_bids_can_be_raised(run: Run) -> None:
    options = ("--cards", "4", "--deals", "3", "--column", "mOT", "--json", "--no-plot")
    usual = run("table2", *options).json["tables"]
    raised = run("table2", "--bid-offset", "1", *options).json["tables"]
    bids = [
        sum(min(4, bid + 1) for bid in deal("spades", cards=4, number=number).bids)
        for number in (1, 2, 3)
    ]
    assert [row["bids"] for row in raised[1]["rows"]] == sorted(set(bids))
    assert raised[0]["rows"][0]["mean"] != usual[0]["rows"][0]["mean"]


ALL_OR_NOTHING = """
(<= (goal ?player 100) (worth mt ?player ?goal) (lots ?goal))
(<= (goal ?player 0) (worth mt ?player ?goal) (not (lots ?goal)))
(lots 20) (lots 30)
"""


@pytest.mark.long
def test_a_column_is_measured_with_the_users_goals(run: Run, tmp_path: Path) -> None:
    options = ("--cards", "3", "--deals", "2", "--json", "--no-plot")
    columns = ("--column", "Full", "--column", "WL")
    usual = run("table2", *columns, *options).json["tables"][0]["rows"]
    # one line of a rulesheet edited: the goals of another column
    sheet = rulesheet(deal("spades", cards=3))
    (tmp_path / "edited.kif").write_text(sheet.replace("(worth mot ", "(worth wl "))
    edited = run("table2", *columns, *options, "--goals", tmp_path / "edited.kif").json
    full, win = edited["tables"][0]["rows"]
    assert win["mean"] == usual[1]["mean"]
    assert (full["paper"], win["paper"]) == (None, None)
    assert "in value or move: none." in edited["notes"][0]
    # rules that need relations of their own
    (tmp_path / "own.kif").write_text(ALL_OR_NOTHING)
    own = run("table2", *columns, *options, "--goals", tmp_path / "own.kif").json
    assert "in value or move: none." in own["notes"][0]
    assert own["tables"][0]["rows"][1]["mean"] <= own["tables"][0]["rows"][0]["mean"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("(goal ?p 1", "1:1"), ("(lots 20)", "no rule defines goal"), (None, "No such file")],
)
def test_goals_that_cannot_be_read_are_reported(
    run: Run, tmp_path: Path, text: str | None, complaint: str
) -> None:
    path = tmp_path / "goals.kif"
    if text is not None:
        path.write_text(text)
    finished = run("table2", "--goals", path)
    assert finished.code == 2
    assert complaint in finished.err


@pytest.mark.long
def test_every_column_of_the_tables_is_measured() -> None:
    for module, cards in ((table2, 3), (table3, 4)):
        comparison = module.COMPARISON
        every = tuple(column.name for column in comparison.columns)
        tasks = list(comparison.tasks(deals=1, seed=1, cards=cards, only=every))
        measured = [Measured(task, comparison.measure(task), 0.0) for task in tasks]
        report = comparison.report(measured)
        assert tuple(row[0] for row in report.tables[0].rows) == every
        assert "in value or move: none." in report.notes[0]


def test_the_columns_named_as_in_the_paper_have_figure_9s_own_filter() -> None:
    papers = ("Full", "NCS", "MT", "MoMB", "mOT", "smOT", "WL", "OH")
    by_name = {column.name: column for column in table2.COMPARISON.columns}
    assert {name for name, column in by_name.items() if column.paper} == set(papers)
    for name in papers[3:]:
        assert by_name[name].row_filter == "literal"
        upper = by_name[f"{name} upper"]
        assert (upper.row_filter, upper.evaluation) == ("upper", by_name[name].evaluation)
    tables = [column for column in table3.COMPARISON.columns if column.paper == 22_000]
    assert {column.row_filter for column in tables} == {"literal"}


def test_a_difference_in_value_is_reported() -> None:
    tasks = table2.COMPARISON.tasks(deals=1, seed=1, cards=3, only=("Full", "mOT"))
    (task,) = tasks
    result: dict[str, Any] = {
        name: {"nodes": 5, "again": 0, "goals": goals, "move": "x", "seconds": 0.0}
        for name, goals in (("Full", "1 2 3"), ("mOT", "1 2 4"))
    }
    report = table2.COMPARISON.report([Measured(task, result, 0.0)])
    assert "in value or move: 1." in report.notes[0]


@pytest.mark.long
def test_a_hand_is_played_to_its_end() -> None:
    dealt = deal("spades", cards=4, number=3)
    played = list(table4.play_hand(dealt, table4.ARRANGEMENTS[:2], nodes=500))
    assert len(played) == 2
    for tricks, turns in played:
        assert sum(tricks) == 4
        assert sum(turns[kind] for kind in table4.PAPER) > 0
        assert all(turns[f"{kind} to the end"] <= turns[kind] for kind in table4.PAPER)


@pytest.mark.long
def test_the_table_of_a_hand_depends_on_its_bids_and_size_alone() -> None:
    tables = []
    for number in (1, 2):
        dealt = replace(deal("spades", cards=6, number=number), bids=(2, 1, 2))
        rules = Source(rulesheet(dealt, evaluation="formula"), "a hand")
        tables.append(leaf_values(Description.from_text(rules)))
    assert tables[0].found == tables[1].found
    assert tables[0].links
    assert tables[0].links == tables[1].links


@pytest.mark.long
def test_players_who_see_the_end_take_what_max_n_gives() -> None:
    hands = tuple(tuple(map(card, hand.split())) for hand in ("s01 h05", "s05 h01", "h02 d01"))
    dealt = Deal("spades", hands, "s", (1, 1, 0))
    ((tricks, turns),) = table4.play_hand(dealt, [("lvt",) * 3], nodes=10_000, evaluation="formula")
    assert turns["lvt"] == turns["lvt to the end"]
    with opened(
        Description.from_text(Source(rulesheet(dealt, evaluation="formula"), "x"))
    ) as graph:
        value = search(graph, "maxn", SearchOptions(classifier="none")).goals
    missed = [n < bid for n, bid in zip(tricks, dealt.bids, strict=True)]
    assert value == tuple(
        0 if missed[i] else 50 - (n - bid) + 3 * sum(missed)
        for i, (n, bid) in enumerate(zip(tricks, dealt.bids, strict=True))
    )


def test_a_game_of_spades_is_scored_by_its_rules() -> None:
    score = table4.Score()
    for bid, taken, points in ((3, 3, 30), (3, 5, 62), (3, 2, 32), (2, 9, 59), (0, 1, -40)):
        score.add(bid=bid, taken=taken)
        assert score.points == points
    assert score.overtricks == 0


def test_wins_and_points_of_table_4_are_shared_out() -> None:
    def played(scores: list[int]) -> dict[str, Any]:
        return {
            "scores": scores,
            "hands": 9,
            "turns": {"lvt": 4, "lvt to the end": 3, "sum": 2},
        }

    games = {
        "lvt lvt sum": played([300, 310, 200]),
        "sum sum lvt": played([305, 10, 305]),
    }
    report = table4.report([Measured({"game": 1, "nodes": 9}, games, 1.0)])
    lvt, linear = (dict(zip(report.tables[0].columns, row, strict=True)) for row in
                   report.tables[0].rows)  # fmt: skip
    assert (lvt["wins %"], linear["wins %"]) == (75, 25)
    assert lvt["points"] == pytest.approx((300 + 310 + 305) / 3)
    assert lvt["turns to the end %"] == 75
    assert linear["turns to the end %"] == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "game",
    ["stones", *(pytest.param(name, marks=pytest.mark.long) for name in ("coins", "Hearts, moon"))],
)
def test_classifiers_agree_and_are_counted(game: str) -> None:
    task: Task = {"game": game, "deal": 2 if game == "Hearts, moon" else 1, "seed": 1}
    result = measure_classifiers(task)
    assert not result["constant"]
    nodes = result["nodes"]
    assert all(nodes[f"shallow {name}"] <= nodes["max-n"] for name in TO_THE_END)
    assert nodes["branch-and-bound exact"] <= nodes["branch-and-bound upper"]
    report = report_classifiers([Measured(task, result, 0.0)])
    assert [table.title for table in report.tables] == [
        "speculative", "last-branch", "branch-and-bound", "shallow", "at a horizon",
    ]  # fmt: skip
    at_horizon = report.tables[-1]
    assert at_horizon.numbers("hull") <= at_horizon.numbers("linear") <= at_horizon.numbers("max-n")
    (row,) = report.tables[0].rows
    assert row[:3] == (game, 1, nodes["max-n"])
    assert set(get_args(RowFilter)) <= set(TO_THE_END)
