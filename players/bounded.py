"""Plays by bounded minimax: stops at a satisfactory result."""

from __future__ import annotations

from typing import Any

from ggp.errors import PlayerError
from ggp.players.deepening import Deepening
from ggp.search import ALGORITHMS, BoundedOptions

__all__ = ["Bounded"]


class Bounded(Deepening):
    """Plays the first move that gets `win` or more if all other roles play against it.

    If there is no such move, it plays the one that gets the most.
    """

    algorithm = ALGORITHMS["bounded"]

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
        try:
            self._options = BoundedOptions(win=win, lose=lose)
        except ValueError as error:
            raise PlayerError(str(error)) from None
