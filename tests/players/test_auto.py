"""The player `auto` searches as suits the number of players."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import PlayerContext, make_player
from ggp.players.auto import Auto
from ggp.reasoner import open_reasoner


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        ("eightpuzzle", "alphabeta"),
        ("nim", "alphabeta"),
        ("uptoten", "alphabeta"),
        ("pirates", "speculative"),
        ("spades4", "speculative"),
    ],
)
def test_only_among_three_players_and_more_each_plays_for_itself(game: str, algorithm: str) -> None:
    player = make_player("auto")
    assert isinstance(player, Auto)
    with open_reasoner(Description.load(game), kind="prolog") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
        assert player.search_class.algorithm == algorithm
        player.stop(None)
