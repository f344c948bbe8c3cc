"""The algorithms that play any game to its end, as tests of all of them need it."""

from __future__ import annotations

from ggp.search import ALGORITHMS, Search

__all__ = ["TREE_SEARCHES"]

#: A planner, for one, takes games of one role only.
TREE_SEARCHES = [
    name for name, kind in ALGORITHMS.items() if isinstance(kind, type) and issubclass(kind, Search)
]
