"""Plays by tree search, and proves positions by a search to the end of the game where it can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ggp import search
from ggp.deadline import Deadline
from ggp.engine import engine_search
from ggp.gdl import RANDOM
from ggp.match import PlayerContext
from ggp.players.mcts import Mcts
from ggp.players.searching import OUTGROWN
from ggp.search import LeafValueTable, SearchAlgorithm, Searcher, SearchResult

__all__ = ["Proving"]

# The share of the time for a move in which a search to the end of the game may prove it: it is
# larger if such a search has been successful before.
_FIRST, _AGAIN = 0.1, 0.25
# Megabytes of the transposition table of that search.
_MEMORY = 64


class Proving(Mcts):
    """Plays as `Mcts`, but first searches to the end of the game for a part of the time.

    The search is alpha-beta for two players and max-n for more, where the leaf-value table decides
    what can be left out. Near the end it proves positions sooner than a tree search.
    """

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Begin to search from the initial state."""
        players = [role for role in context.reasoner.roles if str(role) != RANDOM]
        self._prover_class: SearchAlgorithm = (
            search.Speculative if len(players) > 2 else search.AlphaBeta
        )
        self._share = _FIRST
        super().start(context, deadline)

    def _use(self, leaf_values: LeafValueTable) -> None:
        super()._use(leaf_values)
        self._prover: Searcher | None = None

    def _searched(
        self, node: int, deadline: Deadline, *, is_urgent: bool
    ) -> Iterator[SearchResult]:
        if is_urgent and self._has_engine() and self._engine is not None:
            yield self._thinking.count(self._engine.run(node, nodes=1, deadline=deadline))
        proven = self._proven(node, deadline.part(self._share))
        self._share = _FIRST if proven is None else _AGAIN
        if proven is not None:
            yield proven
        else:
            yield from super()._searched(node, deadline, is_urgent=is_urgent)

    def _proven(self, node: int, deadline: Deadline) -> SearchResult | None:
        """Return the proven value of a node, and its move, if they are found in time."""
        if self._prover is None:
            options = {**self._search_options, "classifier": "lvt"}
            known = {"role", "leaf_values", "classifier"}
            self._prover = engine_search(
                self._graph,
                self._prover_class,
                table_bytes=_MEMORY << 20,
                deadline=Deadline(0.0),
                **{name: value for name, value in options.items() if name in known},
            )
        if self._prover is None or not self._prover.takes(node):
            return None
        with suppress(*OUTGROWN):  # what is too large may be far ahead
            result = self._thinking.count(self._prover.run(node, deadline=deadline))
            # where roles choose at once these searches are pessimistic: only the best goal is sure
            takes_turns = self._search_options["leaf_values"].takes_turns
            is_sure = takes_turns or result.value == self._best
            return result if result.exact and is_sure else None
        return None
