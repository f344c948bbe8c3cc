"""The threads that search beside the first one what it searches, in the same table."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np

from ggp.engine.alphabeta.explorer import Explorer
from ggp.engine.layout import FINISHED, FULL, PAUSED, assign_record
from ggp.engine.transposition_table import Table
from ggp.errors import ReasonerMemory
from ggp.native.numba_support import Words
from ggp.workers.cores import available, borrowed

__all__ = ["PATIENCE", "Helpers"]

#: Seconds that a question takes before it is shared: to share it takes some time, too.
PATIENCE = 0.005


class Helpers:
    """The helpers of a first thread.

    They begin when a question turns out to take long, and go on from turn to turn of the first
    thread until they are to `rest`. The thread that finds the value first ends the search of all.
    """

    def __init__(
        self,
        first: Explorer,
        new_explorer: Callable[[], Explorer],
        table: Callable[[], Table],
        *,
        threads: int | None,
    ) -> None:
        """Prepare to help.

        Args:
            first: what the first thread runs.
            new_explorer: makes what another thread runs; called once for each.
            table: returns the present table, which may be replaced by a larger one.
            threads: how many threads there are, the first one included; None for one on each core
                that is free when a question is asked.
        """
        self._first, self._new_explorer, self._table = first, new_explorer, table
        self._threads, self._most = threads, threads or available()
        self._pool = ThreadPoolExecutor(self._most - 1) if self._most > 1 else None
        self._explorers: list[Explorer] = []
        self._running: list[Future[int]] = []
        self._cores = ExitStack()
        self._question: tuple[Words, int] | None = None
        self._asked = 0.0

    def begin(self) -> None:
        """Count from 0."""
        for explorer in self._explorers:
            assign_record(explorer.stack.counters)

    def total(self, name: str) -> int:
        """Return a count of all helpers."""
        return sum(int(getattr(explorer.stack.counters, name)) for explorer in self._explorers)

    def ask(self, state: Words, remaining: int) -> None:
        """Note what the first thread begins to search."""
        self._question, self._asked = (state, remaining), time.perf_counter()

    def help(self, turn: int) -> Explorer | None:
        """Begin to help, if it is time to; return the helper that has found the value, if any.

        Args:
            turn: the expansions after which a helper looks whether the table has grown.
        """
        if self._pool is None or self._question is None:
            return None
        if not self.are_at_work and time.perf_counter() - self._asked > PATIENCE:
            self._begin(*self._question, turn)
        for explorer in self._explorers:  # the table grows with the entries that all have made
            self._first.stack.counters.entries += explorer.stack.counters.entries
            explorer.stack.counters.entries = 0
        for explorer, each in zip(self._explorers, self._running, strict=False):
            if each.done() and each.result() == FINISHED:
                return explorer
        return None

    @property
    def are_at_work(self) -> bool:
        """Whether any helper searches."""
        return bool(self._running)

    def rest(self) -> None:
        """Wait until no helper searches."""
        for explorer in self._explorers:
            explorer.stack.counters.limit = 0  # it ends at the next expansion
        for each in self._running:
            each.exception()
        self._question, self._running = None, []
        self._cores.close()

    def _begin(self, state: Words, remaining: int, turn: int) -> None:
        assert self._pool is not None
        cores = self._cores.enter_context(borrowed(self._most))
        count = (cores if self._threads is None else self._threads) - 1
        try:
            while len(self._explorers) < count:
                self._explorers.append(self._new_explorer())
            for explorer in self._explorers[:count]:
                self._prepare(explorer, state, remaining)
                self._running.append(self._pool.submit(self._go_on, explorer, turn))
        except (MemoryError, RuntimeError):  # no thread can be started: those there are go on
            self._pool = None
        if not self.are_at_work:
            self._cores.close()
            self._asked = time.perf_counter()

    def _prepare(self, explorer: Explorer, state: Words, remaining: int) -> None:
        """Give a helper the question of the first thread, and what that one knows of moves."""
        numbers, asked = explorer.game.numbers, self._first.game.numbers
        numbers.lose, numbers.win = asked.lose, asked.win
        numbers.is_root_ordered = asked.is_root_ordered
        explorer.stack.history[:] = self._first.stack.history
        counters = explorer.stack.counters
        counters.age, counters.limit = self._first.stack.counters.age, np.iinfo(np.int64).max
        explorer.stack.on_path[:] = 0
        explorer.place(state, remaining)

    def _go_on(self, explorer: Explorer, turn: int) -> int:
        counters, what = explorer.stack.counters, PAUSED
        while what in (PAUSED, FULL):
            if what == FULL:
                try:
                    explorer.grow()
                except (MemoryError, ReasonerMemory):  # the first thread finds out for itself
                    return FULL
            done = int(counters.expanded + counters.researched + counters.played_out)
            what = explorer.explore(self._table(), done + turn)
        return what
