"""Plays by the search that suits the number of players."""

from __future__ import annotations

from ggp import search
from ggp.deadline import Deadline
from ggp.gdl import RANDOM
from ggp.match import PlayerContext
from ggp.players.deepening import Deepening

__all__ = ["Auto"]


class Auto(Deepening):
    """Plays as `maxn` in games of three players and more, and as `alphabeta` in all others.

    Among three players, max-n with the leaf-value table gets as much as alpha-beta, for which all
    others play against it, or more (docs/search.md has the matches).
    """

    search_class: search.SearchAlgorithm = search.AlphaBeta

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Choose the search, and begin to search from the initial state."""
        players = [role for role in context.reasoner.roles if str(role) != RANDOM]
        self.search_class = search.Speculative if len(players) > 2 else search.AlphaBeta
        super().start(context, deadline)
