"""The loops around batches, compiled by numba, run without the GIL.

Sets of legal moves are packed: bit `first_move[role] + k` is move k of the role.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.bits import below, count_bits, find_bit, mixed, random_bits
from ggp.native.numba_support import Words, lowest_bit, nopython, run, signed

__all__ = ["ENDED", "FINE", "SPENT", "STUCK", "choose_moves", "find_players", "play_states"]

#: What `choose_moves` returns if all moves are legal.
FINE = -1

#: Why `play_states` returned: its passes are made, all playouts have ended, or one is stuck.
SPENT, ENDED, STUCK = 0, 1, 2


@nopython
def choose_moves(
    states: Words,
    legal: Words,
    terminal: NDArray[np.bool_],
    first_move: NDArray[np.int64],
    seed: np.uint64,
    moves: NDArray[np.int32],
) -> int:
    """Check joint moves; a move of -1 becomes a legal move that is drawn at random.

    What is drawn depends on the seed, the state and its place: with the same seed in each step, a
    play goes on to draw other moves.

    Returns:
        `FINE`, or the number of the first joint move with one that is not legal. In states that are
        terminal all moves become 0, and none is checked.
    """
    roles = len(first_move) - 1
    for state in range(len(moves)):
        if terminal[state]:
            moves[state] = 0
            continue
        own, is_mixed = seed, False
        for role in range(roles):
            first, last = first_move[role], first_move[role + 1]
            move = moves[state, role]
            if move == -1:
                count = count_bits(legal[state], first, last)
                if count == 0:
                    return state
                rank = 0
                if count > 1:
                    if not is_mixed:
                        for word in states[state]:
                            own = mixed(own ^ word)
                        is_mixed = True
                    rank = below(random_bits(own, state * roles + role + 1), count)
                moves[state, role] = find_bit(legal[state], first, last, rank)
            else:
                if move < 0 or move >= last - first:
                    return state
                bit = first + move
                if not legal[state, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1):
                    return state
    return FINE


@nopython
def find_players(
    legal: Words, first_move: NDArray[np.int64], chance: int, players: NDArray[np.int32]
) -> None:
    """Find which role moves in each state, as `States.current_player` says."""
    roles = len(first_move) - 1
    for state in range(len(legal)):
        choosers, last, draws = 0, 0, False
        for role in range(roles - 1, -1, -1):
            if count_bits(legal[state], first_move[role], first_move[role + 1]) > 1:
                if role == chance:
                    draws = True
                else:
                    choosers, last = choosers + 1, role
        if choosers == 0:
            last = chance if draws else signed(chance == 0 and roles > 1)
        players[state] = -1 if choosers > 1 else last


@nopython
def _add_goals(
    buffer: Words,
    words: int,
    word: int,
    over: np.uint64,
    held: int,
    first_goal: NDArray[np.int64],
    goals: NDArray[np.float64],
    owners: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Add the goals of the lanes of a word that have ended to the sums of their states."""
    for role in range(len(first_goal) - 1):
        for goal in range(first_goal[role], first_goal[role + 1]):
            reached = buffer[held + goal * words + word] & over
            while reached:
                lane = 64 * word + lowest_bit(reached)
                reached &= reached - np.uint64(1)
                sums[owners[lane], role] += goals[goal]


@nopython
def _spent(over: np.uint64, first: int, left: NDArray[np.int64]) -> np.uint64:
    """Return which of the lanes that have ended start no more; count the starts of the others."""
    spent, rest = np.uint64(0), over
    while rest:
        lowest = rest & (np.uint64(0) - rest)
        rest ^= lowest
        lane = first + lowest_bit(lowest)
        if left[lane] == 0:
            spent |= lowest
        else:
            left[lane] -= 1
    return spent


@nopython
def play_states(
    begin: int,
    code: int,
    buffer: Words,
    words: int,
    where: NDArray[np.int64],
    passes: int,
    is_new: bool,
    first_goal: NDArray[np.int64],
    goals: NDArray[np.float64],
    owners: NDArray[np.int64],
    left: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> int:
    """Play in every active lane from its own state, until that many passes are made or all end.

    Lane k adds its goals to `sums[owners[k]]`, and starts `left[k]` more playouts. `where` has the
    places in the buffer of the budget, of the lanes that are active, have ended or are stuck, and
    of those that have each goal.
    """
    budget, active, ended, stuck, held = where
    buffer[budget] = np.uint64(passes)
    attention = is_new and run(begin, buffer) != 0
    while True:
        if attention:
            for word in range(words):
                if buffer[stuck + word]:
                    return STUCK
                over = buffer[ended + word]
                if over:
                    _add_goals(buffer, words, word, over, held, first_goal, goals, owners, sums)
                    buffer[active + word] &= ~_spent(over, 64 * word, left)
        some = np.uint64(0)
        for word in range(words):
            some |= buffer[active + word]
        if some == 0:
            return ENDED
        if buffer[budget] == 0:
            return SPENT
        attention = run(code, buffer) != 0
