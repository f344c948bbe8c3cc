"""Tasks on a cluster of Ray.

A task is a remote function that names its cores and memory, so that Ray starts it where both are
free. Ray repeats the tasks of a node that dies; the driver takes each result once. What the tasks
call, with the plan in it, is one object in Ray's object store, which each node fetches once.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of a change

import ray
from ray._private import worker as _of_ray
from ray.exceptions import RayError

from ggp.cluster.executor import Executor
from ggp.cluster.task import Failed, call, search_path, take_search_path
from ggp.errors import ClusterError
from ggp.workers.cores import reserved

__all__ = ["RayExecutor", "connect"]

#: How often a task is run again whose process or node died.
_RETRIES = 10
#: Seconds between two times that a task passes on what it tells: there may be thousands of them.
_EVERY = 5.0
#: Seconds to reach a cluster.
_PATIENCE = 10.0
#: Seconds between two looks at the cluster and at what tasks told.
_LOOK = 1.0

_LOG = logging.getLogger(__name__)


class _Board:
    """An actor that keeps the latest value that each running task told."""

    def __init__(self) -> None:
        self._told: dict[int, Any] = {}

    def tell(self, number: int, value: Any) -> None:
        self._told[number] = value

    def read(self, running: Sequence[int]) -> dict[int, Any]:
        """Return what the running tasks told, and forget the others."""
        self._told = {number: self._told[number] for number in running if number in self._told}
        return self._told


@lru_cache(maxsize=1)
def _loaded(pickled: bytes) -> Callable[[Any], Any]:
    """Return the function that tasks call: one object for all of them, so that it may cache."""
    path, function = pickle.loads(pickled)
    take_search_path(path)
    loaded: Callable[[Any], Any] = pickle.loads(function)
    return loaded


def _perform(pickled: bytes, cores: int, number: int, task: Any, board: Any) -> Any:
    """Call the function with a task, on a node."""

    def send(value: object) -> None:
        if board is not None:
            board.tell.remote(number, value)

    with reserved(cores):
        return call(_loaded(pickled), task, send=send, every=_EVERY)


class RayExecutor(Executor):
    """Runs tasks on a cluster, which may grow and shrink meanwhile."""

    def __init__(
        self,
        address: str,
        function: Callable[[Any], Any],
        *,
        jobs: int | None,
        cores: int,
        memory: int,
        is_watched: bool,
    ) -> None:
        """Connect to a cluster.

        Args:
            address: as `ray.init` takes it.
            function: of a module, or another that can be pickled.
            jobs: how many tasks are submitted at most; None for twice as many as run at once, so
                that no node waits for the driver, and a cluster that can grow sees that it should.
            cores: logical cores that a task reserves.
            memory: bytes that a task reserves.
            is_watched: whether `told` is asked for.

        Raises:
            ClusterError: there is no such cluster.
        """
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            connect(address)
        self._jobs, self._cores, self._memory = jobs, cores, memory
        self._function = ray.put(pickle.dumps((search_path(), pickle.dumps(function))))
        self._perform = ray.remote(_perform).options(
            num_cpus=cores, memory=memory, max_retries=_RETRIES
        )
        self._board: Any = None
        if is_watched:
            self._board = ray.remote(_Board).options(num_cpus=0, max_restarts=-1).remote()
        self._reading: Any = None
        self._told: dict[int, Any] = {}
        self._submitted = 0
        self._running: dict[Any, tuple[int, Any]] = {}
        self._slots, self._looked = 0, -_LOOK
        self._has_warned = False

    @property
    def room(self) -> int:
        """How many more tasks should be submitted now."""
        if self._jobs is not None:
            return self._jobs - len(self._running)
        if time.monotonic() - self._looked > _LOOK:
            self._slots, self._looked = self._count_slots(), time.monotonic()
        return max(1, 2 * self._slots) - len(self._running)

    @property
    def running(self) -> list[Any]:
        """The tasks that were submitted, but whose results have not been returned."""
        return [task for _, task in self._running.values()]

    @property
    def told(self) -> list[tuple[Any, Any]]:
        """Tasks that are running, each with the latest that is known of what it told."""
        numbers = dict(self._running.values())
        if self._board is not None:
            with suppress(RayError):  # the actor begins anew where its node has died
                if self._reading is not None and ray.wait([self._reading], timeout=0)[0]:
                    reading, self._reading = self._reading, None
                    self._told = ray.get(reading)
                if self._reading is None:
                    self._reading = self._board.read.remote(list(numbers))
        return [(numbers[number], told) for number, told in self._told.items() if number in numbers]

    def submit(self, task: Any) -> None:
        """Let a task be run."""
        number, self._submitted = self._submitted, self._submitted + 1
        reference = self._perform.remote(self._function, self._cores, number, task, self._board)
        self._running[reference] = number, task

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Wait for a result at most so long; return all tasks that are done. See `Executor`."""
        try:
            references = list(self._running)
            if not ray.wait(references, num_returns=1, timeout=seconds)[0]:
                return []
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0)
            return [(self._running.pop(each)[1], _result(each)) for each in ready]
        except (RayError, ConnectionError) as error:
            raise ClusterError(f"the cluster is gone: {_first_line(error)}") from None

    def interrupt(self, seconds: float) -> None:
        """End the tasks that are running by a `KeyboardInterrupt`, and wait for that so long."""
        self._cancel(by_force=False)
        if references := list(self._running):
            with suppress(RayError, ConnectionError):
                ray.wait(references, num_returns=len(references), timeout=seconds)

    def close(self) -> None:
        """End the tasks that are running. May be called again."""
        self._cancel(by_force=True)
        self._running.clear()
        if self._is_ours:
            ray.shutdown()
            self._is_ours = False

    def _cancel(self, *, by_force: bool) -> None:
        with suppress(RayError, ConnectionError):
            for reference in self._running:
                ray.cancel(reference, force=by_force)

    def _count_slots(self) -> int:
        """Return how many tasks have room in the cluster at once."""
        slots = 0
        for node in ray.nodes():  # type: ignore[no-untyped-call]
            has = node["Resources"]
            if node["Alive"]:
                slots += int(
                    min(has.get("CPU", 0) // self._cores, has.get("memory", 0) // self._memory)
                )
        if not slots and not self._has_warned:
            self._has_warned = True
            _LOG.warning(
                "no node of the cluster has %d cores and %.1f GiB of memory for a task; waiting "
                "for one: --cores and --memory ask for less",
                self._cores,
                self._memory / (1 << 30),
            )
        return slots


def connect(address: str) -> None:
    """Connect this process to a cluster. Raises `ClusterError` if there is none."""
    # Ray prints what happens to nodes on standard output, which is for results; and from another
    # thread, which may find it closed. Nothing is lost with a node, so it is only logged.
    _of_ray.print_to_stdstream = _log
    try:
        if (place := urlsplit(address if "//" in address else f"//{address}")).port is not None:
            # Ray itself would try for minutes.
            socket.create_connection((place.hostname or "", place.port), _PATIENCE).close()
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (RayError, OSError, RuntimeError, ValueError) as error:
        hint = "; `ray start --head` starts one on this machine" if address == "auto" else ""
        raise ClusterError(f"no cluster at {address}: {_first_line(error)}{hint}") from None


def _log(data: Mapping[str, Any], ignore_prefix: bool) -> None:  # noqa: ARG001 - Ray's signature
    for line in data["lines"]:
        _LOG.info("%s", line)


def _result(reference: Any) -> Any:
    """Return the result of a task that is done, or `Failed` where it has none."""
    try:
        return ray.get(reference)
    except RayError as error:
        return Failed(
            f"a task had no end in {_RETRIES + 1} runs, perhaps for lack of memory: try more "
            f"--memory ({_first_line(error)})"
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
