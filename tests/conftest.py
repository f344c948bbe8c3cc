"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import random
import signal
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from ggp.workers.fork_server import ForkServer
from ggp.workers.worker import Process, Streams, Worker

# Tests that name no number of random examples take it from here. `make test-all` is thorough.
settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure() -> None:
    """Take signals as in a terminal, which processes in the background and under nohup ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test, or the tests of a class, `long`, but for as many as `sample` says.

    Which of them stay depends on the name alone, so all processes of a run agree.
    """
    cases = defaultdict[tuple[str, int], list[pytest.Item]](list)
    for item in items:
        for node, mark in islice(item.iter_markers_with_node("sample"), 1):
            cases[node.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (name, count), all_cases in cases.items():
        generator = random.Random(name)
        for item in generator.sample(all_cases, max(0, len(all_cases) - count)):
            item.add_marker(pytest.mark.long)


def pytest_collection_finish() -> None:
    """Keep the collected tests out of garbage collections: each would visit thousands of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what is learned in a folder of the tests' own; processes that they start do so, too."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("knowledge")
        patch.setenv("GGP_KNOWLEDGE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def fork_server(knowledge: Path) -> Iterator[ForkServer]:
    """Start a process that has loaded the machine code, and forks others in milliseconds."""
    del knowledge  # it has set the environment
    with ForkServer(prepare="tests.forked_prolog") as opened:
        yield opened


@pytest.fixture(scope="class")  # of a module, it would hold for the tests that do not ask for it
def forked(fork_server: ForkServer) -> Iterator[None]:
    """Fork the processes of players, and those that reason, enumerate and prove.

    To spawn one takes up to a second.
    """

    def fork_prolog(_program: str, descriptor: int, streams: Streams) -> Process:
        return fork_server.fork("tests.forked_prolog", descriptor, streams)

    with pytest.MonkeyPatch.context() as patch:
        for module in ("reasoner.compiling", "search.leaf_values.enumeration", "prove.process"):
            patch.setattr(f"ggp.{module}.Worker", partial(Worker, start=fork_server.fork))
        patch.setattr("ggp.reasoner.prolog.process.start_prolog", fork_prolog)
        patch.setattr("ggp.match.process.spawn", fork_server.fork)
        yield


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster with two nodes of one core, or the one that this process is connected to."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")
    from tests.cluster.nodes import cluster

    if ray.is_initialized():  # by other tests, for the whole session
        yield ray.get_runtime_context().gcs_address
        return
    with cluster(tmp_path_factory.mktemp("nodes"), 1, 1) as nodes:
        # Once: executors keep the connection.
        ray.init(nodes.address, log_to_driver=False, logging_level="ERROR")
        try:
            yield nodes.address
        finally:
            ray.shutdown()
