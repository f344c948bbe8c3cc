"""A puzzle as arrays of packed states, without the facts that do not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.kernel import Kernel, Views
from ggp.engine.puzzle.analysis import kinds_of
from ggp.kif import Term
from ggp.native.numba_support import Words, words_of
from ggp.reasoner import MAX_JOINT_MOVES, State
from ggp.search.puzzle import Plan

__all__ = ["Batch", "Children", "PackedPuzzle"]


class Batch(NamedTuple):
    """What the rules say of n states."""

    #: bool[n]
    terminal: NDArray[np.bool_]
    #: int64[n]: the role's goal; 0 where there is none.
    goals: NDArray[np.int64]
    #: uint64[n, words]: the legal moves.
    legal: Words


class Children(NamedTuple):
    """All successors of some states, in the order of the states and of their moves."""

    #: uint64[children, words]
    states: Words
    #: int64[children]: which state each one follows.
    parents: NDArray[np.int64]
    #: int32[children]: by which move.
    moves: NDArray[np.int32]


class PackedPuzzle:
    """Looks at states and expands them, many at a time.

    Its states are those of the kernel without the facts that are not relevant, and without the
    words that then are empty.
    """

    def __init__(self, kernel: Kernel) -> None:
        """Take the kernel of a game of one role, for this thread alone."""
        self._kernel = kernel
        self.circuit = circuit = kernel.circuit
        self.kinds = kinds_of(circuit)
        relevant = self._bits(self.kinds.relevant)
        #: The words of the kernel's states that are kept, and the bits of them.
        self._places = np.flatnonzero(relevant)
        self._mask = relevant[self._places]
        #: The mask of the clock, and that of all other facts.
        self.clock = self._bits(self.kinds.clock)[self._places]
        self.others = self._mask & ~self.clock
        goals = [goal for goal, _ in circuit.goals[0]]
        self._goals = np.array([*goals, 0], np.int64)  # place -1 is for no goal

    def _bits(self, facts: Iterable[int]) -> Words:
        packed: Words = self._kernel.pack(np.array([*facts], np.int32))[0]
        return packed

    @property
    def words(self) -> int:
        """The words of a state."""
        return len(self._places)

    def narrow(self, states: Words) -> Words:
        """Return states of the kernel as states of the puzzle.

        Args:
            states: uint64[n, words of the kernel].

        Returns:
            uint64[n, words].
        """
        return states[:, self._places] & self._mask

    def values(self, states: Words, facts: Sequence[int]) -> NDArray[np.bool_]:
        """Return which of some relevant facts are true in which states.

        Args:
            states: uint64[n, words].
            facts: numbers of facts, in the kernel's order.

        Returns:
            bool[n, facts].
        """
        words, bits = self.where(facts)
        found: NDArray[np.bool_] = (states[:, words] >> bits & np.uint64(1)) != 0
        return found

    def where(self, facts: Sequence[int]) -> tuple[NDArray[np.int64], Words]:
        """Return in which word of a state, and in which bit of it, relevant facts are.

        Args:
            facts: numbers of facts, in the kernel's order.

        Returns:
            int64[facts], the words; uint64[facts], the bits, 0 to 63.
        """
        numbers = np.array(facts, np.int64)
        return np.searchsorted(self._places, numbers >> 6), (numbers & 63).astype(np.uint64)

    def step(self, states: Words, move: int) -> Words:
        """Return what follows states by a move, which need not be legal: uint64[n, words].

        Args:
            states: uint64[n, words].
            move: its number.
        """
        moves = np.full((len(states), 1), move, np.int32)
        return self.narrow(self._kernel.steps(self._widen(states), moves))

    def look(self, states: Words) -> Batch:
        """Return what the rules say of states: uint64[n, words]."""
        views = self._kernel.views(self._widen(states))
        return Batch(views.terminal, self._goals[views.goals[:, 0]], views.legal)

    def children(self, states: Words, legal: Words) -> Children:
        """Return the successors of states that are not terminal.

        Args:
            states: uint64[n, words].
            legal: uint64[n, words of the legal moves], as `look` returns them.

        Raises:
            TooManyJointMoves: a state has more than `MAX_JOINT_MOVES`.
        """
        count = len(states)
        views = Views(legal, np.zeros(count, np.bool_), np.zeros((count, 1), np.int16))
        made = self._kernel.expand(self._widen(states), views, limit=MAX_JOINT_MOVES)
        parents = np.repeat(np.arange(count), np.diff(made.first))
        return Children(self.narrow(made.states), parents, made.moves[:, 0])

    def _widen(self, states: Words) -> Words:
        wide: Words = np.zeros((len(states), self._kernel.state_words), np.uint64)
        wide[:, self._places] = states
        return wide

    # One state of the kernel, and moves by number

    def moves_of(self, legal: Words) -> list[Term]:
        """Return the moves that are set in a row of legal moves: uint64[words]."""
        bits = np.unpackbits(legal.view(np.uint8), bitorder="little")
        return [self._kernel.circuit.moves[0][move] for move in np.flatnonzero(bits)]

    def facts(self, state: State) -> list[Term]:
        """Return the facts that are true in a state of the kernel."""
        bits = np.unpackbits(words_of(state).view(np.uint8), bitorder="little")
        return [self._kernel.circuit.facts[fact] for fact in np.flatnonzero(bits)]

    def plan(self, state: State, moves: list[int]) -> Plan:
        """Play moves from a state of the kernel to the end, and return what that comes to.

        Raises:
            ValueError: a move is not legal, or the game is not over after the last one.
        """
        states, words = [state], words_of(state).reshape(1, -1)
        for move in moves:
            views = self._kernel.views(words)
            if views.terminal[0] or not views.legal[0, move >> 6] >> np.uint64(move & 63) & 1:
                raise ValueError("a plan has a move that is not legal")
            words = self._kernel.steps(words, np.array([[move]], np.int32))
            states.append(words.tobytes())
        views = self._kernel.views(words)
        if not views.terminal[0]:
            raise ValueError("a plan does not lead to the end of the game")
        names = self._kernel.circuit.moves[0]
        made = tuple((names[move],) for move in moves)
        return Plan(int(self._goals[views.goals[0, 0]]), made, tuple(states))
