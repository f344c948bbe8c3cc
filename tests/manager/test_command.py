"""`ggp manager` as a user runs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.processes import all_gone, descendants

COMMAND = [sys.executable, "-m", "ggp", "manager"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_serves_until_it_is_told_to_end_and_leaves_no_process(
    tmp_path: Path, number: int
) -> None:
    arguments = ["--port", "0", "--folder", str(tmp_path / "kept")]
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[1]
            with urllib.request.urlopen(f"{url}/games/nim") as reply:
                assert "nim" in reply.read().decode()
            with urllib.request.urlopen(f"{url}/api/games/nim/layout") as reply:
                assert b"first" in reply.read()
            started = descendants(process.pid)
            assert started
            os.kill(process.pid, number)
            assert process.wait(timeout=20) == (0 if number == signal.SIGINT else -number)
        finally:
            process.kill()
    assert all_gone(started, within=20)
    assert not (tmp_path / "kept").exists()  # nothing was played, nothing is kept


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [*COMMAND, "--port", port], check=False, capture_output=True, text=True, cwd=tmp_path
        )
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line == (
        f"ggp: port {port} is taken; choose another with --port, or --port 0 for any free one"
    )
