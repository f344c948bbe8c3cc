"""What runs tasks, wherever that is."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

from ggp.closing import Closing
from ggp.cluster.task import Failed
from ggp.deadline import Deadline
from ggp.errors import GgpError

__all__ = ["Executor", "Failed", "following", "run"]

#: Seconds between two checks whether the deadline was cancelled.
_TICK = 0.1


class Executor(Closing):
    """Calls one function with many tasks, each in a process that does nothing else meanwhile.

    A task whose node dies is run again. `close` ends the tasks that are running, and all processes
    that they have started.
    """

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more tasks should be submitted now."""

    @property
    @abstractmethod
    def running(self) -> list[Any]:
        """The tasks that were submitted, but whose results have not been returned."""

    @abstractmethod
    def submit(self, task: Any) -> None:
        """Let a task be run. Its result is that of the function, or `Failed`."""

    @abstractmethod
    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Wait for a result at most so long; return all tasks that are done, with their results.

        Raises:
            GgpError: the cluster is gone.
        """

    @abstractmethod
    def interrupt(self, seconds: float) -> None:
        """End the tasks that are running by a `KeyboardInterrupt`, and wait for that so long."""

    @property
    @abstractmethod
    def told(self) -> list[tuple[Any, Any]]:
        """Tasks that are running, each with the latest that is known of what it told."""


def run(
    executor: Executor,
    following: Callable[[], Any],
    *,
    deadline: Deadline,
    meanwhile: Callable[[], object] = lambda: None,
    every: float = 0.0,
) -> Iterator[tuple[Any, Any]]:
    """Run tasks until the deadline, and yield each with its result, in the order of their ends.

    Args:
        executor: runs the tasks.
        following: returns the next task; None if there is none, or none before another result.
        deadline: when to stop.
        meanwhile: called from time to time.
        every: seconds between two of these calls at least.

    Raises:
        GgpError: a task failed, or the cluster is gone. Results that were there are yielded before.
    """
    failed: list[Failed] = []
    called = -inf
    while not deadline.is_over and not failed:
        while executor.room > 0 and (task := following()) is not None:
            executor.submit(task)
        if not executor.running:
            return
        yield from _results(executor.wait(min(_TICK, deadline.remaining)), failed)
        if time.monotonic() - called > every:
            meanwhile()
            called = time.monotonic()
    if executor.running:
        # These have ended while the last results were stored, and count as well.
        yield from _results(executor.wait(0), failed)
    if failed:
        raise GgpError(failed[0].message)


def _results(done: list[tuple[Any, Any]], failed: list[Failed]) -> Iterator[tuple[Any, Any]]:
    """Yield the tasks that have a result, with it; note why the others have none."""
    for task, result in done:
        if isinstance(result, Failed):
            failed.append(result)
        else:
            yield task, result


def following(tasks: Iterable[Any]) -> Callable[[], Any]:
    """Return a function that returns one task after the other, and then None."""
    left = iter(tasks)
    return lambda: next(left, None)
