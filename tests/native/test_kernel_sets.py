"""What all games share is compiled in a process of its own, which no deadline can end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.native.kernels import KernelSet
from ggp.workers import fork_server
from tests.processes import command_line, descendants

#: A set that takes until a file appears, and leaves a line for each time it is compiled.
SLOW = """
import time
from pathlib import Path
here = Path(__file__).parent
def compile_kernels(name):
    with (here / "begun").open("a") as log:
        log.write(name + "\\n")
    while not (here / "may finish").exists():
        time.sleep(0.02)
"""

FAILING = "def compile_kernels(name): raise MemoryError"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules the process can import, with a cache of its own."""
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    (tmp_path / "slow_kernels.py").write_text(SLOW)
    (tmp_path / "failing_kernels.py").write_text(FAILING)
    return tmp_path


def await_file(path: Path) -> None:
    due = time.monotonic() + 60
    while not path.exists() and time.monotonic() < due:
        time.sleep(0.02)
    assert path.exists()


@pytest.mark.long
def test_the_work_survives_the_process_that_asked_for_it_and_is_done_once(folder: Path) -> None:
    code = (
        "from ggp.deadline import Deadline\n"
        "from ggp.native.kernels import KernelSet\n"
        "print(KernelSet('slow', 'slow_kernels').wait(Deadline(0.0)), flush=True)\n"
        "import time; time.sleep(600)\n"
    )
    asking = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, process_group=0, text=True
    )
    with asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "False\n"  # at once, though nothing is compiled
        await_file(folder / "begun")
        os.killpg(asking.pid, signal.SIGKILL)
    kernels = KernelSet("slow", "slow_kernels")
    assert not kernels.wait(Deadline.after(0.5))
    (folder / "may finish").touch()
    assert kernels.wait(Deadline.after(60))
    assert KernelSet("slow", "slow_kernels").wait(Deadline(0.0))  # from the note alone
    assert (folder / "begun").read_text() == "slow\n"


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="sessions have no niceness")
def test_the_session_of_the_work_stands_back_as_well(folder: Path) -> None:
    kernels = KernelSet("slow", "slow_kernels")
    kernels.request()
    await_file(folder / "begun")
    (worker,) = (pid for pid in descendants(os.getpid()) if "slow_kernels" in command_line(pid))
    assert os.getpriority(os.PRIO_PROCESS, worker) == 10
    assert Path(f"/proc/{worker}/autogroup").read_text().endswith(" nice 10\n")
    (folder / "may finish").touch()
    assert kernels.wait(Deadline.after(60))


def test_where_one_process_compiles_a_set_no_other_is_started(folder: Path) -> None:
    first, second = KernelSet("slow", "slow_kernels"), KernelSet("slow", "slow_kernels")
    assert not first.wait(Deadline(0.0))
    await_file(folder / "begun")
    for _ in range(3):
        assert not second.wait(Deadline(0.0))
    assert second._process is None
    # as two processes may be started at the same moment
    assert not KernelSet("slow", "slow_kernels").compile()
    (folder / "may finish").touch()
    assert second.wait(Deadline.after(60))
    assert first.wait(Deadline.after(60))
    assert (folder / "begun").read_text() == "slow\n"


def test_where_the_process_that_compiles_a_set_is_killed_another_one_is_started(
    folder: Path,
) -> None:
    first, second = KernelSet("slow", "slow_kernels"), KernelSet("slow", "slow_kernels")
    assert not first.wait(Deadline(0.0))
    await_file(folder / "begun")
    assert not second.wait(Deadline(0.0))
    assert first._process is not None
    first._process.kill()
    first._process.wait()
    (folder / "may finish").touch()
    assert second.wait(Deadline.after(60))


def test_a_failed_compilation_is_logged_once_and_ends_all_waiting(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kernels = KernelSet("failing", "failing_kernels")
    assert not kernels.wait(Deadline())
    assert not kernels.wait(Deadline())
    (record,) = caplog.records
    assert "failing could not be compiled ahead" in record.getMessage()


def test_a_note_is_void_when_a_source_or_a_file_of_numba_has_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "may finish").touch()
    source, index = folder / "source.py", folder / "kept.nbi"
    source.touch()
    index.touch()
    monkeypatch.setattr("ggp.native.numba_support.compiled_files", lambda: ({source}, {index}))
    monkeypatch.syspath_prepend(folder)
    assert not KernelSet("slow", "slow_kernels")._is_noted()
    KernelSet("slow", "slow_kernels").compile()
    assert KernelSet("slow", "slow_kernels").wait(Deadline(0.0))
    for change in (lambda: source.write_text("changed"), index.unlink):
        change()
        assert not KernelSet("slow", "slow_kernels")._is_noted()
        source.write_text("")
        assert KernelSet("slow", "slow_kernels")._is_noted() == index.exists()


def test_a_fork_server_does_not_end_the_work_of_a_player_that_has_ended(folder: Path) -> None:
    kernels = KernelSet("slow", "slow_kernels")
    assert not kernels.wait(Deadline(0.0))
    with subprocess.Popen(["sleep", "600"]) as other:
        await_file(folder / "begun")
        process = kernels._process
        assert process is not None
        assert other.pid in fork_server._children()
        assert process.pid not in fork_server._children()
        other.kill()
    (folder / "may finish").touch()
    assert kernels.wait(Deadline.after(60))
