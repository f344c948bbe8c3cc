"""The features that all experiments share: their output, and that a run continues where it was."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ggp.cluster import Pool
from ggp.deadline import Deadline
from ggp.experiments.running.measuring import (
    Kept,
    Measured,
    Result,
    Task,
    integer,
    measure_all,
)
from tests.cli.command import GGP, ggp, interrupted
from tests.cli.test_wrong_use import is_one_line
from tests.experiments.conftest import Run
from tests.files.disk import full_disk
from tests.processes import all_gone, happens

#: The limit is one second; the rest is for a busy machine.
SOON = 8.0

#: An experiment without its plot, which takes most of the time.
SQUARES = ("squares", "--no-plot")


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.long
def test_what_is_measured_is_printed(run: Run, tmp_path: Path) -> None:
    finished = run("squares", "--deals", 3, "--seed", 5)
    assert (finished.code, finished.err) == (0, "")
    first, *_ = finished.out.splitlines()
    assert first == "Squares"
    assert ["2", "49"] in [line.split() for line in finished.out.splitlines()]
    assert "- They grow." in finished.out
    assert "report.json, more.txt, plot.svg" in finished.out
    assert (tmp_path / "results" / "more.txt").read_text() == "more\n"
    assert (tmp_path / "results" / "plot.svg").read_text().startswith("<?xml")


def test_programs_get_the_same_cells(run: Run, tmp_path: Path) -> None:
    finished = run("squares", "--deals", 3, "--json")
    assert (finished.code, finished.err) == (0, "")
    found = finished.json
    assert found == json.loads((tmp_path / "results" / "report.json").read_text())
    assert found["experiment"] == "squares"
    assert found["settings"] == {"deals": 3, "seed": 1, "log": ""}
    assert (found["tasks"], found["measured"], found["complete"]) == (3, 3, True)
    squares, summary = found["tables"]
    assert squares["columns"] == ["deal", "square"]
    assert squares["rows"] == [{"deal": i, "square": (i + 1) ** 2} for i in range(3)]
    assert summary["rows"] == [{"mean": pytest.approx(14 / 3), "median": 4}]


def test_a_run_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = run(*SQUARES, "--deals", 2, "--log", log, "--json").json
    assert sorted(lines(log)) == ["1", "2"]
    second = run(*SQUARES, "--deals", 5, "--log", log, "--json").json
    assert sorted(lines(log)) == ["1", "2", "3", "4", "5"]
    assert run(*SQUARES, "--deals", 2, "--log", log, "--json").json["tables"] == first["tables"]
    fresh = run(*SQUARES, "--deals", 5, "--log", log, "--fresh", "--json").json
    assert len(lines(log)) == 10
    assert fresh["tables"] == second["tables"]


@pytest.mark.long
def test_results_of_other_settings_are_not_reused(run: Run) -> None:
    assert (
        run(*SQUARES, "--json").json["tables"]
        != run(*SQUARES, "--seed", 2, "--json").json["tables"]
    )


def test_half_a_line_at_the_end_is_measured_again(run: Run, tmp_path: Path) -> None:
    whole = run(*SQUARES, "--json").json
    kept = tmp_path / "results" / "measured.jsonl"
    kept.write_text(kept.read_text()[:-20])
    again = run(*SQUARES, "--json").json
    assert (again["complete"], again["tables"]) == (True, whole["tables"])
    assert len(lines(kept)) == 4


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "measured.jsonl"
    with closing(Kept(path)) as kept:
        kept.add(Measured({"number": 1}, {"square": 1}, 0.1))
        before = path.read_text()
        second = Measured({"number": 2}, {"square": 4}, 0.1)
        with full_disk(room=len(before) + 10), pytest.raises(OSError, match="too large") as failed:
            kept.add(second)
        assert failed.value.filename == str(path)
        assert path.read_text() == before
        assert kept.get({"number": 2}) is None
        kept.add(second)
    with closing(Kept(path)) as kept:
        assert kept.get({"number": 1}) is not None
        assert kept.get({"number": 2}) == second


def test_a_report_that_cannot_be_written_is_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured may have taken days."""
    run(*SQUARES)
    report = tmp_path / "results" / "report.json"
    before = report.read_text()

    def full(path: Path, content: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr("ggp.experiments.running.runner.replace_file", full)
    finished = run(*SQUARES, "--deals", 5)
    assert (finished.code, finished.err) == (2, f"ggp: {report}: No space left on device\n")
    assert ["4", "25"] in [line.split() for line in finished.out.splitlines()]
    assert report.read_text() == before


def test_a_line_that_is_none_of_ours_is_pointed_at(run: Run, tmp_path: Path) -> None:
    run(*SQUARES)
    kept = tmp_path / "results" / "measured.jsonl"
    kept.write_text("{}\n" + kept.read_text())
    finished = run(*SQUARES)
    assert is_one_line(finished)
    assert f"{kept}:1: not a measurement" in finished.err
    assert run(*SQUARES, "--fresh").code == 0


def test_two_runs_do_not_write_to_one_file(run: Run, tmp_path: Path) -> None:
    run(*SQUARES)
    with (tmp_path / "results" / "measured.jsonl").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        finished = run(*SQUARES)
    assert is_one_line(finished)
    assert "another run is writing to it" in finished.err


def test_a_task_that_fails_is_named_and_the_others_are_kept(run: Run, tmp_path: Path) -> None:
    finished = run("failing", "--jobs", 1)
    assert is_one_line(finished, code=1)
    assert finished.err == "ggp: deal=3 seed=1 log=: it cannot be done\n"
    assert len(lines(tmp_path / "results" / "measured.jsonl")) == 3


def test_the_death_of_a_process_is_explained(run: Run) -> None:
    finished = run("dying")
    assert is_one_line(finished, code=1)
    assert "try fewer --jobs" in finished.err


def test_a_folder_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    finished = run("squares", "--output", tmp_path / "file" / "folder")
    assert is_one_line(finished)
    assert "Not a directory" in finished.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "No such command 'nothing'"),
        (["squares", "--deals", "0"], "--deals"),
        (["squares", "--jobs", "0"], "--jobs"),
        (["squares", "--bids", "1"], "No such option"),
        (["table1", "--bids", "1", "2", "4"], "a bid is from 1 to 3"),
        (["table1", "--plot"], "nothing to draw"),
        (["random-trees", "--plies", "13"], "--plies"),
        (["virtual-graph", "--reasoner", "oracle"], "--reasoner"),
        (["chinese-checkers", "--radius", "4"], "--radius"),
    ],
)
def test_arguments_that_make_no_sense(run: Run, arguments: list[str], said: str) -> None:
    finished = run(*arguments)
    assert is_one_line(finished)
    assert said in finished.err


