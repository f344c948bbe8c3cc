"""Learning a game before a match, for players."""

from ggp.players.learning.before_match import Learning
from ggp.players.learning.short_matches import search_of, try_net

__all__ = ["Learning", "search_of", "try_net"]
