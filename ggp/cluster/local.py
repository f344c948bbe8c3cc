"""Tasks in processes of this machine."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NoReturn

from ggp.cluster.executor import Executor
from ggp.cluster.task import Failed, call, search_path, take_search_path
from ggp.deadline import Deadline, TimeUp
from ggp.workers.child import Owner
from ggp.workers.cores import reserved
from ggp.workers.worker import Worker, ready

__all__ = ["LocalExecutor", "main"]

#: Seconds between two times that a process passes on what its task tells.
_EVERY = 1.0

_DIED = "a process died, perhaps for lack of memory: try fewer --jobs"


class LocalExecutor(Executor):
    """Runs tasks in processes, which take one task after the other, so that they may cache."""

    def __init__(
        self,
        function: Callable[[Any], Any],
        *,
        jobs: int,
        cores: int,
        memory_limit: int | None = None,
    ) -> None:
        """Take the function; processes start when they are needed.

        Args:
            function: of a module, or another that can be pickled.
            jobs: how many processes there may be.
            cores: how many cores each of them keeps for itself; 0 for none.
            memory_limit: bytes of address space that a process may take; None for no limit.
        """
        # Its module may be importable only after the process has set the path.
        self._arguments = search_path(), pickle.dumps(function), cores
        self._jobs, self._limit = jobs, memory_limit
        self._stack = ExitStack()
        self._idle: list[Worker] = []
        self._busy: dict[Worker, Any] = {}
        self._told: dict[Worker, Any] = {}

    @property
    def room(self) -> int:
        """How many more tasks should be submitted now."""
        return self._jobs - len(self._busy)

    @property
    def running(self) -> list[Any]:
        """The tasks that were submitted, but whose results have not been returned."""
        return list(self._busy.values())

    @property
    def told(self) -> list[tuple[Any, Any]]:
        """Tasks that are running, each with the latest that is known of what it told."""
        return [(self._busy[worker], value) for worker, value in self._told.items()]

    def submit(self, task: Any) -> None:
        """Let a task be run."""
        worker = self._idle.pop() if self._idle else self._started()
        self._busy[worker] = task
        worker.post(task)

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Wait for a result at most so long; return all tasks that are done."""
        done = []
        with suppress(TimeUp):
            for worker in ready(self._busy, Deadline.after(seconds)):
                try:
                    is_done, value = worker.receive()
                except EOFError:
                    worker.close()
                    is_done, value = True, Failed(_DIED)
                else:
                    if is_done:
                        self._idle.append(worker)
                if is_done:
                    self._told.pop(worker, None)
                    done.append((self._busy.pop(worker), value))
                else:
                    self._told[worker] = value
        return done

    def interrupt(self, seconds: float) -> None:
        """End the tasks that are running by a `KeyboardInterrupt`, and wait for that so long."""
        for worker in self._busy:
            os.kill(worker.pid, signal.SIGINT)  # it is our child, which has not been waited for
        deadline = Deadline.after(seconds)
        while self._busy and not deadline.is_over:
            self.wait(deadline.remaining)

    def close(self) -> None:
        """End all processes. May be called again."""
        self._stack.close()
        self._busy.clear()
        self._told.clear()

    def _started(self) -> Worker:
        return self._stack.enter_context(
            Worker(__name__, *self._arguments, memory_limit=self._limit)
        )


def main(owner: Owner, path: Sequence[str], pickled: bytes, cores: int) -> NoReturn:
    """Call a pickled function with the tasks that the owner sends, one after the other."""
    take_search_path(path)
    with reserved(cores):
        function: Callable[[Any], Any] = pickle.loads(pickled)
        while True:
            result = call(
                function,
                owner.receive(),
                send=lambda value: owner.send((False, value)),
                every=_EVERY,
            )
            owner.send((True, result))
