"""OpenSpiel's own games count what ours count."""

from __future__ import annotations

import pytest

from benchmarks.arena.openspiel.games import GAMES
from benchmarks.arena.openspiel.perft import by_ggp, by_openspiel

pytest.importorskip("pyspiel")


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", sorted(GAMES, key=lambda game: game in ("hex", "y", "pentago")))
def test_paths_and_ends_by_depth(game: str) -> None:
    theirs = by_openspiel(GAMES[game], depth=4)
    assert [counts.depth for counts in theirs] == [0, 1, 2, 3, 4]
    assert by_ggp(GAMES[game], depth=4) == theirs


@pytest.mark.long
def test_ends_are_counted_with_their_goals() -> None:
    theirs = by_openspiel(GAMES["tic_tac_toe"], depth=10)
    assert sum(sum(counts.ends.values()) for counts in theirs if counts.ends) == 255_168
    assert theirs[9].paths == 127_872
    assert by_ggp(GAMES["tic_tac_toe"], depth=10) == theirs
