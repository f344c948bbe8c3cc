"""The common base of the players whose search grows a tree."""

from __future__ import annotations

from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import PossibleStates
from ggp.players.searching import Searching
from ggp.reasoner import State
from ggp.search import ALGORITHMS, Limit, RatesMoves, Searcher, SearchResult

__all__ = ["Growing"]


class Growing(Searching):
    """Plays the move that its search goes through most often.

    The tree is kept from move to move.
    """

    defence = ALGORITHMS["alphabeta"]
    #: The searcher that has found something in this turn.
    _rated: Searcher | None = None

    def policy(self) -> dict[Term, float]:
        """Return how often the search made each move; nothing if there was no time for any.

        Nothing either after `moves_among`.
        """
        searcher = self._rated
        if searcher is None:
            return {}
        assert isinstance(searcher, RatesMoves)
        return {move: float(count) for move, count in searcher.move_visits().items()}

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the move that is preferred, whenever it changes."""
        self._rated = None
        yield from super().moves(state, deadline)

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield moves as `Searching` does; `policy` says nothing of them."""
        self._rated = None
        yield from super().moves_among(possible, deadline)

    def _is_lost(self, result: SearchResult, lowest: float) -> bool:
        # a mean or an estimate may be the lowest goal, and nothing lost
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
            until = deadline.until(self._has_engine)
            for result in self._visited(self._search, node, until):
                yield result
                if result.exact:
                    return
        if self._engine is not None and not deadline.is_over:
            yield from self._visited(self._taker(node), node, deadline)

    def _taker(self, node: int) -> Searcher:
        """Return the engine if it takes a node, else the reference."""
        engine = self._engine
        return self._search if engine is None or not engine.takes(node) else engine

    def _visited(
        self, searcher: Searcher, node: int, deadline: Deadline, visits: int | None = None
    ) -> Iterator[SearchResult]:
        """Search a node, until the deadline or a number of visits."""
        results = searcher.deepen(node, Limit(nodes=visits, deadline=deadline))
        for result in self._thinking.counted(results):
            self._rated = searcher
            yield result
