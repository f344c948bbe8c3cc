"""Runs a circuit on many states at once, in arrays of packed states.

A packed state has bit i set if fact i of the circuit is true: word i // 64, bit i % 64, lowest
first. Each pass over the circuit answers for 64 * words states.

A table answers at first, because it takes milliseconds to make. Code of its own is compiled when
that is asked for, or when the table has worked for about as long as that takes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Assembly, Form
from ggp.compiler.codegen.rows import ViewRows
from ggp.compiler.runtime.halves import Halves, Step
from ggp.compiler.runtime.loops import (
    count_joint_moves,
    list_joint_moves,
    step_states,
    view_states,
)
from ggp.errors import TooManyJointMoves
from ggp.native.cache import Cache
from ggp.native.numba_support import Words

__all__ = ["Children", "Kernel", "Views"]

#: CPU seconds that it takes to compile: for any circuit, and for each gate.
_COMPILING, _OF_GATE = 0.1, 60e-6


@dataclass(frozen=True, slots=True)
class Views:
    """What the rules say of n states."""

    #: uint64[n, ceil(moves / 64)]: the legal moves of all roles, bits in the order of the circuit.
    legal: Words
    #: bool[n]: whether the game is over.
    terminal: NDArray[np.bool_]
    #: int16[n, roles]: which of the role's goals in `Circuit.goals` holds; -1 for none or several.
    goals: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Children:
    """All successors of n states: those of state i are numbers first[i] <= k < first[i + 1]."""

    #: int64[n + 1]
    first: NDArray[np.int64]
    #: int32[children, roles]: the joint moves, lexicographic, by each role's own move numbers.
    moves: NDArray[np.int32]
    #: uint64[children, ceil(facts / 64)]
    states: Words


class Kernel:
    """Views, steps and expands packed states. It holds buffers, so one thread at a time uses it."""

    def __init__(
        self,
        circuit: Circuit,
        *,
        words: int = 8,
        form: Form | None = None,
        cache: Cache | None = None,
    ) -> None:
        """Take the circuit.

        Args:
            circuit: what to run.
            words: a pass takes 64 * words states; 1, 4 or 8.
            form: machine code or a table; None for a table at first, and then by the size.
            cache: where compiled code is kept; None compiles anew.
        """
        self.circuit, self.words, self.form = circuit, words, form
        #: The code of its two halves.
        self.halves = Halves(circuit, words=words, form=form, cache=cache)
        #: Those that run fastest, once they were compiled.
        self._compiled: tuple[Assembly, Step] | None = None
        #: Whether to compile when the table has worked for long; not where another process does.
        self.compiles_itself = True
        #: CPU seconds that the table has worked.
        self._worked = 0.0
        self.first_move, self.first_goal = circuit.first_move, circuit.first_goal
        self.view_rows = ViewRows.of(circuit)
        self._ends_rows = ViewRows.of(circuit, has_moves=False)

    @property
    def state_words(self) -> int:
        """The words of a packed state."""
        return max(1, -(-len(self.circuit.facts) // 64))

    @property
    def legal_words(self) -> int:
        """The words of a packed set of moves."""
        return max(1, -(-len(self.circuit.legal) // 64))

    def initial(self) -> Words:
        """Return the initial state: uint64[1, words]."""
        return self.pack(self.circuit.initial)

    def pack(self, facts: NDArray[np.int32]) -> Words:
        """Return the state in which the facts of these numbers are true: uint64[1, words]."""
        state = np.zeros((1, self.state_words), np.uint64)
        for fact in facts.tolist():
            state[0, fact >> 6] |= np.uint64(1 << (fact & 63))
        return state

    def compile(self) -> None:
        """Compile what runs fastest, or take it from the cache."""
        if self._compiled is None:
            self._compiled = self.halves.view, self.halves.step

    @property
    def is_kept(self) -> bool:
        """Whether the cache has all that `compile` makes."""
        return self.halves.is_kept

    def ends(self, states: Words) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
        """Return of each state, uint64[n, words], whether the game is over, and its goals.

        They are those of `Views`.
        """
        terminal = np.zeros(len(states), np.bool_)
        goals = np.full((len(states), len(self.circuit.roles)), -1, np.int16)
        code = self.halves.ends
        view_states(
            code.addresses["view"], code.buffer, self.words, *self._ends_rows, self.first_goal,
            np.ascontiguousarray(states), np.zeros((len(states), 1), np.uint64), terminal, goals,
        )  # fmt: skip
        return terminal, goals

    def views(self, states: Words) -> Views:
        """Return the view of each state, uint64[n, words]."""
        count = len(states)
        legal = np.zeros((count, self.legal_words), np.uint64)
        terminal = np.zeros(count, np.bool_)
        goals = np.full((count, len(self.circuit.roles)), -1, np.int16)
        began = self._begin()
        code = self._compiled[0] if self._compiled else self.halves.first_view
        view_states(
            code.addresses["view"], code.buffer, self.words, *self.view_rows, self.first_goal,
            np.ascontiguousarray(states), legal, terminal, goals,
        )  # fmt: skip
        self._end(began)
        return Views(legal, terminal, goals)

    def steps(
        self,
        states: Words,
        moves: NDArray[np.int32],
        parents: NDArray[np.int64] | None = None,
        *,
        checked: bool = False,
    ) -> Words:
        """Return the state after each joint move, int32[n, roles]: uint64[n, words].

        Joint move i is done in state i, or in state parents[i]. It need not be legal.

        Args:
            states: uint64[m, words].
            moves: by each role's own numbers.
            parents: int64[n]; None if there is a state for each joint move.
            checked: whether the numbers are known to be in range, so that they are not looked at.

        Raises:
            IndexError: a role has no move of that number, or there is no such parent.
        """
        if parents is None:
            parents = np.arange(len(moves), dtype=np.int64)
        if checked:
            return self._steps(states, moves, parents)
        counts = np.diff(self.first_move)
        if len(moves) and not (
            (moves >= 0).all()
            and (moves < counts).all()
            and parents.min() >= 0
            and parents.max() < len(states)
        ):
            raise IndexError("no such move, or no such parent")
        return self._steps(states, moves, parents)

    def expand(self, states: Words, views: Views | None = None, *, limit: int) -> Children:
        """Return all successors of the states; one that is terminal has none.

        Args:
            states: uint64[n, words].
            views: their views, if they are known already.
            limit: the most joint moves that a state may have.

        Raises:
            TooManyJointMoves: a state has more than the limit.
        """
        if views is None:
            views = self.views(states)
        counts = count_joint_moves(views.legal, views.terminal, self.first_move, limit)
        if len(counts) and counts.max() > limit:
            raise TooManyJointMoves(f"a state has more than {limit} joint moves")
        first = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=first[1:])
        total = int(first[-1])
        moves = np.empty((total, len(self.circuit.roles)), np.int32)
        parents = np.empty(total, np.int64)
        list_joint_moves(views.legal, counts, self.first_move, moves, parents)
        return Children(first, moves, self._steps(states, moves, parents))

    def _steps(self, states: Words, moves: NDArray[np.int32], parents: NDArray[np.int64]) -> Words:
        result = np.empty((len(moves), self.state_words), np.uint64)
        began = self._begin()
        step = self._compiled[1] if self._compiled else self.halves.first_step
        step_states(
            step.code.addresses["next"], step.code.buffer, self.words, *step.rows, self.first_move,
            step.table, np.ascontiguousarray(states), parents,
            np.ascontiguousarray(moves, np.int32), result,
        )  # fmt: skip
        self._end(began)
        return result

    def _begin(self) -> float:
        """Compile when the tables have worked for long, or must not; return the time if they do."""
        if self._compiled is None:
            enough = _COMPILING + _OF_GATE * len(self.circuit.gates)
            if self.form is not None or (self.compiles_itself and self._worked > enough):
                self.compile()
        return time.thread_time() if self._compiled is None else 0.0

    def _end(self, began: float) -> None:
        """Count the time since `_begin` if the tables have worked."""
        if self._compiled is None:
            self._worked += time.thread_time() - began
