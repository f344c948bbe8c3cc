"""What moves are worth before any of them has caused a cut: what random playouts show.

A search to the end of a game chooses its first moves near the root when the history of cuts is
empty, and those cost the most if they are bad. So the history of a move begins with what the roles
that made it got in random playouts, at whatever time they made it (Bruegmann 1993, "Monte Carlo
Go": all moves as first).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.alphabeta.layout import Stack
from ggp.engine.alphabeta.move_order import arrange, is_by_effect
from ggp.engine.block import goal_of
from ggp.engine.layout import ENDLESS, OPEN, PUSHED, TERMINAL, Game
from ggp.engine.node import expand, place_state, visit
from ggp.engine.transposition_table import hash_of
from ggp.native.numba_support import Words, inlined, nopython, signed

__all__ = ["first_history", "play_out"]

# What the history counts for the difference between the highest goal and the lowest, and playouts
# of a move that its value is taken to be the mean of all before it is made.
_WEIGHT, _DOUBT = 1000, 10


@nopython
def play_out(
    game: Game,
    stack: Stack,
    state: Words,
    first: int,
    last: int,
    totals: NDArray[np.float64],
    plays: NDArray[np.int64],
) -> int:
    """Make the playouts first <= n < last from a packed state, up to one that cannot be used.

    Returns how many those before it are.

    For each move of the history, `totals` gets the role's goals at the end of the playouts in which
    the role made it, less those of playouts in which an opponent did; `plays` gets the difference
    of their numbers. Behind the last move are the sums over all playouts.
    """
    for number in range(first, last):
        place_state(game, stack, state, ENDLESS)
        length, value = _played(game, stack, number)
        if length < 0:
            return number - first
        totals[-1] += value
        plays[-1] += 1
        for frame in range(1, length + 1):
            move = stack.lines[0, frame, 0]
            if move >= 0:
                sign = 1 if stack.frames[frame].own_count > 1 else -1
                totals[move] += sign * value
                plays[move] += sign
    return last - first


@inlined
def _played(game: Game, stack: Stack, number: int) -> tuple[int, float]:
    """Play at random; return the length of the path, -1 if it does not end, and the role's goal.

    It goes on only while one role at a time chooses among moves that the history knows by effect.
    """
    frame, child, seed = 0, signed(0), np.uint64(number)
    while True:
        what, block, lane, remaining, first, second, _ = visit(game, stack, frame, child)
        if what == TERMINAL:
            return frame, max(0.0, goal_of(game, stack.arena, block, lane, game.numbers.role))
        if what != OPEN or expand(game, stack, frame, block, lane, False) != PUSHED:
            return -1, 0.0
        frame += 1
        row = stack.frames[frame]
        row.first, row.second, row.remaining, row.order = first, second, remaining, 0
        row.own_count = stack.counts[frame, game.numbers.role]
        children = stack.counts[frame, 0] * stack.strides[frame, 0]
        stack.lines[0, frame, 0], child = -1, signed(0)
        if children > 1:
            arrange(game, stack, frame, -1)
            if row.order == 0 or not is_by_effect(row):
                return -1, 0.0
            seed = hash_of(seed, np.uint64(frame))
            place = row.order + 2 * signed((seed >> np.uint64(32)) % np.uint64(children))
            child = signed(stack.arena[place])
            stack.lines[0, frame, 0] = signed(stack.arena[place + 1])


def first_history(
    totals: NDArray[np.float64], plays: NDArray[np.int64], spread: float
) -> NDArray[np.int64]:
    """Return what the history begins with; `spread` is the highest goal less the lowest."""
    gains = totals - totals[-1] / max(1, plays[-1]) * plays
    worth = gains / (np.abs(plays) + _DOUBT) / spread
    counts: NDArray[np.int64] = (_WEIGHT * worth[:-1]).astype(np.int64)
    return counts
