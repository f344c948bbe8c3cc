from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # it needs Ray
    from tests.cluster.nodes import Nodes


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """A cluster of four nodes with a core each; this process is connected to its head."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")
    from ggp.cluster.on_ray import connect
    from tests.cluster.nodes import cluster

    with cluster(tmp_path_factory.mktemp("nodes"), 1, 1, 1, 1) as started:
        connect(started.address)  # once: executors keep the connection
        yield started
        ray.shutdown()


@pytest.fixture(autouse=True)
def own_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock cores apart from all else that runs on this machine."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
