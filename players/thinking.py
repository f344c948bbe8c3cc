"""What a player thinks in a turn, and what it has spent on that in all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ggp.match import SearchInfo
from ggp.search import SearchResult

__all__ = ["Thinking"]


class Thinking:
    """Reports what a player thinks, with the nodes and seconds of all its searches in the turn.

    A player may search several times in a turn, by several searches, and often the last one finds
    nothing new. Each search counts for itself; the record of a match tells what the turn cost.
    """

    def __init__(self, report: Callable[[SearchInfo], None]) -> None:
        """Begin a turn.

        Args:
            report: takes what the player thinks, as `PlayerContext.report`.
        """
        #: States that have been searched.
        self.nodes = 0
        self._report = report
        self._began = time.monotonic()
        self._told: SearchInfo | None = None

    def count(self, result: SearchResult) -> SearchResult:
        """Count a search that is over, and return its result."""
        self.nodes += result.expanded
        return result

    def counted(self, results: Iterable[SearchResult]) -> Iterator[SearchResult]:
        """Yield the results of a search, whose counts add up, and count it as it goes on."""
        counted = 0
        for result in results:
            self.nodes += result.expanded - counted
            counted = result.expanded
            yield result

    def tell(self, info: SearchInfo) -> None:
        """Report what the player thinks, with the nodes and seconds of the turn."""
        self._told = info
        seconds = time.monotonic() - self._began
        self._report(replace(info, nodes=self.nodes, seconds=seconds))

    def teller(self) -> Callable[[SearchInfo], None]:
        """Return what takes the reports of a search which counts its nodes in them."""
        counted = 0

        def tell(info: SearchInfo) -> None:
            nonlocal counted
            self.nodes += info.nodes - counted
            counted = info.nodes
            self.tell(info)

        return tell

    def end(self) -> None:
        """Report once more what the player thought last, if anything: the turn is over."""
        if self._told is not None:
            self.tell(self._told)
