"""Plays by tree search, and proves positions by a search to the end of the game where it can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.gdl import RANDOM
from ggp.match import PlayerContext
from ggp.players.mcts import Mcts
from ggp.players.searching import SEARCH_ERRORS
from ggp.search import ALGORITHMS, LeafValueTable, Limit, Searcher, SearchOptions, SearchResult

__all__ = ["Proving"]

# The share of the time for a move in which a search to the end of the game may prove it, at first
# and at most.
_FIRST, _MOST = 0.1, 0.5
# Megabytes of the transposition table of that search.
_MEMORY = 64


class Proving(Mcts):
    """Plays as `Mcts`, but first searches to the end of the game for a part of the time.

    The search is alpha-beta for two players whose interests are opposed, and speculative pruning of
    max-n for all others who take turns: there the leaf-value table decides, for the bounds of
    several players together, what can be left out. Near the end it proves positions sooner than a
    tree search.

    It gets a small part of the time as long as nothing comes of it; half of it where it has proven
    the last position, or where it is on course to be through with this one in that time. If it then
    is not, it gets no more than the small part until it has proven a position again.
    """

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Begin to search from the initial state."""
        self._players = sum(str(role) != RANDOM for role in context.reasoner.roles)
        self._share, self._is_trusted = _FIRST, True
        super().start(context, deadline)

    def _use(self, leaf_values: LeafValueTable) -> None:
        super()._use(leaf_values)
        plays_for_itself = self._players > 2 or _share_interests(leaf_values)
        self._proving = ALGORITHMS["speculative" if plays_for_itself else "alphabeta"]
        self._prover: Searcher | None = None

    def _searched(
        self, node: int, deadline: Deadline, *, is_urgent: bool
    ) -> Iterator[SearchResult]:
        if is_urgent and self._has_engine() and self._engine is not None:
            yield self._thinking.count(self._engine.run(node, Limit(nodes=1, deadline=deadline)))
        if not self._has_prover():
            # the tree search goes on until there is machine code that proves
            until = deadline.until(self._has_prover)
            for result in super()._searched(node, until, is_urgent=is_urgent):
                yield result
                if result.exact:
                    return
        proven = self._proven(node, deadline)
        if proven is not None:
            yield proven
        else:
            yield from super()._searched(node, deadline, is_urgent=is_urgent)

    def _has_prover(self) -> bool:
        """Return whether there is machine code for the search to the end of the game."""
        if self._prover is None:
            options = SearchOptions(role=self.context.index, leaf_values=self._table)
            resources = Resources(
                table_bytes=_MEMORY << 20, threads=self._threads, deadline=Deadline(0.0)
            )
            self._prover = engine_search(self._graph, self._proving, options, resources)
        return self._prover is not None

    def _proven(self, node: int, deadline: Deadline) -> SearchResult | None:
        """Return the proven value of a node, and its move, if they are found in a part of the time.

        Args:
            node: the node.
            deadline: when the whole time is over.
        """
        most = deadline.part(_MOST)
        result = self._searched_to_the_end(node, deadline.part(self._share))
        if result is None:
            return None
        # at this rate the search takes share / progress of the time
        if self._is_trusted and not result.exact and result.progress * _MOST >= self._share:
            result = self._searched_to_the_end(node, most) or result
            # it has kept its promise, or something else has ended it
            self._is_trusted = result.exact or deadline.is_over
        is_proven = result.exact and self._is_sure(result)
        self._share = _MOST if is_proven else _FIRST
        self._is_trusted |= is_proven
        return result if is_proven else None

    def _is_sure(self, result: SearchResult) -> bool:
        """Return whether an exact value is that of the game.

        Where roles choose at once these searches are pessimistic: only the best goal is sure.
        """
        return self._table.takes_turns or result.value == self._best

    def _searched_to_the_end(self, node: int, deadline: Deadline) -> SearchResult | None:
        """Search a node to the end of the game, as far as time permits; None if that cannot be."""
        if not self._has_prover() or self._prover is None or not self._prover.takes(node):
            return None
        with suppress(*SEARCH_ERRORS):  # what is too large may be far ahead
            return self._thinking.count(self._prover.run(node, Limit(deadline=deadline)))
        return None


def _share_interests(leaf_values: LeafValueTable) -> bool:
    """Return whether two players who take turns are known to share some interests.

    Their interests are opposed if whatever is better for one is worse for the other, so that their
    ranks add up to the same in all outcomes. A table that is not complete does not say so.
    """
    if leaf_values.known != "complete" or not leaf_values.takes_turns:
        return False
    return len({sum(row.ranks) for row in leaf_values}) > 1
