"""The engine's planner: strategies that share the time, and the best plan so far."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from ggp.engine.puzzle.effects import SharedEffects
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.relaxed import RelaxedCost
from ggp.engine.puzzle.session import Session
from ggp.engine.puzzle.states import StateSet
from ggp.engine.resources import Resources
from ggp.engine.turns import REPORT, find_packed, packed_state
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import SearchResult
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.searcher import WithoutHorizon
from ggp.search.settings import SearchSettings

__all__ = ["PlannerEngine"]

# Seconds between two reports of progress.
# States for which the smallest table has no room.
_MANY = 1 << 13


class PlannerEngine(WithoutHorizon):
    """Finds the highest goal that the role of a puzzle can reach, and a way to it.

    What `ggp.search.puzzle.Planner` says holds here too, except that a plan need not be a shortest
    one. The best plan is kept: to search a state that it leads through takes no time if the plan
    is proven, and begins with the rest of the plan if it is not. A search of the same state as
    before goes on where that one ended.
    """

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            settings: what to search for.
            compiled: the machine code of the graph's game.
            resources: memory and time.

        Raises:
            ValueError: the search may take no memory.
        """
        if resources.table_bytes < 1:
            raise ValueError(f"{settings.algorithm} needs a table of the states that it has met")
        self.graph, self.settings = graph, settings
        self.algorithm, self.leaf_values = settings.algorithm, settings.leaf_values
        self._compiled, self._report = compiled, resources.progress
        self._max_bytes = resources.table_bytes
        self._puzzle = PackedPuzzle(compiled.kernel)
        self._session: Session | None = None

    def takes(self, node: int | None = None) -> bool:
        """Return whether the machine code knows all facts of a node; None for the root."""
        return find_packed(self._compiled, self.graph, node) is not None

    def load_all(self) -> None:
        """Load the code that a search of any game may need."""
        self._compiled.prepare_to_answer()
        start = self._puzzle.narrow(self._compiled.kernel.initial())
        StateSet(self._puzzle.others).add(np.repeat(start, _MANY, axis=0))
        if (effects := SharedEffects(self._puzzle, start).now()) is not None:
            RelaxedCost(self._puzzle, effects, effects.terminal)(start)

    def deepen(
        self,
        node: int | None = None,
        limit: Limit = NO_LIMIT,
        *,
        first: int = 1,  # noqa: ARG002 - there is no horizon
    ) -> Iterator[SearchResult]:
        """Search, and yield a result for each better plan, and one at the end.

        Raises:
            ValueError: the node has facts that the machine code does not know, see `takes`.
        """
        state = packed_state(self._compiled, self.graph, node)
        session = self._session_at(state, limit.depth)
        reported = time.monotonic()
        for is_better in session.search(limit.nodes, limit.deadline):
            if is_better:
                yield session.result()
            elif self._report is not None and time.monotonic() - reported >= REPORT:
                reported = time.monotonic()
                self._report(session.result())
        yield session.result()

    def _session_at(self, state: State, depth: int | None) -> Session:
        """Return the session of a state: the present one, or one that goes on from it."""
        before = self._session
        if before is not None and (before.state, before.depth) == (state, depth):
            return before
        self._session = session = Session(
            self._puzzle, self.settings, state, depth=depth, max_bytes=self._max_bytes
        )
        if before is not None and depth is None:
            session.inherit(before)
        return session
