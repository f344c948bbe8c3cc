"""Plays by bounded minimax: stops at a satisfactory result."""

from __future__ import annotations

from typing import Any

from ggp import search
from ggp.errors import PlayerError
from ggp.gdl import HIGHEST_GOAL
from ggp.players.deepening import Deepening

__all__ = ["Bounded"]


class Bounded(Deepening):
    """Plays the first move that gets `win` or more if all other roles play against it.

    If there is no such move, it plays the one that gets the most.
    """

    search_class = search.Bounded

    def __init__(self, *, win: float | None = None, lose: float = 0, **options: Any) -> None:
        """Configure the player.

        Args:
            win: the goal from which a result is satisfactory; None for more than half where two
                players have a fixed sum of goals, and else for the highest goal.
            lose: the goal down to which a result is lost.
            **options: as for `Deepening`.

        Raises:
            PlayerError: `lose` is not less than `win`, or as for `Deepening`.
        """
        super().__init__(**options)
        most = HIGHEST_GOAL if win is None else win
        if not lose < most:
            raise PlayerError(f"lose must be less than win, not {lose:g} and {most:g}")
        self._search_options |= {"win": win, "lose": lose}