def test_without_matplotlib_there_is_all_but_the_plot(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.experiments.running.runner.find_spec", lambda _: None)
    finished = run("squares")
    assert finished.code == 0
    assert finished.err == "no plot: matplotlib is not installed: pip install 'ggp[plots]'\n"
    assert not (tmp_path / "results" / "plot.svg").exists()
    assert run("squares", "--no-plot").err == ""
    assert is_one_line(run("squares", "--plot"))


@pytest.mark.long
def test_ctrl_c_prints_the_results_so_far_and_the_next_run_continues(tmp_path: Path) -> None:
    kept, done = tmp_path / "measured.jsonl", 0
    for _ in range(2):
        with long_run(tmp_path) as process:
            assert happens(lambda: len(lines(kept)) > done, within=60)  # noqa: B023 - called here
            finished, seconds = interrupted(process)
        assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
        assert seconds < SOON
        assert not finished.json["complete"]
        assert finished.json["measured"] == len(lines(kept)) > done
        done = finished.json["measured"]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")
def test_when_a_run_is_killed_its_processes_end(tmp_path: Path) -> None:
    with long_run(tmp_path) as process:
        assert happens(lambda: len(workers(process.pid)) == 2, within=60)
        started = workers(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        assert all_gone(started, within=60)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")
def test_when_the_terminal_closes_nothing_is_left(tmp_path: Path) -> None:
    with long_run(tmp_path) as process:
        assert happens(lambda: len(workers(process.pid)) == 2, within=60)
        started = workers(process.pid)
        # Semaphores of `multiprocessing` would outlive a process that SIGHUP ends.
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        assert "/dev/shm/sem." not in maps
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
        assert all_gone(started, within=60)
    assert b"leaked" not in err


@contextmanager
def long_run(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run of many seconds as a terminal does, in its own process group."""
    with subprocess.Popen(
        [*GGP, "experiment", "table1", "--every-bid", "--jobs", "2", "--json", "--output", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def workers(pid: int) -> list[int]:
    """The processes in which a run measures."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [child for child in children if b"ggp.cluster.local" in command_line(child)]


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.long
def test_every_experiment_explains_itself() -> None:
    finished = ggp("experiment")
    assert (finished.code, finished.err) == (0, "")
    names = ["branching", "chinese-checkers", "depth", "random-trees", "table1", "virtual-graph"]
    assert all(f"\n  {name} " in finished.out for name in names)


@dataclass(frozen=True)
class Multiplier:
    """Measures by a method, as the tables of columns do."""

    factor: int

    def measure(self, task: Task) -> Result:
        return {"product": self.factor * integer(task, "number")}


def test_a_method_measures_in_a_child_process(tmp_path: Path) -> None:
    with closing(Kept(tmp_path / "measured.jsonl")) as kept:
        tasks: list[Task] = [{"number": 3}]
        (done,) = measure_all(
            tasks, Multiplier(7).measure, kept, pool=Pool(jobs=1), deadline=Deadline()
        )
    assert done.result == {"product": 21}
