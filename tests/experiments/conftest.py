from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Finished
from tests.cli.conftest import Here, here

__all__ = ["Run", "here", "run"]

#: Runs an experiment in this process, its results going to a folder of the test's own.
Run = Callable[..., Finished]

_TOYS = EntryPoints(
    EntryPoint(name, f"tests.experiments.toy:{name}", "ggp.experiments")
    for name in ("squares", "failing", "dying")
)


@pytest.fixture
def run(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def with_toys(*, group: str, **found: Any) -> EntryPoints:
        toys = _TOYS.select(group=group, **found)
        return toys or entry_points(group=group, **found)

    monkeypatch.setattr("ggp.cli.experiment.entry_points", with_toys)

    def run(name: str, *arguments: object) -> Finished:
        return here("experiment", name, "--output", tmp_path / "results", "--jobs", 1, *arguments)

    return run
