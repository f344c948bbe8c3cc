"""Clusters of Ray whose nodes are all on this machine, each with processes of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest.importorskip("ray")

from ray.cluster_utils import Cluster

#: Bytes of a node's object store.
_STORE = 80 << 20


class Nodes:
    """The nodes of a cluster; the first one is the head, which runs no tasks if it has no cores."""

    #: GiB of a node, as Ray counts them.
    memory = 64.0

    def __init__(self, folder: Path) -> None:
        """Take a folder for what each node has for itself; there is no node yet."""
        self._cluster = Cluster()
        self._folder = folder
        #: Those that have not been killed, by number.
        self.all: dict[Any, str] = {}
        self._added = 0

    @property
    def address(self) -> str:
        """What `--cluster` takes."""
        return str(self._cluster.address)

    def add(self, cores: int, **options: Any) -> Any:
        """Add a node with `cores` cores, as Ray counts them, and with files of its own.

        As on a machine of its own, it shares no cache and no locks of cores with other nodes. Its
        number, from 0, is what tasks find in $GGP_NODE.
        """
        number, self._added = self._added, self._added + 1
        own = self._folder / f"node-{number}"
        own.mkdir()
        node = self._cluster.add_node(
            num_cpus=cores,
            memory=int(self.memory * (1 << 30)),
            object_store_memory=_STORE,
            include_dashboard=False,
            **options,
            env_vars={
                "GGP_CACHE_DIR": str(own),
                "GGP_NODE": str(number),
                "TMPDIR": str(own),
            },
        )
        self.all[node] = str(number)
        return node

    def number(self, node: Any) -> str:
        """Return what tasks on a node find in $GGP_NODE."""
        return self.all[node]

    def kill(self, node: Any) -> None:
        """Kill a node's processes."""
        del self.all[node]
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        """End all nodes."""
        self._cluster.shutdown()  # type: ignore[no-untyped-call]


@contextmanager
def cluster(folder: Path, *cores: int, **head: Any) -> Iterator[Nodes]:
    """Start a cluster whose head has no cores, with a node for each number of cores.

    Args:
        folder: for what each node has for itself.
        cores: how many cores each node has, as Ray counts them.
        head: more options of the head.
    """
    with (
        TemporaryDirectory(prefix="ggp-ray-", dir="/tmp") as own,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")  # else a busy machine lets its tasks starve
        patch.setenv("RAY_TMPDIR", own)  # the paths of its sockets must be short
        nodes = Nodes(folder)
        try:
            nodes.add(0, **head)
            for count in cores:
                nodes.add(count)
            yield nodes
        finally:
            nodes.close()
