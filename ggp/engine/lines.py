"""Lines of play: numbers of joint moves, as the loop counts them, become terms and states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.kernel import Kernel
from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.native.numba_support import words_of
from ggp.reasoner import JointMove, State, View
from ggp.search.turns import joint_move

__all__ = ["Line", "Lines"]


@dataclass(frozen=True, slots=True)
class Line:
    """A sequence of joint moves."""

    joint_moves: tuple[JointMove, ...]
    #: The states that it passes through, the first one included.
    states: tuple[State, ...]
    #: Whether the state after the last move is missing: chance leads to any of several states, or
    #: there was no time to compute it.
    is_open: bool = False

    @property
    def is_round(self) -> bool:
        """Whether it returns to one of its states."""
        return self.states[-1] in self.states[:-1]


class Lines:
    """Follows lines through a game without a reasoner, which may have been closed meanwhile."""

    def __init__(self, kernel: Kernel, *, chance: int | None) -> None:
        """Take the kernel that steps and views states, and the number of the role of chance."""
        self._kernel, self._chance = kernel, chance
        self._viewed: tuple[State, View] | None = None

    def view(self, state: State) -> View:
        """Return the view of a state; the last one is kept."""
        if self._viewed is None or self._viewed[0] != state:
            self._viewed = state, self._view(state)
        return self._viewed[1]

    def _view(self, state: State) -> View:
        circuit, views = self._kernel.circuit, self._kernel.views(words_of(state).reshape(1, -1))
        goals = (
            None if place < 0 else known[place][0]
            for place, known in zip(views.goals[0].tolist(), circuit.goals, strict=True)
        )
        bits = np.unpackbits(views.legal[0].view(np.uint8), bitorder="little")
        legal = [bits[own.start : own.stop].nonzero()[0].tolist() for own in circuit.own_moves]
        return View(bool(views.terminal[0]), tuple(goals), _terms(circuit, legal))

    def after(self, line: Line, numbers: list[int], *, deadline: Deadline) -> Line:
        """Return the line with the joint moves of these numbers, as far as there is time."""
        for number in numbers:
            if line.is_open:
                break
            state = line.states[-1]
            legal = self.view(state).legal
            made = joint_move(legal, number)
            is_chance = self._chance is not None and len(legal[self._chance]) > 1
            if is_chance or deadline.is_over:
                line = Line((*line.joint_moves, made), line.states, is_open=True)
            else:
                line = Line((*line.joint_moves, made), (*line.states, self._next(state, made)))
        return line

    def end(self, state: State, numbers: list[int]) -> State:
        """Return the state after the joint moves of these numbers, chance's moves included."""
        for number in numbers:
            state = self._next(state, joint_move(self.view(state).legal, number))
        return state

    def _next(self, state: State, made: JointMove) -> State:
        places = zip(self._kernel.circuit.moves, made, strict=True)
        moves = np.array([[known.index(move) for known, move in places]], np.int32)
        return self._kernel.steps(words_of(state).reshape(1, -1), moves).tobytes()


def _terms(circuit: Circuit, legal: list[list[int]]) -> tuple[tuple[Term, ...], ...]:
    pairs = zip(circuit.moves, legal, strict=True)
    return tuple(tuple(known[place] for place in places) for known, places in pairs)
