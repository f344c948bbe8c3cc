"""`ggp experiment deal`: what it writes, and how it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.rulesheet import rulesheet
from tests.cli.conftest import Here


def test_it_prints_a_rulesheet(here: Here) -> None:
    run = here("experiment", "deal", "--cards", "3", "--seed", "7", "--number", "2")
    assert (run.code, run.err) == (0, "")
    assert run.out == rulesheet(deal("spades", cards=3, seed=7, number=2))


@pytest.mark.long
def test_it_writes_a_file_that_can_be_solved(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "oh.kif"
    options = ("--game", "ohhell", "--cards", "2", "--bids", "0 1 2", "--free-leads")
    run = here("experiment", "deal", *options, "--rank-equivalent", "none", "--output", path)
    assert (run.code, run.out, run.err) == (0, "", "")
    assert path.read_text(encoding="utf-8") == rulesheet(
        deal("ohhell", cards=2, bids=(0, 1, 2)), breaking=False, rank_equivalent="none"
    )
    solved = here("solve", path, "--algorithm", "speculative", "--json")
    assert solved.code == 0
    assert solved.json["exact"]


@pytest.mark.long
def test_one_line_makes_another_evaluation(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "spades.kif"
    text = here("experiment", "deal", "--cards", "3").out
    *rest, last = text.splitlines()
    assert last == "    (worth mot ?player ?goal))"
    path.write_text("\n".join([*rest, "    (worth wl ?player ?goal))"]), encoding="utf-8")
    written = here("experiment", "deal", "--cards", "3", "--evaluation", "wl").out
    assert path.read_text(encoding="utf-8").split(";; Goals")[0] == written.split(";; Goals")[0]
    goals = {
        tuple(row["goals"])
        for row in here("lvt", path, "--seconds", "300", "--json").json["entries"]
    }
    assert {goal for row in goals for goal in row} == {0, 100}


def test_it_says_the_cards_in_json(here: Here) -> None:
    run = here("experiment", "deal", "--game", "hearts", "--players", "2", "--cards", "4", "--json")
    dealt = deal("hearts", players=2, cards=4)
    assert run.json == {
        "game": "hearts",
        "hands": {
            role: [str(card) for card in hand]
            for role, hand in zip(dealt.roles, dealt.hands, strict=True)
        },
        "bids": [],
        "rules": rulesheet(dealt),
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cards", "18"], "18 cards for each of 3 players; there can be 1 to 17"),
        (["--players", "5"], "5 players; there can be 2 to 4"),
        (["--bids", "1 x 2"], "--bids: whole numbers, one for each player"),
        (["--bids", "1 2"], "bids 1 2; one for each player, from 0 to 9"),
        (["--evaluation", "few"], "no evaluation 'few'; there are mot, mt, momb, smot, wl, oh"),
        (["--output", "/no/such/folder/x.kif"], "/no/such/folder/x.kif: No such file or directory"),
    ],
)
def test_wrong_use_is_one_line(here: Here, options: list[str], message: str) -> None:
    run = here("experiment", "deal", *options)
    assert run.code in (1, 2)
    assert run.out == ""
    assert message in run.err.splitlines()[-1]
