"""Learning a game for players: before a match, or outside of one."""

from ggp.players.learning.before_match import Learning
from ggp.players.learning.offline import Course, learn_offline
from ggp.players.learning.short_matches import try_net

__all__ = ["Course", "Learning", "learn_offline", "try_net"]
