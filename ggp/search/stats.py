"""What a search may use up, and what it has used."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from math import inf

from ggp.deadline import Deadline, TimeUp

__all__ = ["SearchStats"]


@dataclass(slots=True)
class SearchStats:
    """The limits of a search and the counts of what it does; meanings as in `SearchResult`."""

    deadline: Deadline = field(default_factory=Deadline)
    #: How many expansions may be made, repeated ones included.
    max_nodes: float = inf
    expanded: int = 0
    generated: int = 0
    researched: int = 0
    table_hits: int = 0
    prunes: Counter[str] = field(default_factory=Counter)
    _started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self._started

    def count_expansion(self, *, again: bool) -> None:
        """Count an expansion. Raises `TimeUp` if no more may be made."""
        if self.expanded + self.researched >= self.max_nodes:
            raise TimeUp
        if again:
            self.researched += 1
        else:
            self.expanded += 1
