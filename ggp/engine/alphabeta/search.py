"""The engine's searches for the goal of one role: minimax, bounded minimax and alpha-beta."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from ggp.deadline import Deadline
from ggp.engine import layout
from ggp.engine.alphabeta import layout as role_layout
from ggp.engine.alphabeta import loop as role_loops
from ggp.engine.alphabeta.stack import grown, new_stack
from ggp.engine.search import EngineSearch, tidy
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner, Words
from ggp.search import AlphaBeta, Bounded, Minimax, SearchResult, ValueVector
from ggp.search.role_search import RoleSearch
from ggp.search.transposition_table import Found

__all__ = ["RoleEngine"]

_ALGORITHMS: dict[type[RoleSearch], int] = {
    Minimax: role_layout.MINIMAX,
    Bounded: role_layout.BOUNDED,
    AlphaBeta: role_layout.ALPHABETA,
}

# How often alpha-beta asks for a bound before it searches the window that is left.
_QUESTIONS = 30

# What a cut at a max node is called, and one at a min node.
_PRUNES = {"bounded": ("win", "lose"), "alphabeta": ("beta", "alpha"), "minimax": ("", "")}


class RoleEngine(EngineSearch):
    """One of the searches for the goal of one role, over the machine code of a game.

    **Order.** With `ordered`, below the root the move that the table names comes first, then moves
    that end the game well, then those that have cut off the most: what is proven does not depend
    on the order. The moves at the root keep their order, so that the first of equal ones is found.
    Estimates, too, are those of the reference wherever play cannot come to a state in different
    numbers of joint moves; else what an estimate rests on may have been found at another depth.

    **Windows.** With `ordered`, a table, and no chance, alpha-beta that deepens asks only whether
    the value is as high as some bound, again and again: first what was found two joint moves less
    deep. So it closes in on the value (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, Best-first
    fixed-depth minimax algorithms, Artificial Intelligence 87, 1996, Section 3). Then it searches
    once more for this value alone, which finds the line and the first of equal moves, with little
    work: the table knows the rest.
    """

    _stack: role_layout.Stack

    def __init__(
        self,
        reference: RoleSearch,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        whole_table: bool = False,
        ordered: bool,
        words: int | None,
        progress: Callable[[SearchResult], None] | None,
    ) -> None:
        """Prepare to search; the arguments are those of `EngineSearch`."""
        super().__init__(
            reference,
            compiled,
            table_bytes=table_bytes,
            whole_table=whole_table,
            value_words=1,
            ordered=ordered,
            words=words,
            progress=progress,
        )
        self._game.numbers[layout.ALGORITHM] = _ALGORITHMS[type(reference)]
        floats = self._game.floats
        floats[layout.LOW], floats[layout.HIGH] = reference.low, reference.high
        floats[layout.LOSE], floats[layout.WIN] = reference.settings.lose, reference.settings.win
        self._stack = new_stack(
            roles=len(self.graph.roles), moves=self._code.moves, room=self._code.room
        )
        #: What was found in less depth, and whether that is used.
        self._values: list[float] = []
        self._closes_in = bool(
            isinstance(reference, AlphaBeta)
            and ordered
            and table_bytes
            and reference.chance is None
        )
        self._load()

    def _begin(self, node: int | None, nodes: int | None, deadline: Deadline | None) -> State:
        self._values.clear()
        return super()._begin(node, nodes, deadline)

    def _valued(self, state: State) -> Found[float] | None:
        low, high = whole = tuple(self._game.floats[[layout.LOSE, layout.WIN]].tolist())
        if self._closes_in and self._values:
            low, high = self._closed_in(state, low, high)
        found = self._asked(state, max(low, whole[0]), min(high, whole[1]))
        if found is not None and not low < found.value < high and (low, high) != whole:
            found = self._asked(state, *whole)
        if found is not None:
            self._values.append(found.value)
        return found

    def _closed_in(self, state: State, low: float, high: float) -> tuple[float, float]:
        """Return a small window that holds the value of a state, which is from low to high.

        It is larger if a limit ends the search.
        """
        # values go up and down with the role that moves last
        guess: float = self._values[-2:][0]
        for _ in range(_QUESTIONS):
            bound = max(guess, nextafter(low, inf))
            if low >= high or (found := self._asked(state, nextafter(bound, -inf), bound)) is None:
                break
            guess = found.value
            low, high = (low, guess) if guess < bound else (guess, high)
        # bounds cross where what estimates rest on has changed meanwhile
        return nextafter(min(low, high), -inf), nextafter(max(low, high), inf)

    def _asked(self, state: State, low: float, high: float) -> Found[float] | None:
        """Search a state with a window; None if a limit ended it."""
        floats = self._game.floats
        whole = floats[[layout.LOSE, layout.WIN]]
        floats[[layout.LOSE, layout.WIN]] = low, high
        try:
            return self._explored(state, self._remaining)
        finally:
            floats[[layout.LOSE, layout.WIN]] = whole

    def _place(self, state: Words, remaining: int) -> None:
        role_loops.place_root(self._game, self._stack, state, remaining)

    def _explore(self, pause: int) -> int:
        return role_loops.explore(self._game, self._stack, self._memory.table, pause)

    def _grow(self) -> None:
        self._stack = grown(self._stack)

    def _found(self) -> Found[float]:
        sure = bool(self._stack.counters[layout.FOUND_SURE])
        return Found(float(self._stack.found[0]), sure)

    def _best_so_far(self) -> tuple[Found[float] | None, int]:
        stack, length = self._stack, int(self._stack.frames[1, role_layout.BEST_LENGTH])
        if stack.counters[role_layout.FRAME] == 0 or length == 0:
            return None, 0
        return Found(float(stack.values[1, role_layout.BEST]), proven=False), length

    def _line(self) -> NDArray[np.int32]:
        line: NDArray[np.int32] = self._stack.lines[0, 1]
        return line

    def _known(self, state: Words, remaining: int, value: float) -> int:
        return role_loops.known(self._game, self._memory.table, state, remaining, value)

    def _path(self) -> list[int]:
        frames = self._stack.frames[1 : self._stack.counters[role_layout.FRAME] + 1]
        luck = frames[:, role_layout.AT_LUCK] * frames[:, role_layout.LUCK_STRIDE]
        terms = frames[:, role_layout.OWN_TERM] + frames[:, role_layout.ANSWER_TERM]
        numbers: list[int] = (terms + luck).tolist()
        return numbers

    def _goals_of(self, value: float) -> ValueVector:
        roles = range(len(self.graph.roles))
        return tuple(tidy(value) if role == self.role else None for role in roles)

    def _prunes(self) -> Mapping[str, int]:
        counters = self._stack.counters.tolist()
        at_max, at_min = _PRUNES[self.algorithm]
        return {
            at_max: counters[role_layout.MAX_PRUNES],
            at_min: counters[role_layout.MIN_PRUNES],
        }
