"""`ggp step`, and `ggp solve` on trees, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Here, here

__all__ = ["here"]

PROLOG = ("--reasoner", "prolog")
TREE = "P1[(1,2) P2[(0,1) (4,0)]]"


def test_all_steps_are_printed_where_there_is_no_terminal(here: Here, tmp_path: Path) -> None:
    found = here("step", "figure4", "--algorithm", "shallow", "--draw", tmp_path / "4.svg", *PROLOG)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert len(lines) == 9
    assert lines[5].strip() == "6    m2: P2 has 6 by m1: (\u22644, \u22656, \u22644)"
    assert "skips m2, shallow: bounds (5, 6, \u2013): 5 + 6 \u2265 maxsum 10" in lines[6]
    assert "P1 (\u22655, \u22645, \u22645)" in (tmp_path / "4.svg").read_text(encoding="utf-8")


def test_programs_get_the_steps(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "own.tree"
    path.write_text(TREE)
    found = here("step", path, "--json", *PROLOG).json
    # two roles: alpha-beta, whose first role gets 1 by its first move
    assert found["result"]["algorithm"] == "alphabeta"
    assert [step["kind"] for step in found["steps"]][-1] == "value"
    json.dumps(found)


def test_a_search_begins_from_any_role_and_depth(here: Here) -> None:
    found = here("step", "figure3", "--role", "P2", "--depth", "1", "--algorithm", "maxn", *PROLOG)
    assert found.code == 0
    assert "an estimate" in found.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tictactoe", "--algorithm", "minimax"), "more than 300 nodes"),
        (("figure3", "--role", "P9"), "no role 'P9'"),
        (("lesson_minimax", "--classifier", "hull"), "and not 'hull'"),
        (("nothing",), "no such file"),
    ],
)
def test_wrong_use_is_one_line(here: Here, arguments: tuple[str, ...], said: str) -> None:
    found = here("step", *arguments, *PROLOG)
    assert found.code != 0
    assert said in found.err
    assert "Traceback" not in found.err


def test_a_mistake_in_a_tree_is_pointed_at(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "bad.tree"
    path.write_text("P1[(1,2)\n (3)]")
    for command in ("solve", "step", "lvt"):
        found = here(command, path)
        assert found.code == 2
        assert "bad.tree:2:2" in found.err


def test_solve_takes_a_tree_and_draws_its_bounds(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "6.svg"
    chosen = ("--algorithm", "speculative", "--engine", "reference", "--draw", out)
    found = here("solve", "figure6", *chosen, *PROLOG)
    assert found.code == 0
    assert "speculative 1" in found.out
    texts = [text.text for text in ET.parse(out).getroot().iter() if text.tag.endswith("text")]
    assert "P1 (\u22655, \u22645, \u22645)" in texts
    assert "(\u22647, \u22647, \u22653)" in texts


def test_the_hull_is_a_classifier(here: Here, tmp_path: Path) -> None:
    # (1, 1) is a mean of (2, 0) and (0, 2), and no row is above it: the table alone prunes.
    path = tmp_path / "mean.tree"
    path.write_text("P1[(1,1) P2[(0,1) (3,0)] P2[(0,3) (3,0)]]")
    results = {}
    for classifier in ("hull", "lvt"):
        chosen = ("--algorithm", "shallow", "--engine", "reference", "--classifier", classifier)
        results[classifier] = here("solve", path, *chosen, "--json", *PROLOG).json
    assert results["hull"]["classifier"] == "hull"
    assert results["hull"]["exact"]
    assert results["hull"]["goals"] == results["lvt"]["goals"]
    assert results["hull"]["generated"] > results["lvt"]["generated"]
    refused = here("solve", path, "--classifier", "hull", *PROLOG)
    assert refused.code == 2
    assert "alphabeta: the classifier is one of none, sum, linear, lvt, and not" in refused.err
