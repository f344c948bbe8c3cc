"""When a search ends at the latest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from ggp.deadline import Deadline

__all__ = ["NO_LIMIT", "Limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How far a search may look, and what it may cost.

    A search that a limit ends returns the best of the moves that it has searched by then.
    """

    #: How many joint moves to look ahead; None for the end of the game.
    depth: int | None = None
    #: How many expansions to make at most, visits for a tree search; None for any number.
    nodes: int | None = None
    #: When to stop at the latest.
    deadline: Deadline = field(default_factory=Deadline)

    def horizons(self, first: int) -> Iterable[int]:
        """Return the depths of a search that begins with `first` joint moves and then deepens."""
        return count(first) if self.depth is None else range(min(first, self.depth), self.depth + 1)


#: The limit of a search that goes on until the value is proven.
NO_LIMIT: Final = Limit()
