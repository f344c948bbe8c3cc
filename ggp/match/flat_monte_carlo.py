"""Choosing a move where the state is not known: the one that does best on average.

The states that are possible are drawn with their probabilities, chance and the others move at
random, and what follows is played out at random. In each round all moves meet the same state and
the same moves of the others, so that luck weighs on all of them alike.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count

from ggp.deadline import Deadline
from ggp.errors import GameError
from ggp.kif import Term
from ggp.match.possible_states import PossibleStates
from ggp.reasoner import Reasoner, State

__all__ = ["flat_monte_carlo"]

#: Playouts of a move in a round, at least.
_PLAYOUTS = 4
#: Joint moves of a playout after which it counts with the goals of where it is.
_MAX_STEPS = 200


def flat_monte_carlo(
    reasoner: Reasoner, possible: PossibleStates, role: int, deadline: Deadline, *, seed: int = 0
) -> Iterator[Term]:
    """Yield the best move so far, whenever it changes, until the clock is over.

    Args:
        reasoner: that of the possible states.
        possible: the states that are possible.
        role: the number of the role that moves.
        deadline: when to stop.
        seed: makes the playouts repeatable.
    """
    moves = possible.legal
    best = moves[0]
    yield best
    if len(moves) == 1:
        return
    totals = dict.fromkeys(moves, 0.0)
    generator = random.Random(seed)
    for number in count():
        if deadline.is_over:
            return
        [state] = possible.sample(1)
        joint_move = list(map(generator.choice, reasoner.view(state).legal))
        tried = []
        for move in moves:
            joint_move[role] = move
            tried.append(tuple(joint_move))
        for move, after in zip(moves, reasoner.step_all([state] * len(moves), tried), strict=True):
            totals[move] += _mean_goal(reasoner, after, role, seed=number)
        leader = max(moves, key=totals.__getitem__)
        if leader != best:
            best = leader
            yield best


def _mean_goal(reasoner: Reasoner, state: State, role: int, *, seed: int) -> float:
    """Return what the role gets in random playouts; nothing where the game breaks its rules."""
    count = max(_PLAYOUTS, reasoner.lanes)
    try:
        total = reasoner.playout_totals(state, count=count, seed=seed, max_steps=_MAX_STEPS)
    except GameError:
        return 0.0
    return total.goals[role] / count
