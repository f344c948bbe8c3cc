"""Flat Monte Carlo: the move that does best on average in random playouts.

It serves where a search cannot: several states are possible, or a state has too many joint moves.
A state is drawn, chance and the other roles move at random, and the rest is played out at random.
In each round all moves meet the same state and the same moves of the others, so that chance weighs
on all of them alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from ggp.deadline import Deadline
from ggp.kif import Symbol, Term
from ggp.match.search_info import SearchInfo
from ggp.playouts import short_playouts
from ggp.reasoner import Reasoner, State

__all__ = ["flat_monte_carlo"]


def flat_monte_carlo(
    reasoner: Reasoner,
    role: int,
    moves: Sequence[Term],
    draw: Callable[[], State],
    deadline: Deadline,
    *,
    report: Callable[[SearchInfo], None] = lambda _: None,
    seed: int = 0,
) -> Iterator[Term]:
    """Yield the best move so far, whenever it changes, until the deadline; perhaps none.

    Args:
        reasoner: the reasoner of the states.
        role: the number of the role that moves.
        moves: the legal moves of the role.
        draw: draws a state; always the same one if the state is known.
        deadline: when to stop.
        report: called with the mean goal of the best move after each round, and at the deadline.
        seed: makes the playouts repeatable.
    """
    began = time.monotonic()
    best: Term | None = None
    if len(moves) == 1:
        yield moves[0]
        return
    totals = dict.fromkeys(moves, 0.0)
    info, tried_moves, playouts = SearchInfo(None, depth=1), 0, 0

    def tell() -> None:
        spent = time.monotonic() - began
        report(replace(info, nodes=tried_moves, seconds=spent, simulations=playouts))

    generator = random.Random(seed)
    for number in count():
        state = draw()
        joint_move = [
            moves[0] if index == role else _random_move(reasoner, state, other, generator)
            for index, other in enumerate(reasoner.roles)
        ]
        tried = []
        for move in moves:
            joint_move[role] = move
            tried.append(tuple(joint_move))
        for move, after in zip(moves, reasoner.step_all([state] * len(moves), tried), strict=True):
            if deadline.is_over:
                if best is not None:
                    tell()
                return
            made = short_playouts(reasoner, after, seed=number)
            totals[move] += made.mean_goals[role]
            tried_moves += 1
            playouts += made.playouts
        leader = max(moves, key=totals.__getitem__)
        info = replace(info, value=totals[leader] / (number + 1))
        tell()
        if leader != best:
            best = leader
            yield best


def _random_move(reasoner: Reasoner, state: State, role: Symbol, generator: random.Random) -> Term:
    """Return a random legal move of a role, which may have very many."""
    seed = generator.randrange(1 << 30)
    return reasoner.some_moves(state, role, limit=1, seed=seed).moves[0]
