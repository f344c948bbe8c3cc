"""Three tricks of Spades: the table enumerated from the rules equals the formula, row by row."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ggp.experiments.table1 import (
    BIDS,
    MAXSUM,
    PAPER,
    THIRD_HOLDS,
    Three,
    constant_sum_regions,
    constant_sum_table,
    measure,
    points,
    rules,
)
from tests.experiments.conftest import Run

SVG = "{http://www.w3.org/2000/svg}"
#: Between two ranks, in the drawings of ranks from 0 to 10.
UNIT = 44

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


@pytest.mark.long
@pytest.mark.parametrize("bids", [(1, 2, 1), (3, 1, 1), (2, 2, 2)])
def test_with_other_bids_the_rows_are_the_formulas_too(bids: Three) -> None:
    found = measured(bids)
    expected = set(ranked(bids).values())
    assert {row["ranks"] for row in found["rows"]} == expected
    assert found["maxsum"] == max(map(sum, expected))


@pytest.mark.long
def test_the_command_shows_paper_and_ours_and_draws_the_regions(run: Run, tmp_path: Path) -> None:
    found = run("table1", "--json").json
    rows, table, region = found["tables"]
    assert all(row["points"] == row["by the formula"] for row in rows["rows"])
    assert table["rows"] == [
        {"": "rows", "paper": 10, "ours": 10},
        {"": "maxsum", "paper": 4, "ours": 4},
    ]
    assert [row["x = 3"] for row in region["rows"]] == ["linear", "linear", "linear", "table"]
    region = ET.fromstring((tmp_path / "results" / "region.svg").read_text())
    # Figure 8: everything but these is pruned, and the line ends where a player has 4.
    edge = {path.get("d") for path in region.iter(f"{SVG}path") if path.get("class") == "linear"}
    assert edge == {"M0,440 L440,0"}
    cells = {
        (float(square.attrib["x"]) // 110, float(square.attrib["y"]) // 110)
        for square in region.iter(f"{SVG}rect")
        if "x" in square.attrib
    }
    assert cells == {(0, 0), (0, 1), (1, 0), (1, 1)}
    texts = " ".join(text.text or "" for text in region.iter(f"{SVG}text"))
    assert "x + y = 4 (maxsum)" in texts
    drawn = {path.name for path in (tmp_path / "results").glob("**/*.svg")}
    assert drawn == {"region.svg", "figure2.svg", "figure5.svg", "figure7.svg"}


# Figures 2, 5 and 7: ranks with a constant sum


def grey(picture: ET.Element) -> set[tuple[int, int]]:
    """The bounds that do not prune."""
    return {
        (int(float(square.attrib["x"])) // UNIT, int(float(square.attrib["y"])) // UNIT)
        for square in picture.iter(f"{SVG}rect")
        if "x" in square.attrib
    }


def line(picture: ET.Element) -> tuple[float, float, float, float]:
    """The ends of the line of the linear test, in ranks."""
    (path,) = (path for path in picture.iter(f"{SVG}path") if path.get("class") == "linear")
    numbers = re.findall(r"[-\d.]+", path.attrib["d"])
    x1, y1, x2, y2 = (float(number) / UNIT for number in numbers)
    return x1, y1, x2, y2


def dots(picture: ET.Element) -> set[tuple[int, int]]:
    return {
        (round(float(dot.attrib["cx"])) // UNIT, round(float(dot.attrib["cy"])) // UNIT)
        for dot in picture.iter(f"{SVG}circle")
    }


@pytest.mark.parametrize(
    ("name", "players", "held"),
    [("figure2.svg", 2, ()), ("figure5.svg", 3, ()), ("figure7.svg", 3, (THIRD_HOLDS,))],
)
def test_the_linear_test_prunes_at_the_sum_and_the_table_wherever_no_row_is_above(
    name: str, players: int, held: tuple[int, ...]
) -> None:
    picture = ET.fromstring(constant_sum_regions()[name])
    rows = constant_sum_table(players).vectors
    assert {sum(row) for row in rows} == {MAXSUM}
    searched = grey(picture)
    x1, y1, x2, y2 = line(picture)
    assert x1 + y1 == x2 + y2 == MAXSUM - sum(held)
    for bounds in product(range(MAXSUM), repeat=2):
        total = sum(bounds) + sum(held)
        is_pruned = not any(
            all(rank > bound for rank, bound in zip(row, (*bounds, *held), strict=False))
            for row in rows
        )
        assert (bounds in searched) == (not is_pruned)
        assert is_pruned or total < MAXSUM
        # Of k players with a bound each gets one more at least.
        assert is_pruned == (total > MAXSUM - 2 - len(held))


def test_the_dots_are_what_the_players_can_have() -> None:
    pictures = {name: ET.fromstring(picture) for name, picture in constant_sum_regions().items()}
    pairs = list(product(range(MAXSUM + 1), repeat=2))
    assert dots(pictures["figure2.svg"]) == {(x, y) for x, y in pairs if x + y == MAXSUM}
    assert dots(pictures["figure5.svg"]) == {(x, y) for x, y in pairs if x + y <= MAXSUM}
    left = MAXSUM - THIRD_HOLDS
    assert dots(pictures["figure7.svg"]) == {(x, y) for x, y in pairs if x + y < left}
    titles = [picture.findtext(f"{SVG}title") for picture in pictures.values()]
    assert titles == [
        "ranks of p1 and p2, maxsum 10",
        "ranks of p1 and p2, maxsum 10",
        "ranks of p1 and p2, maxsum 10, p3 holds 3",
    ]


def test_the_papers_bounds_are_pruned_by_the_linear_test() -> None:
    # (5, 6) of Figure 4, and (5, 3, 3) of Figure 6.
    pictures = {name: ET.fromstring(picture) for name, picture in constant_sum_regions().items()}
    assert (5, 6) not in grey(pictures["figure5.svg"])
    assert (5, 3) not in grey(pictures["figure7.svg"])
    assert sum(line(pictures["figure5.svg"])[:2]) < 5 + 6
    assert sum(line(pictures["figure7.svg"])[:2]) < 5 + 3
