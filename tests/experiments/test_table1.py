"""Three tricks of Spades: the table enumerated from the rules equals the formula, row by row."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ggp.experiments.table1 import BIDS, PAPER, Three, measure, points, rules
from tests.experiments.conftest import Run

SHARED: list[Three] = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]


def ranked(bids: Three) -> dict[Three, Three]:
    """The ranks of each way to share the tricks out, by the formula alone."""
    worth = {tricks: points(bids, tricks) for tricks in SHARED}
    goals = [sorted({each[player] for each in worth.values()}) for player in range(3)]
    return {
        tricks: (goals[0].index(a), goals[1].index(b), goals[2].index(c))
        for tricks, (a, b, c) in worth.items()
    }


def measured(bids: Three) -> Any:
    return measure({"bids": " ".join(map(str, bids)), "rules": rules(bids)})


@pytest.fixture(scope="module")
def found() -> Any:
    return measured(BIDS)


def test_the_ten_rows_are_the_papers(found: Any) -> None:
    rows = {tuple(row["tricks"]): (row["points"], row["ranks"]) for row in found["rows"]}
    assert rows == {
        (3, 0, 0): ((14, 0, 0), (3, 0, 0)),
        (2, 1, 0): ((12, 13, 0), (1, 2, 0)),
        (2, 0, 1): ((15, 0, 0), (4, 0, 0)),
        (1, 2, 0): ((13, 12, 0), (2, 1, 0)),
        (1, 1, 1): ((13, 13, 0), (2, 2, 0)),
        (1, 0, 2): ((13, 0, 23), (2, 0, 1)),
        (0, 3, 0): ((0, 14, 0), (0, 3, 0)),
        (0, 2, 1): ((0, 15, 0), (0, 4, 0)),
        (0, 1, 2): ((0, 13, 23), (0, 2, 1)),
        (0, 0, 3): ((0, 0, 25), (0, 0, 2)),
    }
    assert (len(found["rows"]), found["maxsum"]) == (PAPER["rows"], PAPER["maxsum"]) == (10, 4)


def test_when_the_second_has_a_trick_the_daggered_rows_are_left(found: Any) -> None:
    exact = {tuple(row["tricks"]) for row in found["rows"] if row["exact"]}
    upper = {tuple(row["tricks"]) for row in found["rows"] if row["upper"]}
    literal = {tuple(row["tricks"]) for row in found["rows"] if row["literal"]}
    assert exact == {tricks for tricks in SHARED if tricks[1] >= 1}
    # Bounds from above cannot tell that the second has something already.
    assert upper - exact == {(1, 0, 2)}
    # The others can take two tricks at most, whatever these are worth.
    assert literal == {tricks for tricks in SHARED if tricks[0] <= 2 and tricks[2] <= 2}


def test_the_region_is_where_no_row_is_above_both_bounds(found: Any) -> None:
    ranks = [row["ranks"] for row in found["rows"]]
    for y, x in product(range(4), repeat=2):
        is_pruned = not any(a > x and b > y for a, b, _ in ranks)
        assert bool(found["region"][y][x]) == is_pruned
        assert (found["region"][y][x] == "linear") == (x + y >= found["maxsum"])
    by_table = [(x, y) for y, x in product(range(4), repeat=2) if found["region"][y][x] == "table"]
    assert by_table == [(2, 0), (3, 0), (2, 1), (0, 2), (1, 2), (0, 3)]


def test_only_these_bids_in_any_order_have_ten_rows_and_maxsum_4() -> None:
    fitting = set()
    for one, two, three in product(range(4), repeat=3):
        ranks = ranked((one, two, three)).values()
        if len(set(ranks)) == 10 and max(map(sum, ranks)) == 4:
            fitting.add((one, two, three))
    assert fitting == {(1, 1, 2), (1, 2, 1), (2, 1, 1)}


@pytest.mark.sample(2)
@pytest.mark.parametrize("bids", [(1, 2, 1), (3, 1, 1), (2, 2, 2)])
def test_with_other_bids_the_rows_are_the_formulas_too(bids: Three) -> None:
    found = measured(bids)
    expected = set(ranked(bids).values())
    assert {row["ranks"] for row in found["rows"]} == expected
    assert found["maxsum"] == max(map(sum, expected))


def test_the_command_shows_paper_and_ours_and_draws_the_regions(run: Run, tmp_path: Path) -> None:
    found = run("table1", "--json").json
    rows, table, region = found["tables"]
    assert all(row["points"] == row["by the formula"] for row in rows["rows"])
    assert table["rows"] == [
        {"": "rows", "paper": 10, "ours": 10},
        {"": "maxsum", "paper": 4, "ours": 4},
    ]
    assert [row["x = 3"] for row in region["rows"]] == ["linear", "linear", "linear", "table"]
    drawn = {path.name for path in (tmp_path / "results").glob("**/*.svg")}
    assert drawn == {"region.svg", "figure2.svg", "figure5.svg", "figure7.svg"}
