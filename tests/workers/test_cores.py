"""Cores are shared by all that search, and free again when it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from ggp.workers.cores import borrowed, free, limited


@pytest.fixture(autouse=True)
def own_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Four cores, which no other process uses."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2, 3, 7})


def test_all_that_is_free_can_be_borrowed() -> None:
    assert free() == 4
    with borrowed(64) as count:
        assert (count, free()) == (4, 0)
    assert free() == 4


def test_who_comes_later_gets_what_is_left_and_one_thread_at_least() -> None:
    with ExitStack() as stack:
        counts = [stack.enter_context(borrowed(most)) for most in (3, 3, 3)]
        assert counts == [3, 1, 1]
        assert free() == 0
    assert free() == 4


def test_a_single_thread_takes_a_core_too() -> None:
    with borrowed(1) as count:
        assert (count, free()) == (1, 3)


def test_limits_are_those_of_the_strictest_and_end() -> None:
    with limited(2):
        with limited(3), borrowed(4) as count:
            assert count == 2
        with limited(1), borrowed(4) as count:
            assert count == 1
        with borrowed(4) as count:
            assert count == 2
    with borrowed(4) as count:
        assert count == 4


def test_a_process_that_ends_gives_its_cores_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = (
        "from ggp.workers.cores import borrowed\n"
        "with borrowed(64) as count:\n"
        "    print(count, flush=True)\n"
        "    input()\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip().isdigit()
        (first, *_) = sorted(int(file.name) for file in next(tmp_path.iterdir()).iterdir())
        monkeypatch.setattr("os.sched_getaffinity", lambda _: {first})
        assert free() == 0
        other.kill()
        other.wait()
        assert free() == 1


def test_without_a_place_for_locks_one_thread_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with borrowed(4) as count:
        assert count == 1
