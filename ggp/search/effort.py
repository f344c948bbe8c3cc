"""What a search may use up, and what it has used."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from math import inf

from ggp.clock import Clock, TimeUp

__all__ = ["Effort"]


@dataclass(slots=True)
class Effort:
    """The limits of a search and the counts of what it does; meanings as in `SearchResult`."""

    clock: Clock = field(default_factory=Clock)
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
