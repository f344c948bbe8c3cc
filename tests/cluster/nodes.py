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

#: Bytes of a node, as Ray counts them, and of its object store.
_MEMORY, _STORE = 64 << 30, 80 << 20


class Nodes:
    """The nodes of a cluster; the first one is the head, which runs no tasks if it has no cores."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for what each node has for itself; there is no node yet."""
        self._cluster = Cluster()
        self._folder = folder
        self._added = 0

    @property
    def address(self) -> str:
        """What `--cluster` takes."""
        return str(self._cluster.address)

    def add(self, cores: int) -> Any:
        """Add a node with so many cores, as Ray counts them, and with files of its own.

        As on a machine of its own, it shares no cache and no locks of cores with other nodes.
        """
        number, self._added = self._added, self._added + 1
        own = self._folder / f"node-{number}"
        own.mkdir()
        return self._cluster.add_node(
            num_cpus=cores,
            memory=_MEMORY,
            object_store_memory=_STORE,
            include_dashboard=False,
            env_vars={
                "GGP_CACHE_DIR": str(own),
                "GGP_NODE": str(number),
                "TMPDIR": str(own),
            },
        )

    def kill(self, node: Any) -> None:
        """Kill a node's processes."""
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        """End all nodes."""
        self._cluster.shutdown()  # type: ignore[no-untyped-call]


@contextmanager
def cluster(folder: Path, *cores: int) -> Iterator[Nodes]:
    """Start a cluster whose head has no cores, with a node for each number of cores."""
    with (
        TemporaryDirectory(prefix="ggp-ray-", dir="/tmp") as own,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_TMPDIR", own)  # the paths of its sockets must be short
        nodes = Nodes(folder)
        try:
            nodes.add(0)
            for count in cores:
                nodes.add(count)
            yield nodes
        finally:
            nodes.close()
