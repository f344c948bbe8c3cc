"""Plays by minimax: searches all lines as far ahead as the clock allows."""

from __future__ import annotations

from ggp.players.deepening import Deepening
from ggp.search import ALGORITHMS

__all__ = ["Minimax"]


class Minimax(Deepening):
    """Plays the move that gets the most if all other roles play against it."""

    algorithm = ALGORITHMS["minimax"]
