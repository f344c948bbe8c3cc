"""A node that lacks a package says which."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from ggp.cluster import Pool, following, run
from ggp.deadline import Deadline
from ggp.errors import GgpError


def double(number: int) -> int:
    return 2 * number


@pytest.mark.long
def test_a_module_that_a_node_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    from tests.cluster.nodes import cluster

    module = ModuleType("only_here")
    monkeypatch.setitem(sys.modules, "only_here", module)
    monkeypatch.setattr(double, "__module__", "only_here")
    monkeypatch.setattr(module, "double", double, raising=False)
    lacks = r"cannot run the tasks.*: ModuleNotFoundError: No module named 'only_here'$"
    with (
        cluster(tmp_path, 1) as nodes,
        Pool(cluster=nodes.address, memory=0.1).open(double) as executor,
        pytest.raises(GgpError, match=lacks),
    ):
        list(run(executor, following([1]), deadline=Deadline()))
