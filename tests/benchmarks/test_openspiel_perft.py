"""OpenSpiel's own games count what ours count."""

from __future__ import annotations

import pytest

from benchmarks.arena.openspiel.games import GAMES
from benchmarks.arena.openspiel.perft import by_ggp, by_openspiel

pytest.importorskip("pyspiel")


@pytest.mark.sample(5)
@pytest.mark.parametrize("game", sorted(GAMES))
def test_paths_and_ends_by_depth(game: str) -> None:
    theirs = by_openspiel(GAMES[game], depth=4, most=3000)
    assert len(theirs) > 1
    assert by_ggp(GAMES[game], depth=len(theirs) - 1) == theirs


def test_ends_are_counted_with_their_goals() -> None:
    theirs = by_openspiel(GAMES["tic_tac_toe"], depth=9, most=10_000)
    assert sum(sum(counts.ends.values()) for counts in theirs) == 255_168
    assert by_ggp(GAMES["tic_tac_toe"], depth=9) == theirs
