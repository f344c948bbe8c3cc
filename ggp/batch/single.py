"""One state at a time, for environments whose callers make one move after the other.

`Game` answers for hundreds of states in a call, and its arrays cost more than a single state does.
Here a call makes a joint move, or several, and what the rules say of the state that it leads to is
plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ggp.batch.loops import FINE, choose_moves
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.loops import step_states, view_states
from ggp.native.bits import list_bits
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, allocating

__all__ = ["Position", "Single"]

# A pass takes as few states as it can: 64.
_WORDS = 1
# Circuits with more gates than this, which take a second to compile, are run as tables.
_MOST_GATES = 20_000
_SEEDS = (1 << 64) - 1


@dataclass(slots=True)
class Position:
    """A state, and what the rules say of it. It does not change."""

    #: uint64[1, words]: the state, packed as in `States.words`.
    words: Words
    #: uint64[1, words]: the legal moves of all roles, packed as in `Views.legal`.
    packed: Words
    #: For each role, the numbers of its legal moves, ascending.
    legal: list[list[int]]
    #: Whether the game is over.
    terminal: bool
    #: For each role its goal from 0 to 100; -1 where it has none, or several.
    goals: list[int]


class Single:
    """The machine code of a game for a single state. One thread at a time uses it."""

    def __init__(self, circuit: Circuit, goal_values: Sequence[NDArray[np.int16]]) -> None:
        """Take the circuit, and each role's goals, of which the last one stands for no goal."""
        kernel = Kernel(circuit, words=_WORDS, cache=Cache())
        halves, is_quick = kernel.halves, len(circuit.gates) < _MOST_GATES
        view = halves.view if is_quick else halves.first_view
        step = halves.step if is_quick else halves.first_step
        roles, moves = len(circuit.roles), len(circuit.legal)
        self._kernel, self._values = kernel, [values.tolist() for values in goal_values]
        self._code = (
            view.addresses["view"], view.buffer, step.code.addresses["next"], step.code.buffer,
            np.array([*kernel.view_rows, *step.rows]), kernel.first_move, kernel.first_goal,
            step.table,
        )  # fmt: skip
        self._code_in_use = view, step  # the addresses are of their code
        self._state = np.zeros((1, kernel.state_words), np.uint64)
        self._joint = np.zeros((1, roles), np.int32)
        self._legal = np.zeros((1, kernel.legal_words), np.uint64)
        self._terminal, self._goals = np.zeros(1, np.bool_), np.zeros((1, roles), np.int16)
        self._options, self._counts = np.zeros(moves, np.int32), np.zeros(roles, np.int32)
        #: The state that the game begins in.
        self.initial = self.of(kernel.initial())

    def of(self, words: Words) -> Position:
        """Return the position of a state, uint64[1, words]."""
        self._state[:] = words
        _advance(
            *self._code, -1, 0, np.uint64(0), self._state, self._joint, self._legal,
            self._terminal, self._goals, self._options, self._counts,
        )  # fmt: skip
        return self._position()

    def after(
        self,
        position: Position,
        joint_move: Sequence[int],
        *,
        seed: int = 0,
        role: int = -1,
        most: int = 1,
    ) -> tuple[Position | None, int]:
        """Return the position after a joint move, and how many joint moves were made.

        Args:
            position: of a state that is not terminal.
            joint_move: the number of each role's move; -1 for a legal one that is drawn at random.
            seed: the same seed draws the same moves.
            role: the play goes on, with moves that are drawn, until this role has a choice, or the
                game is over; -1 to make one joint move.
            most: the most joint moves that are made.

        Returns:
            None in place of the position if a move is not legal.
        """
        self._state[:] = position.words
        self._legal[:] = position.packed
        self._joint[0] = joint_move
        self._terminal[0] = False
        made = _advance(
            *self._code, role, most, np.uint64(seed & _SEEDS), self._state, self._joint,
            self._legal, self._terminal, self._goals, self._options, self._counts,
        )  # fmt: skip
        return (None, 0) if made < 0 else (self._position(), made)

    def _position(self) -> Position:
        counts = self._counts.tolist()
        options = self._options[: sum(counts)].tolist()
        ends = accumulate(counts, initial=0)
        return Position(
            self._state.copy(),
            self._legal.copy(),
            [options[first:last] for first, last in pairwise(ends)],
            bool(self._terminal[0]),
            [
                values[place]
                for values, place in zip(self._values, self._goals[0].tolist(), strict=True)
            ],
        )


@allocating
def _advance(
    view_code: int,
    view_buffer: Words,
    next_code: int,
    next_buffer: Words,
    rows: NDArray[np.int64],
    first_move: NDArray[np.int64],
    first_goal: NDArray[np.int64],
    sets: Words,
    role: int,
    most: int,
    seed: np.uint64,
    state: Words,
    joint: NDArray[np.int32],
    legal: Words,
    terminal: NDArray[np.bool_],
    goals: NDArray[np.int16],
    options: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> int:
    """Make joint moves as `Single.after` says, and list the legal moves of the last state.

    The rows are those of `ViewRows`, and of `StepRows`: to pass them as records takes longer.

    Returns:
        How many were made; -1 if a move is not legal. With `most` 0, the state is only viewed.
    """
    first_fact, first_legal, over, goal_rows, bad_rows, total = rows[:6]
    first_row, does, following, end = rows[6:]
    parents, after, made = np.zeros(1, np.int64), np.empty_like(state), 0
    while True:
        if most > 0:
            drawn = seed + np.uint64(0xD1B54A32D192ED03) * np.uint64(made)
            if choose_moves(state, legal, terminal, first_move, drawn, joint) != FINE:
                return -1
            step_states(
                next_code, next_buffer, _WORDS, first_row, does, following, end, first_move, sets,
                state, parents, joint, after,
            )  # fmt: skip
            state[:] = after
            made += 1
        legal[:], terminal[:], goals[:] = np.uint64(0), False, -1
        view_states(
            view_code, view_buffer, _WORDS, first_fact, first_legal, over, goal_rows, bad_rows,
            total, first_goal, state, legal, terminal, goals,
        )  # fmt: skip
        if _list_moves(legal[0], first_move, options, counts, role) != 1:
            return made
        if terminal[0] or made >= most:
            return made
        joint[:] = -1


@allocating
def _list_moves(
    legal: Words,
    first_move: NDArray[np.int64],
    options: NDArray[np.int32],
    counts: NDArray[np.int32],
    role: int,
) -> int:
    """List the legal moves of each role, one role after the other; return how many `role` has."""
    place = 0
    for each in range(len(first_move) - 1):
        counts[each] = list_bits(legal, first_move[each], first_move[each + 1], options[place:])
        place += counts[each]
    return 0 if role < 0 else counts[role]
