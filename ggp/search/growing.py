"""What the reference searches share that grow a tree: tree search, and best-first minimax."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from math import inf
from typing import ClassVar

from ggp.deadline import TimeUp
from ggp.errors import ReasonerError
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.options import SearchOptions
from ggp.search.result import SearchResult
from ggp.search.searcher import WithoutHorizon

__all__ = ["MOST_NODES", "GrowingSearch"]

#: Most nodes of a tree.
MOST_NODES = 1_000_000


class GrowingSearch(WithoutHorizon):
    """A search of a game graph whose tree grows until its root is proven.

    The tree is kept from one search to the next.
    """

    #: The name of the algorithm, and what it is asked for.
    algorithm: ClassVar[str]
    options: ClassVar[type[SearchOptions]] = SearchOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = MOST_NODES,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            options: what to search for; None for the defaults. The classifier "none" stands for
                bounds that do not begin with what the table knows.
            table_size: how many nodes the tree may have.

        Raises:
            ValueError: the options are of another algorithm, or as `SearchOptions.resolve`.
        """
        self.graph = graph
        self.settings = self.options.of(options).resolve(graph, self.algorithm)
        self.role, self.leaf_values = self.settings.role, self.settings.leaf_values
        self._most_nodes = max(1, table_size)
        self._expanded = self._hits = self._deepest = 0

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
        """Search, and yield a result whenever the preferred move changes, and the last one.

        The limit of `nodes` is one of the visits, of which each expands one node at most.
        """
        began, deadline = time.monotonic(), limit.deadline
        self._expanded = self._hits = self._deepest = 0
        most, preferred = inf if limit.nodes is None else limit.nodes, None
        try:
            self._begin(self.graph.state(self.graph.root if node is None else node))
            while not self._is_over(most):
                deadline.check()
                self._visit()
                number = self._preferred_at_root()
                if number != preferred:
                    preferred = number
                    yield self._result(began)
        except TimeUp:
            pass
        except ReasonerError:
            # a caller that cancels the deadline may close the reasoner in the middle of a question
            if not deadline.is_over:
                raise
        yield self._result(began)

    @abstractmethod
    def _begin(self, state: State) -> None:
        """Make a state the root, and forget what it does not lead to."""

    @abstractmethod
    def _is_over(self, most: float) -> bool:
        """Return whether the root is proven, or there were `most` visits."""

    @abstractmethod
    def _visit(self) -> None:
        """Let the tree grow at one leaf."""

    @abstractmethod
    def _preferred_at_root(self) -> int | None:
        """Return the number of the joint move to make at the root; None if none is known."""

    @abstractmethod
    def _result(self, began: float) -> SearchResult:
        """Return what has been found since a moment of `time.monotonic`."""

    @property
    def _has_valid_goals(self) -> bool:
        return not self.graph.reasoner.description.invalid_goals
