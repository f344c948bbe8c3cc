"""Monte-Carlo tree search that proves values: the reference, on any reasoner."""

from __future__ import annotations

from ggp.search.mcts.search import TreeSearch
from ggp.search.mcts.settings import TreeSettings

__all__ = ["TreeSearch", "TreeSettings"]
