"""Real rulesheets and bundled games: what is reported is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.gdl.check import check
from ggp.kif import Source
from tests.gdl.sheets import codes_of

PROJECT = Path(__file__).parents[2]
CORPUS = sorted((PROJECT.parent / "shared" / "corpus").glob("*.kif"))

#: Warnings that are common in games written by hand, and no sign of a slip.
COMMON = {"no-base", "no-input", "unused-relation", "relation-and-function"}
#: Live games that say something twice; three of them were made by a program.
REPETITIVE = {
    "duplicateStateMedium.kif": {"duplicate-condition", "duplicate-statement"},
    "stateSpaceLarge.kif": {"duplicate-condition"},
    "stateSpaceMedium.kif": {"duplicate-condition"},
    "hidato19.kif": {"duplicate-statement"},
    "ttcc4_2player.kif": {"duplicate-statement"},
}
#: Live games that begin with an empty state.
EMPTY = {"gt_two_thirds_4p.kif", "sudoku.kif"}


@pytest.mark.sample(15)
@pytest.mark.skipif(not CORPUS, reason="the collection of real rulesheets is not here")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_real_rulesheet_has_no_unexpected_finding(path: Path) -> None:
    findings = check(Source.read(path))
    assert not [finding for finding in findings if finding.severity == "error"]
    expected = {"missing-init"} if path.name in EMPTY else REPETITIVE.get(path.name, set())
    assert codes_of(findings) - COMMON == expected, "\n".join(map(str, findings))


@pytest.mark.parametrize("path", sorted((PROJECT / "games").glob("*.kif")), ids=lambda p: p.stem)
def test_a_bundled_game_has_no_finding(path: Path) -> None:
    assert check(Source.read(path)) == []
