"""Plays by max-n: for games in which everybody is for themselves."""

from __future__ import annotations

from ggp import search
from players.deepening import Deepening

__all__ = ["MaxN"]


class MaxN(Deepening):
    """Plays the move that gets the most if everybody maximises the own goal."""

    search_class = search.MaxN
