"""Moves that are rarely made: what they need is computed only where a lane makes one of them.

To choose among the legal moves, and to find out what of the next state depends on the choice, takes
some gates for each move that may be legal. In many games, most moves are hardly ever made: in
checkers, the jumps over several pieces. Such moves stand in groups, and a pass skips each group
from which no lane chooses. How often a move is made is counted in a sample of random play.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.turns import Turns
from ggp.native.bits import count_bits, part_of
from ggp.native.numba_support import Words, lowest_bit, nopython

__all__ = ["groups_of", "moves_made"]

#: Playouts that the sample follows at a time, and the joint moves that each makes in all.
_LANES, _STEPS = 256, 300
#: With fewer moves, or more gates, no sample is taken: it would cost more than it saves.
_FEWEST_MOVES, _MOST_GATES = 64, 150_000

#: The lanes of a pass. Where a pass has fewer, it leaves out more groups.
_PASS = 512
#: The most that the moves of a group, times the lanes that choose from it in a pass, may be. So the
#: rarer the moves, the larger their group.
_COST = 3.0
#: The moves that a group has at least, and all groups of a role.
_SMALLEST, _WORTHWHILE = 8, 32


def moves_made(circuit: Circuit, turns: Turns) -> list[NDArray[np.float64]] | None:
    """Return how often each move is made in random play, by a sample.

    None if there are too few moves or too many gates, or if a role has no move at all.

    Returns:
        for each point of the cycle, float64[moves]: the share of states in which it is made.
    """
    counts = [*map(len, circuit.moves)]
    is_small = max(counts) < _FEWEST_MOVES
    if is_small or min(counts) == 0 or len(circuit.gates) > _MOST_GATES:
        return None
    kernel = Kernel(circuit, words=_LANES // 64, form="table")
    generator = np.random.default_rng(0)
    first_state = kernel.initial()
    first_legal = kernel.views(first_state).legal
    states = np.repeat(first_state, _LANES, axis=0)
    ages = np.zeros(_LANES, np.int64)
    made = np.zeros((len(turns), len(circuit.legal)))
    seen = np.zeros((len(turns), 1))
    for _ in range(_STEPS):
        views = kernel.views(states)
        over = views.terminal
        states[over], views.legal[over], ages[over] = first_state, first_legal, 0
        points = ages % len(turns)
        seen += np.bincount(points, minlength=len(turns))[:, None]
        random = generator.integers(0, 1 << 32, (_LANES, len(circuit.roles)), np.uint64)
        drawn = np.zeros((_LANES, len(circuit.roles)), np.int32)
        _draw(views.legal, kernel.first_move, random, points, drawn, made)
        states = kernel.steps(states, drawn)
        ages += 1
    return [*(made / np.maximum(seen, 1))]


@nopython
def _draw(
    legal: Words,
    first_move: NDArray[np.int64],
    random: Words,
    points: NDArray[np.int64],
    drawn: NDArray[np.int32],
    made: NDArray[np.float64],
) -> None:
    """Draw a move of each role in each state; add the probability of each to what is made.

    Args:
        legal: uint64[states, words]: the legal moves of all roles.
        first_move: int64[roles + 1].
        random: uint64[states, roles], less than 2^32.
        points: int64[states]: the point of the cycle at which each state is.
        drawn: int32[states, roles], to be filled in; 0 for a role that has no legal move.
        made: float64[points, moves].
    """
    for state in range(len(legal)):
        for role in range(len(first_move) - 1):
            first, last = first_move[role], first_move[role + 1]
            count = count_bits(legal[state], first, last)
            rank = (random[state, role] * np.uint64(count)) >> np.uint64(32)
            for word in range(first >> 6, (last + 63) >> 6):
                left = part_of(legal[state], word, first, last)
                while left:
                    move = 64 * word + lowest_bit(left)
                    left &= left - np.uint64(1)
                    made[points[state], move] += 1 / count
                    if rank == 0:
                        drawn[state, role] = move - first
                    rank -= np.uint64(1)


def groups_of(moves: Iterable[int], made: NDArray[np.float64]) -> list[list[int]]:
    """Return groups of moves that few lanes choose from, without the moves that are made often.

    Args:
        moves: those of a role that may be legal.
        made: float64[moves]: the share of states in which each is made.
    """
    groups: list[list[int]] = []
    group: list[int] = []
    lanes = 0.0
    for move in sorted(moves, key=lambda move: (made[move], move)):
        more = lanes + _PASS * made[move]
        if group and (len(group) + 1) * more > _COST:
            if len(group) < _SMALLEST:
                break
            groups.append(group)
            group, more = [], _PASS * made[move]
        group.append(move)
        lanes = more
    else:
        if len(group) >= _SMALLEST:
            groups.append(group)
    return groups if sum(map(len, groups)) >= _WORTHWHILE else []
