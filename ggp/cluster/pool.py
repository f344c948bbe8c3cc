"""Where tasks run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ggp.cluster.executor import Executor
from ggp.cluster.local import LocalExecutor
from ggp.workers.cores import available

__all__ = ["AUTO", "LOCAL", "Pool"]

#: This machine; the cluster that this machine is part of.
LOCAL, AUTO = "local", "auto"

_GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Where tasks run, how many of them at once, and what each of them has for itself."""

    #: `LOCAL`, `AUTO`, or the address of a cluster of Ray, such as ``ray://host:10001``.
    cluster: str = LOCAL
    #: How many tasks run at once; None for as many as there are cores for.
    jobs: int | None = None
    #: Cores of a task. None for as many as the task asks for; on this machine, where `jobs` is
    #: given, for its share of all.
    cores: int | None = None
    #: GiB of memory that a node of a cluster must have left for a task.
    memory: float = 1.0

    @property
    def is_local(self) -> bool:
        """Whether tasks run on this machine, without Ray."""
        return self.cluster == LOCAL

    def open(
        self,
        function: Callable[[Any], Any],
        *,
        cores: int = 1,
        memory_limit: int | None = None,
        is_watched: bool = False,
    ) -> Executor:
        """Return what calls a function with tasks.

        Args:
            function: of a module, or another that can be pickled.
            cores: how many a task asks for.
            memory_limit: bytes of address space that a process of this machine may take.
            is_watched: whether `Executor.told` is asked for.

        Raises:
            ModuleNotFoundError: Ray is not installed.
            ClusterError: there is no such cluster.
        """
        if not self.is_local:
            from ggp.cluster.on_ray import RayExecutor  # an extra

            return RayExecutor(
                self.cluster,
                function,
                jobs=self.jobs,
                cores=self.cores or cores,
                memory=int(self.memory * _GIB),
                is_watched=is_watched,
            )
        jobs = self.jobs or max(1, available() // (self.cores or cores))
        # One task at a time has the machine.
        share = self.cores or (available() // jobs if jobs > 1 else 0)
        return LocalExecutor(function, jobs=jobs, cores=share, memory_limit=memory_limit)
