"""The engine's searches for the goal of one role: minimax, bounded minimax and alpha-beta."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.symmetry import Symmetry, find_symmetries
from ggp.engine.alphabeta import loop
from ggp.engine.alphabeta.explorer import Explorer
from ggp.engine.alphabeta.first_history import first_history, play_out
from ggp.engine.alphabeta.helpers import Helpers
from ggp.engine.alphabeta.layout import ALPHABETA, BOUNDED, MINIMAX, Stack
from ggp.engine.alphabeta.sharing import ANNOUNCEMENTS
from ggp.engine.game import GameCode
from ggp.engine.layout import ENDLESS, FINISHED, PAUSED, assign_record, copy_record
from ggp.engine.resources import Resources
from ggp.engine.search import EngineSearch
from ggp.graph import GameGraph
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, words_of
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Bounded, Minimax, ValueVector
from ggp.search.limit import Limit
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

# The expansions after which a search to the end begins again, and the factor by which they grow.
_FIRST_BUDGET, _BUDGET_FACTOR = 1 << 20, 4

# The playouts with which the history of a search to the end begins, the share of its time that they
# may take, and the seconds between two looks at the clock.
_PLAYOUTS, _SHARE, _LOOK = 1024, 0.2, 0.001

# The names of a cut at a max node, and of one at a min node.
_PRUNES = {"bounded": ("win", "lose"), "alphabeta": ("beta", "alpha"), "minimax": ("", "")}


class RoleEngine(EngineSearch):
    """One of the searches for the goal of one role, over the machine code of a game.

    **Order.** With `ordered`, below the root the hash move comes first, then moves that end the
    game well, then those that have cut off the most: a proven value does not depend on the order.
    Where the search has a horizon, the moves at the root keep their order, so that the first of
    equal ones is found. Estimates are those of the reference, too, in games in which a state is
    always reached after the same number of joint moves; in others an estimate may rest on a search
    to another depth.

    **Windows.** With `ordered`, a table, and no chance, alpha-beta that deepens asks repeatedly
    whether the value reaches some bound: first the value that was found two joint moves less deep.
    So it closes in on the value (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, Best-first
    fixed-depth minimax algorithms, Artificial Intelligence 87, 1996, Section 3). Then it searches
    once more for this value alone, which finds the line and the first of equal moves with little
    work, because the table has the rest. Without a horizon it asks whether the value reaches one of
    the role's goals, by halves, and sorts the moves at the root, too.

    **Symmetries.** A state has the key of the smallest of its images in the table, near the root.

    **Threads.** Alpha-beta with `ordered` and a table may search with several threads (`sharing`),
    each on a core that is free, as soon as a question takes longer than a turn of the loop. What
    they expand depends on time, a proven value does not. A search of a number of nodes has one.
    """

    _stack: Stack

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search; the arguments are those of `EngineSearch`."""
        is_sorted = resources.ordered and resources.table_bytes > 0
        symmetries: Sequence[Symmetry] = ()
        if resources.symmetric and is_sorted:
            symmetries = find_symmetries(compiled.description, compiled.circuit)
        super().__init__(graph, settings, compiled, resources, value_words=1, symmetries=symmetries)
        self._game.numbers.algorithm = _ALGORITHMS[settings.algorithm]
        may_share = settings.algorithm == AlphaBeta.algorithm and is_sorted
        threads = resources.threads if may_share else 1
        announced = np.zeros(1 if threads == 1 else ANNOUNCEMENTS, np.uint64)
        self._first = Explorer(
            self._code, self._game, settings, compiled.circuit, announced=announced
        )
        self._stack = self._first.stack

        def new_explorer() -> Explorer:
            code = GameCode(compiled.circuit, words=int(self._game.numbers.words), cache=Cache())
            game = code.new_game(settings, has_table=True, ordered=True, symmetries=symmetries)
            game.numbers.algorithm = ALPHABETA
            return Explorer(code, game, settings, compiled.circuit, announced=announced)

        self._helpers = Helpers(
            self._first, new_explorer, lambda: self._memory.table, threads=threads
        )
        #: Whether the present search may have helpers.
        self._is_shared = False
        #: The values that were found in less depth, and whether they are used.
        self._values: list[float] = []
        self._closes_in = may_share and settings.chance is None
        rows = settings.leaf_values.found
        goals = settings.leaf_values.goals[settings.role]
        #: What the role can get, ascending.
        self._goals = sorted({0, *(goals if rows is None else (r.goals[self.role] for r in rows))})
        self._load()

    def _begin(self, node: int | None, limit: Limit) -> State:
        self._values.clear()
        self._is_shared = limit.nodes is None
        self._helpers.begin()
        return super()._begin(node, limit)

    def _valued(self, state: State) -> Found[float] | None:
        if self._closes_in and self._remaining == ENDLESS:
            return self._settled(state)
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

    def _settled(self, state: State) -> Found[float] | None:
        """Find the value of a state, searched to the end, among the goals of the role."""
        self._begin_history(state)
        low, high = self.settings.lose, self.settings.win
        goals = [goal for goal in self._goals if low <= goal <= high]
        found: Found[float] | None = None
        while len(goals) > 1:
            bound = goals[(len(goals) + 1) // 2]
            found = self._insisted(state, nextafter(bound, -inf), bound)
            if found is None:
                return None
            goals = [goal for goal in goals if (goal >= bound) == (found.value >= bound)]
        if found is None or low < found.value < high:
            value = goals[0] if goals else low
            found = self._insisted(
                state, max(low, nextafter(value, -inf)), min(high, nextafter(value, inf))
            )
            if found is not None and low < found.value < high and found.value != value:
                return self._insisted(state, low, high)  # it is no goal: rounds are worth 0
        return found

    def _begin_history(self, state: State) -> None:
        """Let the history begin with what random playouts from a state show."""
        stack, deadline = self._stack, self._deadline.part(_SHARE)
        if stack.history.any():
            return
        before, size = copy_record(stack.counters), len(stack.history) + 1
        stack.counters.limit = np.iinfo(np.int64).max
        stack.on_path[:] = 0
        totals, plays, made, some = np.zeros(size), np.zeros(size, np.int64), 0, 1
        while made < _PLAYOUTS and not deadline.is_over:
            began = time.perf_counter()
            last = min(_PLAYOUTS, made + some)
            done = self._play_out(words_of(state), made, last, totals, plays)
            made += done
            if made < last and stack.counters.needed <= len(self._stack.arena):
                break  # playouts are too long, or the history knows no effects of moves
            if made < last:
                self._grow()
            elif time.perf_counter() - began < _LOOK / 2:
                some *= 2
        spread = max(1.0, self._goals[-1] - self._goals[0])
        stack.history[:] = first_history(totals, plays, spread)
        assign_record(stack.counters, before)

    def _play_out(
        self,
        state: Words,
        first: int,
        last: int,
        totals: NDArray[np.float64],
        plays: NDArray[np.int64],
    ) -> int:
        return play_out(self._game, self._stack, state, first, last, totals, plays)

    def _insisted(self, state: State, low: float, high: float) -> Found[float] | None:
        """Search a state with a window, again and again with a larger limit of expansions.

        Each time the moves of the first nodes come in a better order; the table has the rest.
        """
        counters, budget, found = self._stack.counters, _FIRST_BUDGET, None
        limit, numbers = int(counters.limit), self._game.numbers
        numbers.is_root_ordered = 1
        while found is None and self._expanded() < limit:
            counters.limit = min(limit, self._expanded() + budget)
            found = self._asked(state, low, high)
            if self._expanded() < counters.limit:
                break  # it is found, or the time is over
            budget *= _BUDGET_FACTOR
        counters.limit, numbers.is_root_ordered = limit, 0
        return found

    def _asked(self, state: State, low: float, high: float) -> Found[float] | None:
        """Search a state with a window; None if a limit ended it."""
        numbers = self._game.numbers
        numbers.lose, numbers.win = low, high
        try:
            return self._explored(state, self._remaining)
        finally:
            numbers.lose, numbers.win = self.settings.lose, self.settings.win

    def _explored(self, state: State, remaining: int) -> Found[float] | None:
        try:
            return super()._explored(state, remaining)
        finally:
            self._helpers.rest()

    def _place(self, state: Words, remaining: int) -> None:
        self._first.stack.announced[:] = 0
        self._first.place(state, remaining)
        if self._is_shared:
            self._helpers.ask(state, remaining)

    def _explore(self, pause: int) -> int:
        what = self._first.explore(self._memory.table, pause)
        if what != PAUSED or self._expansion:
            return what  # a helper may not be waited for as long as one slow expansion takes
        helper = self._helpers.help(self._turns.size)
        if helper is None:
            return what
        self._first.adopt(helper)
        self._stack = self._first.stack
        return FINISHED

    def _searched(self, state: State, value: float) -> list[int]:
        is_shared, self._is_shared = self._is_shared, False
        try:
            return super()._searched(state, value)
        finally:
            self._is_shared = is_shared

    def _load(self) -> None:
        super()._load()
        self._play_out(self._compiled.kernel.initial()[0], 0, 0, np.zeros(1), np.zeros(1, np.int64))

    def load_all(self) -> None:
        """Load the code for games with and without links from facts to rows."""
        for explore in (loop.explore, loop.explore_within):
            explore(self._game, self._first.limits, self._stack, self._memory.table, 0)

    def _grow(self) -> None:
        self._first.grow()
        self._stack = self._first.stack

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

    def _progress_made(self) -> float:
        return max(self._share_done(is_refuted=True), self._share_done(is_refuted=False))

    def _share_done(self, *, is_refuted: bool) -> float:
        """Return how much of the search is done if the answer to its question is no, or yes.

        All children of a node share equally in it (Kilby, Slaney, Thiebaux and Walsh 2006,
        "Estimating search tree size"): where the answer is no, all moves of the role have to be
        searched, and the present reply to each is taken for the last one; where it is yes, the
        present move is the last one, and all replies have to be searched.
        """
        share, part = 0.0, 1.0
        for row in map(self._stack.frames.__getitem__, range(1, self._stack.counters.frame + 1)):
            own = int(row.own_count) if is_refuted else int(row.own_at) + 1
            replies = int(row.reply_at) + 1 if is_refuted else int(row.reply_count)
            for at, count in (
                (row.own_at, own),
                (row.reply_at, replies),
                (row.chance_at, int(row.chance_count)),
            ):
                share += part * int(at) / count
                part /= count
        return share

    def _line(self) -> NDArray[np.int32]:
        line: NDArray[np.int32] = self._stack.lines[0, 1]
        return line

    def _table_move(self, state: Words, remaining: int, value: float) -> int:
        return loop.table_move(
            self._game, self._first.limits, self._memory.table, state, remaining, value
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
        at_max, at_min = _PRUNES[self.algorithm]
        return {
            at_max: self._total("max_prunes"),
            at_min: self._total("min_prunes"),
            "table": self._total("table_prunes"),
        }

    def _total(self, name: str) -> int:
        return super()._total(name) + self._helpers.total(name)
