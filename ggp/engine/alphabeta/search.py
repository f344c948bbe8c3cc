"""The engine's searches for the goal of one role: minimax, bounded minimax and alpha-beta."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.deadline import Deadline
from ggp.engine.alphabeta import loop
from ggp.engine.alphabeta.layout import (
    ALPHABETA,
    BOUNDED,
    MINIMAX,
    RoleCounters,
    RoleFrame,
    Stack,
)
from ggp.engine.alphabeta.limits import new_limits
from ggp.engine.alphabeta.move_order import MANY
from ggp.engine.layout import new_record
from ggp.engine.search import EngineSearch
from ggp.engine.stack import FIRST_FRAMES, common_stack, copied, large_arena, more_frames
from ggp.graph import GameGraph
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner, Words
from ggp.search import AlphaBeta, Bounded, Minimax, ValueVector
from ggp.search.result import tidy
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Bound, Found

__all__ = ["RoleEngine"]

_ALGORITHMS = {
    Minimax.algorithm: MINIMAX,
    Bounded.algorithm: BOUNDED,
    AlphaBeta.algorithm: ALPHABETA,
}

# How many null-window searches alpha-beta makes before it searches the window that is left.
_PROBES = 30

# The names of a cut at a max node, and of one at a min node.
_PRUNES = {"bounded": ("win", "lose"), "alphabeta": ("beta", "alpha"), "minimax": ("", "")}


class RoleEngine(EngineSearch):
    """One of the searches for the goal of one role, over the machine code of a game.

    **Order.** With `ordered`, below the root the hash move comes first, then moves that end the
    game well, then those that have cut off the most: a proven value does not depend on the order.
    The moves at the root keep their order, so that the first of equal ones is found. Estimates are
    those of the reference, too, in games in which a state is always reached after the same number
    of joint moves; in others an estimate may rest on a search to another depth.

    **Windows.** With `ordered`, a table, and no chance, alpha-beta that deepens asks repeatedly
    whether the value reaches some bound: first the value that was found two joint moves less deep.
    So it closes in on the value (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, Best-first
    fixed-depth minimax algorithms, Artificial Intelligence 87, 1996, Section 3). Then it searches
    once more for this value alone, which finds the line and the first of equal moves with little
    work, because the table has the rest.
    """

    _stack: Stack

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        ordered: bool,
        **options: Any,
    ) -> None:
        """Prepare to search; the arguments are those of `EngineSearch`."""
        super().__init__(
            graph,
            settings,
            compiled,
            table_bytes=table_bytes,
            ordered=ordered,
            value_words=1,
            **options,
        )
        self._game.numbers.algorithm = _ALGORITHMS[settings.algorithm]
        self._limits = new_limits(settings, compiled.circuit)
        self._stack = Stack(
            **common_stack(RoleFrame, roles=len(graph.roles), room=self._code.room),
            counters=new_record(RoleCounters),
            lines=np.zeros((2, FIRST_FRAMES, FIRST_FRAMES), np.int32),
            scores=np.zeros(MANY, np.int64),
            history=np.zeros(self._code.moves, np.int64),
            found=np.zeros(1),
        )
        #: The values that were found in less depth, and whether they are used.
        self._values: list[float] = []
        self._closes_in = bool(
            settings.algorithm == AlphaBeta.algorithm
            and ordered
            and table_bytes
            and settings.chance is None
        )
        self._load()

    def _begin(self, node: int | None, nodes: int | None, deadline: Deadline | None) -> State:
        self._values.clear()
        return super()._begin(node, nodes, deadline)

    def _valued(self, state: State) -> Found[float] | None:
        low, high = whole = self.settings.lose, self.settings.win
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
        for _ in range(_PROBES):
            bound = max(guess, nextafter(low, inf))
            if low >= high or (found := self._asked(state, nextafter(bound, -inf), bound)) is None:
                break
            guess = found.value
            low, high = (low, guess) if guess < bound else (guess, high)
        # bounds cross where what estimates rest on has changed meanwhile
        return nextafter(min(low, high), -inf), nextafter(max(low, high), inf)

    def _asked(self, state: State, low: float, high: float) -> Found[float] | None:
        """Search a state with a window; None if a limit ended it."""
        numbers = self._game.numbers
        numbers.lose, numbers.win = low, high
        try:
            return self._explored(state, self._remaining)
        finally:
            numbers.lose, numbers.win = self.settings.lose, self.settings.win

    def _place(self, state: Words, remaining: int) -> None:
        loop.place_root(self._game, self._limits, self._stack, state, remaining)

    def _explore(self, pause: int) -> int:
        explore = loop.explore_within if len(self._limits.goals) else loop.explore
        return explore(self._game, self._limits, self._stack, self._memory.table, pause)

    def load_all(self) -> None:
        """Load the code for games with and without links from facts to rows."""
        for explore in (loop.explore, loop.explore_within):
            explore(self._game, self._limits, self._stack, self._memory.table, 0)

    def _grow(self) -> None:
        stack = self._stack
        if stack.counters.frame + 2 >= len(stack.frames):
            stack = stack._replace(**more_frames(stack))
            size = len(stack.frames)
            stack = stack._replace(lines=copied(stack.lines, 2, size, size))
        self._stack = stack._replace(arena=large_arena(stack))

    def _found(self) -> Found[float]:
        return Found(float(self._stack.found[0]), bool(self._stack.counters.found_proven))

    def _is_exact(self, found: Found[float]) -> bool:
        bound = self.settings.bound(found.value, self.settings.lose, self.settings.win)
        return found.proven and bound is Bound.EXACT

    def _best_so_far(self) -> tuple[Found[float] | None, int]:
        root = self._stack.frames[1]
        if self._stack.counters.frame == 0 or root.best_length == 0:
            return None, 0
        return Found(float(root.best), proven=False), int(root.best_length)

    def _line(self) -> NDArray[np.int32]:
        line: NDArray[np.int32] = self._stack.lines[0, 1]
        return line

    def _table_move(self, state: Words, remaining: int, value: float) -> int:
        return loop.table_move(
            self._game, self._limits, self._memory.table, state, remaining, value
        )

    def _path(self) -> list[int]:
        rows = map(self._stack.frames.__getitem__, range(1, self._stack.counters.frame + 1))
        return [
            int(row.own_term + row.reply_term + row.chance_at * row.chance_stride) for row in rows
        ]

    def _goals_of(self, value: float) -> ValueVector:
        roles = range(len(self.graph.roles))
        return tuple(tidy(value) if role == self.role else None for role in roles)

    def _prunes(self) -> Mapping[str, int]:
        counters, (at_max, at_min) = self._stack.counters, _PRUNES[self.algorithm]
        return {
            at_max: int(counters.max_prunes),
            at_min: int(counters.min_prunes),
            "table": int(counters.table_prunes),
        }
