"""Processes of this machine and a cluster of Ray run tasks alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from ggp.cluster import Executor, Failed, Pool, following, run
from ggp.deadline import Deadline
from ggp.errors import ClusterError, GgpError
from ggp.requirements import Requirement
from ggp.workers.cores import available, reserved
from tests.cluster import tasks


@pytest.fixture(params=["local", "ray"])
def pool(request: pytest.FixtureRequest) -> Pool:
    if request.param == "local":
        return Pool(jobs=2)
    return Pool(cluster=request.getfixturevalue("address"), memory=0.1)


def results(pool: Pool, function: Callable[[Any], Any], *given: Any) -> dict[Any, Any]:
    with pool.open(function) as executor:
        return dict(run(executor, following(given), deadline=Deadline()))


@pytest.mark.long
def test_each_task_has_its_result(pool: Pool) -> None:
    assert results(pool, tasks.square, *range(12)) == {n: n**2 for n in range(12)}


@pytest.mark.long
def test_a_task_that_fails_ends_all_with_its_reason(pool: Pool) -> None:
    with pytest.raises(GgpError, match=r"^13 is unlucky$"):
        results(pool, tasks.square, 13)
    with pytest.raises(GgpError, match=r"^unexpected ZeroDivisionError: by zero$"):
        results(pool, tasks.stumble, 1)


@pytest.mark.long
def test_processes_that_die_are_explained(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not pool.is_local:
        monkeypatch.setattr("ggp.cluster.on_ray._RETRIES", 1)
    with pytest.raises(GgpError, match="perhaps for lack of memory: try"):
        results(pool, tasks.break_down, 1)


@pytest.mark.parametrize(
    "pool", ["local", pytest.param("ray", marks=pytest.mark.long)], indirect=True
)
def test_tasks_are_watched_and_interrupted(pool: Pool, tmp_path: Path) -> None:
    with pool.open(tasks.linger, is_watched=True) as executor:
        deadline, seen = Deadline(), list[Any]()

        def watch() -> None:
            seen.extend(told for told in executor.told if told not in seen)
            if len(seen) > 1:
                deadline.cancel()

        list(run(executor, following([tmp_path]), deadline=deadline, meanwhile=watch))
        assert {folder for folder, _ in seen} == {tmp_path}
        assert 0 < seen[0][1] < seen[1][1]
        executor.interrupt(60)
        assert (tmp_path / "interrupted").exists()


def test_processes_are_kept_and_have_cores_for_themselves(pool: Pool) -> None:
    found = results(pool, tasks.where, *range(40))
    assert len({process for process, *_ in found.values()}) < 40
    if available() >= 2:
        assert {cores for _, _, cores, _ in found.values()} <= {1, available() // 2}


class Done(Executor):
    """Has done every task at once; those that fail are negative."""

    def __init__(self, room: int) -> None:
        self._room, self._done = room, list[int]()

    @property
    def room(self) -> int:
        return self._room - len(self._done)

    @property
    def running(self) -> list[Any]:
        return list(self._done)

    def submit(self, task: Any) -> None:
        self._done.append(task)

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Return one result at a time, but all where there is no time to wait."""
        count = 1 if seconds else len(self._done)
        done, self._done = self._done[:count], self._done[count:]
        return [(task, task if task >= 0 else Failed(f"{task} failed")) for task in done]

    def interrupt(self, seconds: float) -> None:
        raise NotImplementedError

    @property
    def told(self) -> list[tuple[Any, Any]]:
        return []

    def close(self) -> None:
        pass


def test_results_that_are_there_at_the_deadline_count() -> None:
    deadline, found = Deadline(), []
    for task, _ in run(Done(3), following(range(9)), deadline=deadline):
        found.append(task)
        deadline.cancel()
    assert found == [0, 1, 2]


def test_results_that_are_there_at_a_failure_count() -> None:
    results, found = run(Done(3), following([0, -1, 2, 3, 4]), deadline=Deadline()), list[int]()
    with pytest.raises(GgpError, match="-1 failed"):
        found.extend(task for task, _ in results)
    assert found == [0, 2, 3]


def test_nothing_is_submitted_after_the_deadline() -> None:
    deadline = Deadline()
    deadline.cancel()
    with Pool(jobs=1).open(tasks.square) as executor:
        assert list(run(executor, following([1]), deadline=deadline)) == []
        assert executor.running == []


def test_results_come_before_failures() -> None:
    class Both:
        room = 0
        running: tuple[int, ...] = (1, 2)

        def wait(self, seconds: float) -> list[tuple[int, Any]]:
            self.running = ()
            return [(1, Failed("no")), (2, "yes")]

    found = run(Both(), following([]), deadline=Deadline())  # type: ignore[arg-type]
    assert next(found) == (2, "yes")
    with pytest.raises(GgpError, match="no"):
        next(found)


@pytest.mark.skipif(available() < 2, reason="there is one core only")
def test_reserved_cores_are_disjoint_and_come_back() -> None:
    every = os.sched_getaffinity(0)
    with reserved(1) as first:
        mine = os.sched_getaffinity(0)
        os.sched_setaffinity(0, every)
        with reserved(1) as second:
            assert (first, second) == (True, True)
            assert len(mine) == len(os.sched_getaffinity(0)) == 1
            assert mine.isdisjoint(os.sched_getaffinity(0))
        with reserved(len(every)) as third:
            assert not third
            assert os.sched_getaffinity(0) == every
    assert os.sched_getaffinity(0) == every
    with reserved(0) as nothing:
        assert not nothing


def test_no_cluster_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ClusterError, match=r"no cluster at 127\.0\.0\.1:1: .*refused"):
        Pool(cluster="127.0.0.1:1").open(tasks.square)


@pytest.mark.long
def test_without_ray_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    monkeypatch.delitem(sys.modules, "ggp.cluster.on_ray", raising=False)
    listed = [Requirement("ray", ">=2", "cluster")]
    monkeypatch.setattr("ggp.requirements.requirements", lambda: listed)
    monkeypatch.chdir(tmp_path)
    given = ["cup", "--game", "nim", "--player", "legal", "--player", "legal"]
    monkeypatch.setattr("sys.argv", ["ggp", "tournament", *given, "--cluster", "auto"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "ggp: ray is not installed: pip install 'ggp[cluster]'\n"
