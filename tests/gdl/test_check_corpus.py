"""Real rulesheets and bundled games: every error that is reported is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.gdl.check import check
from ggp.kif import Source
from tests.gdl.sheets import codes_of

PROJECT = Path(__file__).parents[2]
CORPUS = sorted((PROJECT.parent / "shared" / "corpus").glob("*.kif"))

#: Live games with a real fault: nothing holds in their first state, for want of any `init`.
FAULTY = {"gt_two_thirds_4p.kif": {"missing-init"}, "sudoku.kif": {"missing-init"}}


@pytest.mark.sample(15)
@pytest.mark.skipif(not CORPUS, reason="the collection of real rulesheets is not here")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_real_rulesheet_has_no_unexpected_error(path: Path) -> None:
    errors = [finding for finding in check(Source.read(path)) if finding.severity == "error"]
    assert codes_of(errors) == FAULTY.get(path.name, set()), "\n".join(map(str, errors))


@pytest.mark.parametrize("path", sorted((PROJECT / "games").glob("*.kif")), ids=lambda p: p.stem)
def test_a_bundled_game_has_no_finding(path: Path) -> None:
    assert check(Source.read(path)) == []
