"""Where a search of the engine begins, and its turns between two looks at the clock."""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["REPORT", "TURN", "find_packed", "next_turn", "packed_state", "turn_seconds"]

#: Seconds that a loop runs at most between two looks at the clock, and between two reports of
#: progress.
TURN, REPORT = 0.003, 0.1
# The share of the time of a search that a turn takes at most.
_SHARE = 0.25


def turn_seconds(deadline: Deadline) -> float:
    """Return how many seconds a turn takes in a search that begins now."""
    return min(TURN, _SHARE * deadline.remaining)


def next_turn(turn: int, seconds: float, aim: float) -> int:
    """Return how much a loop does in its next turn, so that this takes about `aim` seconds.

    Args:
        turn: how much it did in the last one.
        seconds: that the last one took.
        aim: the seconds for the next one; it does at most four times as much, and at least a
            quarter of it.
    """
    return max(1, int(turn * min(max(aim / max(seconds, 1e-9), 0.25), 4)))


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
