"""Plays by bounded minimax: stops at a satisfactory result."""

from __future__ import annotations

from typing import Any

from ggp import search
from ggp.errors import PlayerError
from ggp.players.deepening import Deepening

__all__ = ["Bounded"]


class Bounded(Deepening):
    """Plays the first move that gets `win` or more if all other roles play against it.

    If there is no such move, it plays the one that gets the most.
    """

    search_class = search.Bounded

    def __init__(self, *, win: float = 100, lose: float = 0, **options: Any) -> None:
        """Configure the player.

        Args:
            win: the goal from which a result is satisfactory.
            lose: the goal down to which a result is lost.
            **options: as for `Deepening`.

        Raises:
            PlayerError: `lose` is not less than `win`, or as for `Deepening`.
        """
        super().__init__(**options)
        if not lose < win:
            raise PlayerError(f"lose must be less than win, not {lose:g} and {win:g}")
        self._search_options |= {"win": win, "lose": lose}
