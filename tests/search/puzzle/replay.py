"""What every result of a planner must keep to."""

from __future__ import annotations

from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.search import SearchResult

__all__ = ["leads_to_its_value"]


def leads_to_its_value(graph: GameGraph, result: SearchResult, state: State | None = None) -> None:
    """Play the variation, and look whether it ends the game with the value that is claimed."""
    reasoner = graph.reasoner
    state = reasoner.initial_state() if state is None else state
    if result.variation:
        assert result.joint_move == result.variation[0]
        for joint_move in result.variation:
            assert not reasoner.is_terminal(state)
            reasoner.check_legal(state, joint_move)
            state = reasoner.next_state(state, joint_move)
        assert reasoner.is_terminal(state)
        assert (reasoner.goals(state)[0] or 0) == result.value
    elif not reasoner.is_terminal(state):
        assert result.value is None or (result.value == 0 and result.exact)
