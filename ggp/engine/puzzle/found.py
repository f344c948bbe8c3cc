"""What the strategies of a planner share: the best plan so far, what it cost, ways to states."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from ggp.deadline import Deadline

__all__ = ["Nodes", "Progress"]

# The nodes for which there is room at first.
_ROOM = 1 << 10


@dataclass
class Progress:
    """The best plan so far, and what has been done."""

    #: The highest goal that is possible.
    high: float
    #: How many expansions may be made, and until when.
    max_expanded: float = inf
    deadline: Deadline = field(default_factory=Deadline)
    #: The goal of the best plan, and its moves by number; None if there is no plan.
    goal: int | None = None
    moves: list[int] = field(default_factory=list)
    #: Whether no plan is better.
    is_proven: bool = False
    expanded: int = 0
    generated: int = 0
    met_again: int = 0
    playouts: int = 0
    #: The length of the longest line that was looked at.
    depth: int = 0

    def is_better(self, goal: int) -> bool:
        """Return whether a plan with this goal would be better than the best so far."""
        return self.goal is None or goal > self.goal

    def improve(self, goal: int, moves: list[int]) -> None:
        """Note a better plan."""
        self.goal, self.moves = goal, moves
        if goal >= self.high:
            self.is_proven = True

    def begin(self, max_expanded: float, deadline: Deadline) -> None:
        """Count anew, up to `max_expanded` expansions, and until a deadline."""
        self.max_expanded, self.deadline = max_expanded, deadline
        self.expanded = self.generated = self.met_again = self.playouts = self.depth = 0

    @property
    def is_spent(self) -> bool:
        """Whether no more expansions may be made."""
        return self.expanded >= self.max_expanded

    def allowed(self, count: int) -> int:
        """Return how many of some states may be expanded."""
        return int(min(count, self.max_expanded - self.expanded))


class Nodes:
    """States that were reached, as numbers: from which one, and by which move."""

    def __init__(self) -> None:
        """Begin with node 0, where the search begins."""
        self._parents = np.zeros(_ROOM, np.int32)
        self._moves = np.zeros(_ROOM, np.int32)
        self._count = 1

    def __len__(self) -> int:
        return self._count

    @property
    def bytes(self) -> int:
        """The memory that the nodes take."""
        return self._parents.nbytes + self._moves.nbytes

    def add(self, parents: NDArray[np.int64], moves: NDArray[np.int32]) -> NDArray[np.int64]:
        """Add nodes, each after one of its parents by a move, and return their numbers."""
        begin, end = self._count, self._count + len(parents)
        if end > len(self._parents):
            room = max(end, 2 * len(self._parents))
            self._parents = np.resize(self._parents, room)
            self._moves = np.resize(self._moves, room)
        self._parents[begin:end], self._moves[begin:end] = parents, moves
        self._count = end
        return np.arange(begin, end)

    def line(self, node: int) -> list[int]:
        """Return the moves that lead to a node."""
        moves: list[int] = []
        while node:
            moves.append(int(self._moves[node]))
            node = int(self._parents[node])
        return moves[::-1]
