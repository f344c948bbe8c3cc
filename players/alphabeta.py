"""Plays by alpha-beta: chooses as minimax does, but searches deeper in the same time."""

from __future__ import annotations

from typing import Any

from ggp.errors import PlayerError
from ggp.players.deepening import Deepening
from ggp.search import ALGORITHMS

__all__ = ["AlphaBeta"]


class AlphaBeta(Deepening):
    """Plays the move that gets the most if all other roles play against it."""

    algorithm = ALGORITHMS["alphabeta"]

    def __init__(self, *, threads: int | None = None, **options: Any) -> None:
        """Configure the player.

        Args:
            threads: how many threads search together; None for one on each core that is free when a
                turn begins.
            **options: as for `Deepening`.

        Raises:
            PlayerError: an option is out of its range.
        """
        super().__init__(**options)
        if threads is not None and threads < 1:
            raise PlayerError("threads must be at least 1")
        self._threads = threads
