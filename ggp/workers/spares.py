"""Workers that are started ahead, so that a task need not wait for them to start."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.workers.worker import Worker, has_ended

__all__ = ["Spares"]

#: Seconds between two looks at whether a spare worker has ended, and before another attempt to
#: start one after a failure.
_PERIOD = 5.0
#: Seconds that a worker may take to say that it has started.
_START = 60.0

_log = logging.getLogger(__name__)


class Spares(Closing):
    """Keeps workers that have been started ahead. Any thread may call the methods."""

    def __init__(self, start: Callable[[], Worker], *, count: int) -> None:
        """Begin to start workers, one after the other in the background.

        Args:
            start: starts a worker. Its first message, which is dropped, says that it has started.
            count: how many to keep; for each one that is taken, another one is started.
        """
        self._start = start
        self._count = count
        self._changed = Condition()  # guards everything below
        self._spare: deque[Worker] = deque()
        self._ended: list[Worker] = []
        self._is_closed = False
        Thread(target=self._fill, daemon=True, name="spares").start()

    @property
    def processes(self) -> tuple[int, ...]:
        """The numbers of the processes that are spare."""
        with self._changed:
            return tuple(worker.pid for worker in self._spare)

    def take(self) -> Worker:
        """Return a worker that has started; where none is left, start one.

        The worker belongs to the caller.

        Raises:
            OSError: no worker can be started, or `close` was called.
        """
        with self._changed:
            if self._is_closed:
                raise OSError("the spare workers are closed")
            self._sort_out()
            self._changed.notify_all()
            if self._spare:
                return self._spare.popleft()
        return self._start()

    def close(self) -> None:
        """End the workers that are spare. May be called again."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            left = [*self._spare, *self._ended]
            self._spare.clear()
            self._ended.clear()
        for worker in left:
            worker.close()

    def _sort_out(self) -> None:
        """Set those aside that have ended. To close them may take long."""
        ended = [worker for worker in self._spare if has_ended(worker)]
        for worker in ended:
            self._spare.remove(worker)
        self._ended += ended

    def _fill(self) -> None:
        """Keep as many as there should be, until `close`."""
        while True:
            with self._changed:
                self._changed.wait_for(self._is_short, _PERIOD)
                if self._is_closed:
                    return
                self._sort_out()
                ended, self._ended = self._ended, []
                is_full = len(self._spare) >= self._count
            for worker in ended:
                worker.close()
            trouble = "" if is_full else self._add()
            if trouble:
                with self._changed:
                    if self._changed.wait_for(lambda: self._is_closed, _PERIOD):
                        return
                _log.warning("no process is started ahead: %s", trouble)

    def _is_short(self) -> bool:
        return self._is_closed or bool(self._ended) or len(self._spare) < self._count

    def _add(self) -> str:
        """Start one more, and return why that was not possible; "" if it was."""
        try:
            worker = self._start()
        except OSError as error:
            return str(error)
        try:
            worker.receive(Deadline.after(_START))
        except (EOFError, TimeUp):
            worker.close()
            return "it does not start"
        with self._changed:
            if not self._is_closed:
                self._spare.append(worker)
                return ""
        worker.close()
        return ""
