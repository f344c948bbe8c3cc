"""Plays by best-first minimax: searches the line of best moves, wherever it leads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ggp import search
from ggp.deadline import Deadline
from ggp.players.searching import Searching
from ggp.search import SearchResult

__all__ = ["BestFirst"]


class BestFirst(Searching):
    """Plays the move that the line of best moves went through most often.

    It is for games in which nothing is left to chance, and as good as its network. The tree is kept
    from move to move.
    """

    search_class = search.BestFirst
    defence_class = search.AlphaBeta

    def __init__(self, **options: Any) -> None:
        """Configure the player; the options are those of `Searching`."""
        super().__init__(**options)

    def _is_lost(self, result: SearchResult, lowest: float) -> bool:
        return result.exact and result.value == lowest

    def _searched(
        self,
        node: int,
        deadline: Deadline,
        *,
        is_urgent: bool,  # noqa: ARG002 - the first expansions are over at once
    ) -> Iterator[SearchResult]:
        """Search by the reference until the engine can take over."""
        if not self._has_engine():
            until = deadline.until(self._has_engine)
            for result in self._thinking.counted(self._search.deepen(node, deadline=until)):
                yield result
                if result.exact:
                    return
        if self._engine is not None and not deadline.is_over:
            searcher = self._engine if self._engine.takes(node) else self._search
            yield from self._thinking.counted(searcher.deepen(node, deadline=deadline))
