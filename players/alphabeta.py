"""Plays by alpha-beta: the moves of minimax, looking further ahead in the same time."""

from __future__ import annotations

from ggp import search
from ggp.players.deepening import Deepening

__all__ = ["AlphaBeta"]


class AlphaBeta(Deepening):
    """Plays the move that gets the most if everybody else is against it."""

    search_class = search.AlphaBeta
