"""What follows from a state: the table of its joint moves, and the facts that decide its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from typing import Any

from ggp.kif import Term
from ggp.reasoner import Reasoner, State

__all__ = ["decisive_facts", "successors"]

#: The limit on the joint moves that are listed with their results.
_MAX_JOINT_MOVES = 2000
#: Seconds for one part of the table; the guide answers nothing else meanwhile.
_PART = 0.3
#: Seconds for the search for the facts that decide an end, and the limit on facts that may decide.
_PATIENCE, _MAX_DECISIVE = 3.0, 12


def successors(reasoner: Reasoner, state: State, *, after: int) -> dict[str, Any]:
    """Return a part of the table of joint moves: as many as the time allows.

    Args:
        reasoner: of the game.
        state: where the roles are to move.
        after: how many joint moves are known already.

    Returns:
        `rows`, each with its joint move, whether it ends the game, and the goals after it; `next`,
        the number for `after` in the next question, None if the table ends here; `joint_moves`, the
        number of all joint moves.
    """
    view, began = reasoner.view(state), time.monotonic()
    rows: list[dict[str, Any]] = []
    count = 0 if view.terminal else view.joint_move_count
    last = min(count, _MAX_JOINT_MOVES)
    moves = islice(view.joint_moves, after, last) if after < last else iter(())
    size = 1  # a heavy game takes a second for each
    while batch := list(islice(moves, size)):
        states = reasoner.step_all([state] * len(batch), batch)
        rows += [
            {"moves": list(map(str, joint)), "terminal": found.terminal, "goals": list(found.goals)}
            for joint, found in zip(batch, reasoner.view_all(states), strict=True)
        ]
        passed = time.monotonic() - began
        if passed > _PART / 2:
            break
        size = max(1, min(2 * size, int(len(rows) * _PART / 2 / max(passed, 0.001))))
    known = after + len(rows)
    return {"rows": rows, "next": known if known < last else None, "joint_moves": count}


def decisive_facts(reasoner: Reasoner, facts: Sequence[Term]) -> list[Term]:
    """Return the facts of a final state without any of which the winner would not have won.

    In a game of lines, these are the pieces of the line. There are none if several roles share the
    highest goal, if the winner has several reasons to win, or if this takes too long.
    """
    began = time.monotonic()
    view = reasoner.view(reasoner.state_of(facts))
    seconds = time.monotonic() - began
    goals = [goal or 0 for goal in view.goals]
    winners = [role for role, goal in enumerate(goals) if goal == max(goals)]
    if not view.terminal or len(winners) != 1 or len(goals) < 2:
        return []
    if seconds * len(facts) > _PATIENCE:
        return []
    without = [reasoner.state_of([f for f in facts if f != fact]) for fact in facts]
    (winner,) = winners
    decisive = [
        fact
        for fact, other in zip(facts, reasoner.view_all(without), strict=True)
        if (other.goals[winner] or 0) < goals[winner]
    ]
    return decisive if len(decisive) <= _MAX_DECISIVE else []
