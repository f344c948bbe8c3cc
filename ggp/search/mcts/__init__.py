"""Monte-Carlo tree search that proves values: the reference, on any reasoner."""

from __future__ import annotations

from ggp.search.mcts.options import TreeOptions
from ggp.search.mcts.search import TreeSearch

__all__ = ["TreeOptions", "TreeSearch"]
