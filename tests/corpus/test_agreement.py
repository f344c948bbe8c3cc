"""Machine code against Prolog: random playouts of the bundled games and of real rulesheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from tests.corpus.agreement import disagreements
from tests.corpus.oracle import CORPUS
from tests.games import bundled

#: Games that do not compile within the time of the sample are left to the full run.
SAMPLE = (
    "2pttc 3pConnectFour ad_game_2x2 biddingTicTacToe breakthrough checkers connectFour"
    " cubicup_3player firefighter god gt_staghunt hodgepodge kalaha5x2x3 pacman3p pentago"
    " quarto reversi ruleDepthExponential snake2p ticTacToe ttcc4 twisty-passages"
)

REAL = sorted(CORPUS.glob("*.kif"))


def agree(description: Description, *, steps: int, seconds: float) -> None:
    with (
        open_reasoner(description, kind="compiled") as compiled,
        open_reasoner(description, kind="prolog") as prolog,
    ):
        deadline = Deadline.after(seconds)
        found = [*disagreements(prolog, compiled, steps=steps, seed="agreement", deadline=deadline)]
    assert found == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", bundled.NAMES)
def test_bundled_games(name: str) -> None:
    agree(bundled.load(name), steps=100, seconds=5)


@pytest.mark.sample(1)
@pytest.mark.skipif(not REAL, reason=f"there is no {CORPUS}")
@pytest.mark.parametrize("name", SAMPLE.split())
def test_a_sample_of_real_games(name: str) -> None:
    agree(Description.load(CORPUS / f"{name}.kif"), steps=40, seconds=3)


@pytest.mark.long
@pytest.mark.parametrize("path", REAL, ids=[path.stem for path in REAL])
def test_all_real_games(path: Path) -> None:
    agree(Description.load(path), steps=300, seconds=8)
