"""Where a search of the engine begins, and its turns between two looks at the clock."""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["REPORT", "TURN", "Turns", "find_packed", "packed_state"]

#: Seconds that a loop runs at most between two looks at the clock, and between two reports of
#: progress.
TURN, REPORT = 0.003, 0.1
# The share of the time of a search that a turn takes at most.
_SHARE = 0.25


class Turns:
    """How much a loop does between two looks at the clock, in the unit in which it counts."""

    def __init__(self, size: int = 1) -> None:
        """Say how much the first turn does."""
        #: How much the next turn does.
        self.size = size
        #: How many seconds a turn is to take.
        self._aim = TURN

    def begin(self, deadline: Deadline) -> None:
        """Begin a search: a turn is to take a share of its time at most."""
        self._aim = min(TURN, _SHARE * deadline.remaining)

    def adapt(self, seconds: float) -> None:
        """Choose the next size by the seconds of the last turn, from a quarter to four times it."""
        factor = min(max(self._aim / max(seconds, 1e-9), 0.25), 4)
        self.size = max(1, int(factor * self.size))


def find_packed(compiled: CompiledReasoner, graph: GameGraph, node: int | None) -> State | None:
    """Return the packed state of a node, None for the root.

    Returns:
        None if the machine code lacks some of the node's facts.
    """
    state = graph.state(graph.root if node is None else node)
    if graph.reasoner is not compiled:
        state = compiled.state_of(graph.reasoner.facts(state))
    return state if len(state) == 8 * compiled.kernel.state_words else None


def packed_state(compiled: CompiledReasoner, graph: GameGraph, node: int | None) -> State:
    """Return the packed state of a node, None for the root.

    Raises:
        ValueError: the machine code lacks some of the node's facts.
    """
    state = find_packed(compiled, graph, node)
    if state is None:
        raise ValueError("the state has facts that the machine code does not know")
    return state
