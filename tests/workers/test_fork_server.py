"""The fork server as its owner goes."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.workers.fork_server import ForkServer
from ggp.workers.worker import Worker
from tests.processes import happens

SOON = 30.0


@pytest.mark.long
def test_it_ends_quietly_if_its_owner_dies_before_it_hears_that_it_is_ready() -> None:
    program = "from ggp.workers.fork_server import main; main()"
    orders, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(theirs.fileno()), "ggp.match.worker"],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
    with orders:
        # What it says is not read: then the system resets the connection instead of closing it.
        assert select.select([orders], [], [], SOON)[0]
    assert process.communicate(timeout=SOON)[1] == b""
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="a priority that only Linux has")
def test_what_has_ended_is_reaped_at_the_lowest_priority(fork_server: ForkServer) -> None:
    """At a normal one, it would keep a player that ends from the time that it needs for that."""
    worker = Worker("tests.workers.echo", start=fork_server.fork)
    worker.send("hello")
    worker.receive(Deadline.after(SOON))
    pid = worker.pid
    worker.close()
    assert happens(lambda: not Path(f"/proc/{pid}").exists(), within=SOON)
    threads = Path(f"/proc/{fork_server.pid}/task").iterdir()
    kinds = sorted(os.sched_getscheduler(int(thread.name)) for thread in threads)
    assert kinds == [os.SCHED_OTHER, os.SCHED_IDLE]
