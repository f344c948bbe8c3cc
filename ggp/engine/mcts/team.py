"""The threads that search a tree together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from ggp.engine.layout import FULL
from ggp.engine.mcts.layout import STOP, VISITS, Tree
from ggp.engine.mcts.worker import Worker

__all__ = ["Team"]

# More turns than a search takes: the threads beside the first one go on until they are to stop.
_ENDLESS = 2**62


class Team:
    """The workers on a tree: the caller's thread is the first one's, the others have their own.

    The others go on from turn to turn of the first one, until they are to `rest`: only then may the
    tree be read or changed.
    """

    def __init__(self, tree: Tree, new_worker: Callable[[int], Worker], *, most: int) -> None:
        """Prepare to search.

        Args:
            tree: the tree.
            new_worker: makes the worker with a number, as soon as it is needed.
            most: how many threads there are at most.
        """
        self._tree, self._new_worker = tree, new_worker
        self._threads = ThreadPoolExecutor(most - 1) if most > 1 else None
        self._running: list[Future[int]] = []
        #: As far as they were needed; and how many of them are at work.
        self.workers: list[Worker] = []
        self._active = 0

    @property
    def first(self) -> Worker:
        """The worker of the caller's thread."""
        return self.workers[0]

    @property
    def playouts(self) -> int:
        """How many playouts have ended."""
        return sum(worker.playouts for worker in self.workers)

    def employ(self, threads: int) -> None:
        """Let this number of threads search, and take back what the others have under way."""
        for number in range(len(self.workers), threads):
            self.workers.append(self._new_worker(number))
        for worker in self.workers[threads:]:
            worker.abandon()
        self._active = self._tree.numbers.threads = threads

    def begin(self) -> None:
        """Count visits from 0."""
        self._tree.totals[VISITS] = 0
        for worker in self.workers:
            worker.begin()

    def explore(self, turns: int) -> set[int]:
        """Let the first worker search for some turns; return why it, or another one, has ended."""
        first, *others = self.workers[: self._active]
        if others and not self._running and self._threads is not None:
            self._running = [self._threads.submit(_go_on, worker) for worker in others]
        return {first.explore(turns), *(each.result() for each in self._running if each.done())}

    def rest(self) -> None:
        """Wait until no worker changes the tree; some of them may not have ended a visit."""
        self._tree.totals[STOP] = 1
        for each in self._running:
            each.exception()
        self._running = []
        self._tree.totals[STOP] = 0
        for worker in self.workers:  # one that has paused did not yet count its last visits for all
            own = worker.tree.own
            self._tree.totals[VISITS] += own.visits - own.counted
            own.counted = own.visits

    def abandon(self) -> None:
        """Take back all visits that are under way."""
        for worker in self.workers:
            worker.abandon()


def _go_on(worker: Worker) -> int:
    what = FULL
    while what == FULL:
        what = worker.explore(_ENDLESS)
    return what
