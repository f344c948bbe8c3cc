"""Plays by Monte-Carlo tree search, which proves values where it can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ggp import search
from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.players.searching import Searching, Sooner
from ggp.search import SearchResult, TreeSettings

__all__ = ["Mcts"]


class Mcts(Searching):
    """Plays the move that a tree search of random playouts visits most.

    The tree is kept from move to move.
    """

    search_class = search.TreeSearch
    defence_class = search.AlphaBeta

    def __init__(
        self,
        *,
        exploration: float = TreeSettings().exploration,
        blend: float = TreeSettings().blend,
        playouts: int | None = None,
        threshold: int = 1,
        seed: int = 0,
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Configure the player.

        Args:
            exploration: as for `ggp.search.TreeSettings`, like the rest.
            blend: see there.
            playouts: see there.
            threshold: see there.
            seed: see there.
            threads: see there.
            **options: as for `Searching`.

        Raises:
            PlayerError: an option is out of its range.
        """
        super().__init__(**options)
        given: dict[str, Any] = {
            "exploration": exploration,
            "blend": blend,
            "playouts": playouts,
            "threshold": threshold,
            "seed": seed,
            "threads": threads,
        }
        try:
            TreeSettings(**given)
        except ValueError as error:
            raise PlayerError(str(error)) from None
        self._search_options |= given

    def _is_lost(self, result: SearchResult, lowest: float) -> bool:
        # a mean may be the lowest goal by chance
        return result.exact and result.value == lowest

    def _searched(
        self,
        node: int,
        deadline: Deadline,
        *,
        is_urgent: bool,  # noqa: ARG002 - the first visits are over at once
    ) -> Iterator[SearchResult]:
        """Search by the reference until the engine can take over."""
        if not self._has_engine():
            until = Sooner(deadline=deadline, is_due=self._has_engine)
            for result in self._search.deepen(node, deadline=until):
                yield result
                if result.exact:
                    return
        if self._engine is not None and not deadline.is_over:
            searcher = self._engine if self._engine.takes(node) else self._search
            yield from searcher.deepen(node, deadline=deadline)
