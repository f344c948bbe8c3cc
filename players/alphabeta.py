"""Plays by alpha-beta: chooses as minimax does, but searches deeper in the same time."""

from __future__ import annotations

from ggp import search
from ggp.players.deepening import Deepening

__all__ = ["AlphaBeta"]


class AlphaBeta(Deepening):
    """Plays the move that gets the most if all other roles play against it."""

    search_class = search.AlphaBeta
