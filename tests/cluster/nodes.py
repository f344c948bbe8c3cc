"""Clusters of Ray whose nodes are all on this machine, each with processes of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
        """Add a node with so many cores, as Ray counts them, and a cache of its own."""
        number, self._added = self._added, self._added + 1
        return self._cluster.add_node(
            num_cpus=cores,
            memory=_MEMORY,
            object_store_memory=_STORE,
            include_dashboard=False,
            env_vars={
                "GGP_CACHE_DIR": str(self._folder / f"node-{number}"),
                "GGP_NODE": str(number),
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
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    nodes = Nodes(folder)
    try:
        nodes.add(0)
        for count in cores:
            nodes.add(count)
        yield nodes
    finally:
        nodes.close()
