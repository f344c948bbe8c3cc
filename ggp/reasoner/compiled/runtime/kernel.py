"""Runs a circuit on many states at once, in arrays of packed states.

A packed state has bit i set if fact i of the circuit is true: word i // 64, bit i % 64, lowest
first. Each pass over the circuit answers for 64 * words states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ggp.errors import TooManyJointMoves
from ggp.reasoner.compiled.cache import Cache
from ggp.reasoner.compiled.circuit.circuit import Circuit
from ggp.reasoner.compiled.codegen.assemble import (
    POINTER_ROW,
    Assembly,
    Form,
    assemble,
    code_name,
    digest,
)
from ggp.reasoner.compiled.codegen.straightline import Builder, Program
from ggp.reasoner.compiled.numba_support import Words
from ggp.reasoner.compiled.runtime.loops import (
    count_joint_moves,
    list_joint_moves,
    step_states,
    view_states,
)
from ggp.reasoner.compiled.runtime.move_sets import MoveSets, move_sets

__all__ = ["Children", "Kernel", "Views", "next_program", "view_program"]


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
        """Take the circuit; its two halves are compiled when they are first needed.

        Args:
            circuit: what to run.
            words: a pass takes 64 * words states; 1, 4 or 8.
            form: machine code or a table; by the circuit's size if None.
            cache: where compiled code is kept; None compiles anew.
        """
        self.circuit, self.words, self.form, self.cache = circuit, words, form, cache
        counts = [len(moves) for moves in circuit.moves]
        #: int64[roles + 1]: where each role's moves begin among all.
        self.first_move = np.array([0, *accumulate(counts)], np.int64)
        self._goals = np.array([0, *accumulate(map(len, circuit.goals))], np.int64)

    @property
    def state_words(self) -> int:
        """The words of a packed state."""
        return max(1, -(-len(self.circuit.facts) // 64))

    @property
    def legal_words(self) -> int:
        """The words of a packed set of moves."""
        return max(1, -(-int(self.first_move[-1]) // 64))

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
        """Compile now; otherwise this happens with the first use."""
        _ = self._view, self._next

    @property
    def is_kept(self) -> bool:
        """Whether the cache has the compiled code."""
        return self.cache is not None and all(
            code_name([name], key=self._key(name), words=self.words, form=self.form) in self.cache
            for name in ("view", "next")
        )

    def views(self, states: Words) -> Views:
        """Return the view of each state, uint64[n, words]."""
        count = len(states)
        legal = np.zeros((count, self.legal_words), np.uint64)
        terminal = np.zeros(count, np.bool_)
        goals = np.full((count, len(self.circuit.roles)), -1, np.int16)
        code = self._view
        facts, moves = len(self.circuit.facts), int(self.first_move[-1])
        view_states(
            code.addresses["view"], code.buffer, self.words, POINTER_ROW + 1, facts, moves,
            self._goals, np.ascontiguousarray(states), legal, terminal, goals,
        )  # fmt: skip
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
        code, sets = self._next, self._move_sets
        inputs = int(self.first_move[-1]) if sets is None else len(sets.literals)
        step_states(
            code.addresses["next"], code.buffer, self.words, POINTER_ROW + 1,
            len(self.circuit.facts), self.first_move,
            np.empty((0, 1), np.uint64) if sets is None else sets.table, inputs,
            np.ascontiguousarray(states), parents, np.ascontiguousarray(moves, np.int32), result,
        )  # fmt: skip
        return result

    @cached_property
    def _digest(self) -> str:
        return digest(self.circuit)

    def _key(self, name: str) -> str:
        return f"{name} {self._digest}"

    @cached_property
    def _view(self) -> Assembly:
        return self._assemble("view", lambda: view_program(self.circuit))

    @cached_property
    def _next(self) -> Assembly:
        return self._assemble("next", lambda: next_program(self.circuit, self._move_sets))

    @cached_property
    def _move_sets(self) -> MoveSets | None:
        return move_sets(self.circuit)

    def _assemble(self, name: str, build: Callable[[], Program]) -> Assembly:
        return assemble(
            build,
            [name],
            key=self._key(name),
            words=self.words,
            form=self.form,
            cache=self.cache,
        )


def view_program(circuit: Circuit) -> Program:
    """Return the program of a view: reads the facts, writes legal, terminal, goals, bad goals."""
    builder = Builder(phase="view")
    builder.new_rows(POINTER_ROW + 1)
    wanted = [
        *circuit.legal.tolist(),
        circuit.terminal,
        *(literal for goals in circuit.goals for _, literal in goals),
        *circuit.bad_goals.tolist(),
    ]
    rows = builder.new_rows(len(circuit.facts))
    results = builder.new_rows(len(wanted))
    known = {1 + i: builder.row(row) for i, row in enumerate(rows)}
    for row, literal in zip(results, builder.add(circuit, wanted, known), strict=True):
        builder.write(row, literal)
    return builder.program()


def next_program(circuit: Circuit, sets: MoveSets | None = None) -> Program:
    """Return the program of a step: reads the facts and the moves done, writes the next facts.

    With `sets` it reads which of them hold a move that was done, instead of the moves.
    """
    builder = Builder(phase="next")
    builder.new_rows(POINTER_ROW + 1)
    facts = range(1, 1 + len(circuit.facts))
    moves = [2 * node for node in range(facts.stop, 1 + circuit.inputs)]
    read = [*(2 * node for node in facts), *(moves if sets is None else sets.literals)]
    rows = builder.new_rows(len(read))
    results = builder.new_rows(len(circuit.facts))
    known = {
        literal >> 1: builder.row(row) ^ (literal & 1)
        for row, literal in zip(rows, read, strict=True)
    }
    wanted = circuit.next.tolist()
    for row, literal in zip(results, builder.add(circuit, wanted, known), strict=True):
        builder.write(row, literal)
    return builder.program()
