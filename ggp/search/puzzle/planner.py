"""The planner: it finds the highest goal that the role of a puzzle can reach, and how."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

from ggp.graph import GameGraph
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.options import SearchOptions
from ggp.search.puzzle.breadth_first import BreadthFirst
from ggp.search.puzzle.plan import ALGORITHM, Plan, PlannerOptions, plan_result
from ggp.search.result import SearchResult
from ggp.search.search import DEFAULT_TABLE_SIZE
from ggp.search.searcher import WithoutHorizon

__all__ = ["Planner"]


class Planner(WithoutHorizon):
    """Finds the highest goal that the role of a puzzle can reach, and the shortest way to it.

    The value is exact if no goal is higher, or if all states have been seen. A state in which the
    role cannot move although the game is not over leads nowhere; only where the search begins it is
    an error. A play without end counts as 0.

    The best plan is kept: where it leads through the state to search, its rest is known.
    """

    algorithm: ClassVar[str] = ALGORITHM
    options = PlannerOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = DEFAULT_TABLE_SIZE,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            options: what to search for; None for the defaults.
            table_size: the number of states to remember; if there are more, the search ends.

        Raises:
            ValueError: no state may be remembered, or as `PlannerOptions.resolve`.
        """
        if table_size < 1:
            raise ValueError(f"{ALGORITHM} needs a table of the states that it has met")
        self.graph = graph
        self.settings = self.options.of(options).resolve(graph, self.algorithm)
        self.leaf_values = self.settings.leaf_values
        self._table_size = table_size
        #: The best plan of the last search, and whether no other is better.
        self._plan: Plan | None = None
        self._is_proven = False

    def takes(self, node: int | None = None) -> bool:  # noqa: ARG002 - it takes every node
        """Return True: the reference can search every node."""
        return True

    def deepen(
        self,
        node: int | None = None,
        limit: Limit = NO_LIMIT,
        *,
        first: int = 1,  # noqa: ARG002 - there is no horizon
    ) -> Iterator[SearchResult]:
        """Search, and yield a result for each better plan, and one at the end."""
        began, root = time.monotonic(), self.graph.state(self.graph.root if node is None else node)
        depth = limit.depth
        search = BreadthFirst(self.graph.reasoner, root, depth=depth)
        self._plan = None if self._plan is None or depth is not None else self._plan.after(root)
        self._is_proven = self._is_proven and self._plan is not None
        if not self._is_proven:
            plans = search.plans(
                goal=-1 if self._plan is None else self._plan.goal,
                nodes=limit.nodes,
                size=self._table_size,
                deadline=limit.deadline,
            )
            for self._plan in plans:
                if self._plan.goal >= self.settings.high:
                    self._is_proven = True
                    break
                yield self._result(search, depth, began)
        # Goals that break the rules of GDL prove nothing.
        keeps_range = not self.graph.reasoner.description.invalid_goals
        is_complete = search.is_exhausted and not search.is_cut
        self._is_proven = (self._is_proven or is_complete) and keeps_range
        yield self._result(search, depth, began)

    def _result(self, search: BreadthFirst, depth: int | None, began: float) -> SearchResult:
        return plan_result(
            self.settings,
            self._plan,
            exact=self._is_proven,
            depth=search.deepest,
            horizon=depth if search.is_exhausted else None,
            engine="reference",
            first=search.first,
            costs={
                "expanded": search.expanded,
                "generated": search.generated,
                "researched": 0,
                "prunes": {},
                "table_size": len(search),
                "table_hits": search.met_again,
                "seconds": time.monotonic() - began,
            },
        )
