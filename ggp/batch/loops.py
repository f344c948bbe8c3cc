"""The loops around batches, compiled by numba, run without the GIL.

Sets of legal moves are packed: bit `first_move[role] + k` is move k of the role.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.pass_rows import PassPlaces
from ggp.native.bits import below, count_bits, find_bit, mixed, random_bits
from ggp.native.numba_support import Words, lowest_bit, nopython, run, signed

__all__ = [
    "ALL_ENDED",
    "FINE",
    "NO_LEGAL_MOVE",
    "NO_PASSES_LEFT",
    "choose_moves",
    "find_players",
    "play_states",
]

#: What `choose_moves` returns if all moves are legal.
FINE = -1

#: Why `play_states` returned: its passes are made, all playouts have ended, or a role of one has no
#: legal move.
NO_PASSES_LEFT, ALL_ENDED, NO_LEGAL_MOVE = 0, 1, 2


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

    Args:
        states: uint64[n, words], n states, packed.
        legal: uint64[n, words], the legal moves of each, packed.
        terminal: bool[n].
        first_move: int64[roles + 1], where the moves of each role begin among all.
        seed: of what is drawn.
        moves: int32[n, roles], the number of each role's move, or -1, which becomes the one drawn.

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
    places: PassPlaces,
    passes: int,
    is_new: bool,
    first_goal: NDArray[np.int64],
    goals: NDArray[np.float64],
    owners: NDArray[np.int64],
    left: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> int:
    """Play in every active lane from its own state, until that many passes are made or all end.

    Args:
        begin: the address of the code that begins the playouts.
        code: the address of the code of a pass.
        buffer: uint64[any], what the code works in.
        words: of a row of the buffer: 64 * words lanes play.
        places: where the rows of a pass begin in the buffer.
        passes: how many to make.
        is_new: whether the playouts have not begun.
        first_goal: int64[roles + 1], where the goals of each role begin among all.
        goals: float64[goals], from 0 to 100.
        owners: int64[lanes], the row of `sums` to which a lane adds its goals.
        left: int64[lanes], how many more playouts a lane starts.
        sums: float64[any, roles], the sums of the goals.

    Returns:
        NO_PASSES_LEFT, ALL_ENDED or NO_LEGAL_MOVE.
    """
    active = places.active
    buffer[places.budget] = np.uint64(passes)
    attention = is_new and run(begin, buffer) != 0
    while True:
        if attention:
            for word in range(words):
                if buffer[places.stuck + word]:
                    return NO_LEGAL_MOVE
                over = buffer[places.ended + word]
                if over:
                    _add_goals(
                        buffer, words, word, over, places.held, first_goal, goals, owners, sums
                    )
                    buffer[active + word] &= ~_spent(over, 64 * word, left)
        some = np.uint64(0)
        for word in range(words):
            some |= buffer[active + word]
        if some == 0:
            return ALL_ENDED
        if buffer[places.budget] == 0:
            return NO_PASSES_LEFT
        attention = run(code, buffer) != 0
