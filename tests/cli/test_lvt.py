"""`ggp lvt`: what it prints, what it draws, and how it refuses."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ggp.kif import Symbol
from ggp.search.leaf_values import LeafValue, LeafValueTable, region_svg
from tests.cli.conftest import Here
from tests.search.maxn.trick_games import in_turn

SVG = "{http://www.w3.org/2000/svg}"


def test_it_says_everything_in_json(here: Here) -> None:
    run = here("lvt", "pirates", "--json", "--level", "1")
    assert (run.code, run.err) == (0, "")
    assert set(run.json) == {
        "roles", "level", "complete", "entries", "maxsum", "constant_sum", "takes_turns",
        "decisions",
    }  # fmt: skip
    assert run.json["roles"] == ["captain", "mate", "cook"]
    assert (run.json["level"], run.json["maxsum"], run.json["constant_sum"]) == (1, 15, False)
    assert len(run.json["entries"]) == 216
    assert run.json["entries"][7] == {
        "outcome": "(goal captain 0) (goal mate 20) (goal cook 20)",
        "goals": [0, 20, 20],
        "ranks": [0, 1, 1],
    }


def test_it_keeps_to_the_rules_if_not_told_otherwise(here: Here) -> None:
    run = here("lvt", "nim", "--json")
    assert (run.code, run.err) == (0, "")
    assert run.json == {
        "roles": ["first", "second"],
        "level": 2,
        "complete": True,
        "entries": [
            {
                "outcome": "(goal first 0) (goal second 100)",
                "goals": [0, 100],
                "ranks": [0, 1],
            },
            {
                "outcome": "(goal first 100) (goal second 0)",
                "goals": [100, 0],
                "ranks": [1, 0],
            },
        ],
        "maxsum": 1,
        "constant_sum": True,
        "takes_turns": True,
        # Each role holds nothing, 0 or 100. Where both hold 0, only the table knows better.
        "decisions": {"bounds": 9, "table": 6, "sum": 5},
    }


@pytest.mark.long
def test_it_prints_for_people(here: Here) -> None:
    run = here("lvt", "centipede")
    assert run.code == 0
    assert "ann: 10 15 20 25 30 50 60" in run.out
    assert "level 2: 7 rows, maxsum 14, no constant sum" in run.out
    assert "level 2: 3 rows, maxsum 2, constant sum" in here("lvt", "tictactoe").out


@pytest.mark.long
def test_it_says_what_a_goal_counts(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "tricks.kif"
    path.write_text(in_turn(3))
    run = here("lvt", str(path))
    assert run.code == 0
    assert "the goal of bob counts (took bob 0) to (took bob 3)" in run.out


def test_time_that_is_too_short_leaves_level_1(
    here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))  # nothing has been found before
    run = here("lvt", "pirates", "--seconds", "0.001")
    assert run.code == 0
    assert "level 1: 216 rows, maxsum 15, no constant sum" in run.out
    assert "and 186 more" in run.out


@pytest.mark.long
def test_it_refuses_to_print_millions_of_rows(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "many.kif"
    roles = "(role a) (role b) (role c)"
    path.write_text(f"{roles} (<= (goal ?r ?n) (role ?r) (not (true (used ?n))))")
    run = here("lvt", str(path), "--json")
    assert (run.code, run.out) == (2, "")
    assert "the table has 1,030,301 rows" in run.err
    assert "level 1: 1,030,301 rows" in here("lvt", str(path)).out


@pytest.mark.long
def test_it_draws_what_two_roles_can_get(here: Here, tmp_path: Path) -> None:
    game, picture = tmp_path / "tricks.kif", tmp_path / "tricks.svg"
    game.write_text(in_turn(3))
    run = here("lvt", str(game), "--json", "--plot", str(picture), "--axes", "cid", "ann")
    assert (run.code, run.err, len(run.json["entries"])) == (0, "", 10)
    root = ElementTree.fromstring(picture.read_text())
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "ranks of cid and ann, maxsum 3"
    # Ten rows, and no two of them with the same ranks of two roles.
    assert len(list(root.iter(f"{SVG}circle"))) == 10
    assert {text.text for text in root.iter(f"{SVG}text")} == {"0", "1", "2", "3", "cid", "ann"}


def test_the_picture_tells_what_is_pruned() -> None:
    # No row is above (1, 0) or (0, 1), which the linear test cannot tell: (2, 1) is over the sum,
    # but it is the bounds that it adds up.
    rows = tuple(
        LeafValue(f"row {n}", ranks, ranks) for n, ranks in enumerate([(0, 2), (1, 1), (2, 0)])
    )
    goals = ((0, 1, 2), (0, 1, 2))
    made = LeafValueTable((Symbol("a"), Symbol("b")), goals, found=rows)
    assert grey(made) == {(0, 0)}
    wide = LeafValueTable((Symbol("a"), Symbol("b")), goals)
    assert grey(wide) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    high = (*rows, LeafValue("row 3", (1, 2), (1, 2)))
    uneven = LeafValueTable((Symbol("a"), Symbol("b")), goals, found=high)
    assert grey(uneven) == {(0, 0), (0, 1)}


def grey(table: LeafValueTable) -> set[tuple[int, int]]:
    """The bounds that do not prune."""
    root = ElementTree.fromstring(region_svg(table, 0, 1))
    unit = 220  # two steps along each axis
    return {
        (int(float(square.attrib["x"])) // unit, int(float(square.attrib["y"])) // unit)
        for square in root.iter(f"{SVG}rect")
        if "x" in square.attrib
    }


def test_names_with_special_characters_are_drawn() -> None:
    made = LeafValueTable((Symbol("<a>"), Symbol("b&c")), ((0, 1), (0, 1)))
    texts = [
        text.text for text in ElementTree.fromstring(region_svg(made, 0, 1)).iter(f"{SVG}text")
    ]
    assert "<a>" in texts
    assert "b&c" in texts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nim", "--level", "3"], "--level"),
        (["nim", "--seconds", "0"], "--seconds"),
        (["nim", "--plot", "x.svg", "--axes", "first", "third"], "no role third"),
        (["nim", "--plot", "x.svg", "--axes", "first", "first"], "cannot be both"),
        (["lightsout", "--plot", "x.svg"], "only one role"),
        (["nim", "--level", "1", "--plot", "no/such/folder/x.svg"], "No such file or directory"),
    ],
)
def test_wrong_use_is_one_line(here: Here, arguments: list[str], message: str) -> None:
    run = here("lvt", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert "Traceback" not in run.err
