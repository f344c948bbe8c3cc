"""What every search offers to the commands, the players and the manager, however it works."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from ggp.kif import Term
from ggp.search.leaf_values import LeafValueTable
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.result import SearchResult

__all__ = ["RatesMoves", "Searcher", "WithoutHorizon"]


class Searcher(Protocol):
    """A search of one game graph for the value and the best move of a node.

    Depth-first searches and tree searches, in Python or as machine code, satisfy it alike.
    """

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, as in `ggp.search.ALGORITHMS`."""

    @property
    def leaf_values(self) -> LeafValueTable:
        """The leaf-value table that the search uses."""

    def takes(self, node: int | None = None) -> bool:
        """Return whether the search can search a node; None for the root of the graph."""

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> SearchResult:
        """Search a node until its value is proven or a limit is reached.

        Args:
            node: where to begin; None for the root of the graph.
            limit: how far to look, and when to stop at the latest.

        If a limit ends the search early, the result is the best of the moves that were searched
        by then, and it is not exact.

        Raises:
            NoLegalMove: a role has no legal move in a state that is not terminal.
            TooManyJointMoves, ReasonerError: as the reasoner's `expand`.
        """

    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        """Search a node and yield better and better results; at least one.

        Arguments and errors are those of `run`. The counts add up. A search by iterative deepening
        looks `first` joint moves ahead, then one more, and so on; a search without a horizon
        ignores `first`.
        """


class WithoutHorizon(ABC):
    """A searcher that looks as far ahead as it finds it worth: its `run` is the end of `deepen`."""

    @abstractmethod
    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        """Search a node and yield better and better results, see `Searcher.deepen`."""

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> SearchResult:
        """Search until the value is proven or a limit is reached; see `Searcher.run`."""
        *_, last = self.deepen(node, limit)
        return last


@runtime_checkable
class RatesMoves(Protocol):
    """A searcher that has a value for each move, not only for the best one."""

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""

    def move_visits(self) -> dict[Term, int]:
        """Return how often each move of the role was made at the root of the last search."""
