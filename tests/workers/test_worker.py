"""Child processes: what they say, their limits, their end, and the end of their owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ggp.deadline import Deadline, TimeUp
from ggp.workers.worker import DEVNULL, Worker, ready
from tests.processes import all_gone, descendants, is_running

ECHO = "tests.workers.echo"
#: As much as no pipe holds.
LARGE = "x" * (4 << 20)
SOON = 30.0


@pytest.mark.parametrize("program", [ECHO, str(Path(__file__).with_name("echo.py"))])
def test_arguments_and_messages_go_to_and_fro(program: str) -> None:
    with Worker(program, 1, {"two": [3]}) as worker:
        assert worker.receive() == (1, {"two": [3]})
        for message in ("a", LARGE, b"", None, (1.5, {2})):
            worker.send(message)
            assert worker.receive(Deadline.after(SOON)) == message


def test_a_posted_message_does_not_wait_for_a_process_that_does_not_listen() -> None:
    with Worker(ECHO) as worker:
        assert worker.receive() == ()
        os.kill(worker.pid, signal.SIGSTOP)
        for _ in range(4):
            worker.post(LARGE)
        os.kill(worker.pid, signal.SIGCONT)
        assert [worker.receive() for _ in range(4)] == [LARGE] * 4


def test_a_process_that_ends_by_itself_ends_the_messages() -> None:
    with Worker(ECHO) as worker:
        worker.send("stop")
        assert list(worker) == [()]
        assert worker.stop() == 0
        worker.send("too late")
        with pytest.raises(EOFError):
            worker.receive()


def test_the_exit_code_is_told() -> None:
    with Worker(ECHO) as worker:
        worker.send("exit")
        assert list(worker) == [()]
        assert worker.stop() == worker.stop() == 3
    with Worker(ECHO) as worker:
        assert worker.stop() == -signal.SIGKILL


def test_waiting_for_a_reply_ends_at_the_deadline_or_when_it_is_cancelled() -> None:
    with Worker(ECHO) as worker:
        worker.receive()
        with pytest.raises(TimeUp):
            worker.receive(Deadline.after(0.1))
    with Worker(ECHO) as worker:
        worker.receive()
        deadline = Deadline()
        threading.Timer(0.2, deadline.cancel).start()
        with pytest.raises(TimeUp):
            worker.receive(deadline)


def test_after_the_deadline_the_reply_can_still_be_received() -> None:
    with Worker(ECHO) as worker:
        worker.receive()
        os.kill(worker.pid, signal.SIGSTOP)
        worker.send("late")
        with pytest.raises(TimeUp):
            worker.receive(Deadline.after(0.1))
        os.kill(worker.pid, signal.SIGCONT)
        assert worker.receive() == "late"


def test_closing_from_another_thread_ends_waiting() -> None:
    with Worker(ECHO) as worker:
        worker.receive()
        threading.Timer(0.2, worker.close).start()
        with pytest.raises(EOFError):
            worker.receive()
    assert not is_running(worker.pid)


def test_a_message_that_is_too_long_counts_as_the_end() -> None:
    with Worker(ECHO, max_bytes=1 << 20) as worker:
        assert worker.receive() == ()
        worker.send(LARGE)
        with pytest.raises(EOFError, match="too long"):
            worker.receive()


def test_what_is_no_message_counts_as_the_end() -> None:
    with Worker(ECHO) as worker:
        assert worker.receive() == ()
        worker.send("babble")
        assert list(worker) == []


def test_workers_that_have_said_something_or_ended_are_ready() -> None:
    with Worker(ECHO) as one, Worker(ECHO) as two, Worker(ECHO) as three:
        for each in (one, two, three):
            each.receive()
        with pytest.raises(TimeUp):
            ready([one, two, three], Deadline.after(0.1))
        two.send("here")
        assert ready([one, two, three], Deadline.after(SOON)) == [two]
        assert two.receive() == "here"
        three.kill()
        assert ready([one, two, three], Deadline.after(SOON)) == [three]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_limits_hold() -> None:
    with Worker(ECHO, memory_limit=500 << 20, niceness=3) as worker:
        worker.receive()
        worker.send("limits")
        limit, niceness = worker.receive()
        assert 500 << 20 < limit < 1 << 31
        assert niceness == os.nice(0) + 3
        worker.send("allocate")
        assert worker.receive() == "no memory"


@pytest.mark.long
def test_without_a_limit_there_is_memory() -> None:
    with Worker(ECHO) as worker:
        worker.receive()
        worker.send("allocate")
        assert worker.receive() == 1 << 30


def test_what_a_process_prints_goes_where_it_was_told(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("def main(owner):\n print('printed')\n")
    with (tmp_path / "out").open("w+") as out:
        with Worker(str(file), streams=(DEVNULL, out.fileno(), DEVNULL)) as worker:
            assert list(worker) == []
            assert worker.stop() == 0
        assert (tmp_path / "out").read_text() == "printed\n"


OWNER = f"""
from ggp.workers.worker import Worker
worker = Worker({ECHO!r})
worker.receive()
worker.send("hang")
worker.receive()
print(worker.pid, flush=True)
worker.receive()
"""


def test_a_child_that_is_at_work_ends_with_an_owner_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert descendants(owner.pid) == {pid}
        owner.kill()
    assert all_gone([pid], within=SOON)


def test_a_child_that_starts_ends_with_its_owner() -> None:
    code = "import os; from ggp.workers.worker import Worker; Worker('tests.workers.echo');"
    with subprocess.Popen(
        [sys.executable, "-c", code + "os.kill(os.getpid(), 9)"], start_new_session=True
    ) as owner:
        owner.wait()
    began = time.monotonic()
    while ours := [pid for pid in processes() if "tests.workers.echo" in pid]:
        assert time.monotonic() - began < SOON, ours
        time.sleep(0.05)


def processes() -> list[str]:
    """The command lines of all processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found
