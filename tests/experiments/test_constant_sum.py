"""Figures 2, 5 and 7: which bounds prune where the ranks have a constant sum."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree as ET

import pytest

from ggp.experiments.constant_sum import (
    MAXSUM,
    THIRD_HOLDS,
    constant_sum_table,
    drawings,
)

SVG = "{http://www.w3.org/2000/svg}"
UNIT = 44


def squares(picture: ET.Element, fill: str) -> set[tuple[int, int]]:
    found = (square for square in picture.iter(f"{SVG}rect") if square.get("fill") == fill)
    return {
        (int(float(square.attrib["x"])) // UNIT, int(float(square.attrib["y"])) // UNIT)
        for square in found
        if "x" in square.attrib
    }


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
    picture = ET.fromstring(drawings()[name])
    rows = constant_sum_table(players).vectors
    assert {sum(row) for row in rows} == {MAXSUM}
    dark, light = squares(picture, "#8a8a8a"), squares(picture, "#d8d8d8")
    for bounds in product(range(MAXSUM), repeat=2):
        total = sum(bounds) + sum(held)
        is_pruned = not any(
            all(rank > bound for rank, bound in zip(row, (*bounds, *held), strict=False))
            for row in rows
        )
        assert (bounds in dark) == (total >= MAXSUM)
        assert (bounds in light) == (is_pruned and total < MAXSUM)
        # Of k players with a bound each gets one more at least.
        assert is_pruned == (total > MAXSUM - 2 - len(held))


def test_the_dots_are_what_the_players_can_have() -> None:
    pictures = {name: ET.fromstring(picture) for name, picture in drawings().items()}
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
    pictures = {name: ET.fromstring(picture) for name, picture in drawings().items()}
    assert (5, 6) in squares(pictures["figure5.svg"], "#8a8a8a")
    assert (5, 3) in squares(pictures["figure7.svg"], "#8a8a8a")
