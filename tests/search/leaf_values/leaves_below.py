"""All states of a small game, with what can follow each: by looking at every one."""

from __future__ import annotations

from collections import defaultdict

from ggp.gdl import GoalVector
from ggp.reasoner import Reasoner, State


def leaves_below(reasoner: Reasoner, *, most: int) -> dict[State, set[GoalVector]] | None:
    """Return the goals of the leaves below each state; None if there are more states than this."""
    start = reasoner.initial_state()
    found: dict[State, set[GoalVector]] = {start: set()}
    parents: defaultdict[State, list[State]] = defaultdict(list)
    frontier = [start]
    changed = []
    while frontier:
        met: list[State] = []
        for state, expansion in zip(frontier, reasoner.expand_all(frontier), strict=True):
            if expansion.terminal:
                found[state] = {expansion.goals}
                changed.append(state)
                continue
            for child in set(expansion.successors):
                parents[child].append(state)
                if child not in found:
                    found[child] = set()
                    met.append(child)
        if len(found) > most:
            return None
        frontier = met
    while changed:
        state = changed.pop()
        for parent in parents[state]:
            if not found[state] <= found[parent]:
                found[parent] |= found[state]
                changed.append(parent)
    return found
