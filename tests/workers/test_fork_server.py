"""The fork server as its owner goes."""

from __future__ import annotations

import select
import socket
import subprocess
import sys

import pytest

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
