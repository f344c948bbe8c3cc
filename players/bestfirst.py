"""Plays by best-first minimax: searches the line of best moves, wherever it leads."""

from __future__ import annotations

from ggp.players.growing import Growing
from ggp.search import ALGORITHMS

__all__ = ["BestFirst"]


class BestFirst(Growing):
    """Plays the move that the line of best moves went through most often.

    It is for games in which nothing is left to chance, and as good as its network. The options are
    those of `Searching`.
    """

    algorithm = ALGORITHMS["bestfirst"]
