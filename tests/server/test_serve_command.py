"""`ggp serve` as a user runs it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.fakes import start
from tests.server.sockets import exchange, ggp_base

COMMAND = [sys.executable, "-m", "ggp", "serve"]


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the command; give its process and the port that it says it listens on."""
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on http://127.0.0.1:")
            yield process, int(line.rsplit(":", 1)[1])
        finally:
            process.kill()


def descendants(process_id: int) -> set[int]:
    """Return the processes that a process has started, and those that these have."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(folder.name)] = int(fields[1])
    found = {process_id}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process_id}


def is_running(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_serves_until_it_is_told_to_end_and_leaves_no_process(number: int) -> None:
    with running("legal", "--port", "0", "--name", "my player") as (process, port):
        info = exchange(port, ggp_base("( INFO )")).body
        assert info == "((name my-player) (status available))"
        assert exchange(port, ggp_base(start(clocks="20 10"))).body == "ready"
        assert exchange(port, ggp_base("(PLAY m1 NIL)")).body == "(choose 1)"
        started = descendants(process.pid)
        assert started
        os.kill(process.pid, number)
        assert process.wait(timeout=10) == (0 if number != signal.SIGKILL else -number)
    for _ in range(500):
        if not any(map(is_running, started)):
            break
        time.sleep(0.01)
    assert not any(map(is_running, started))


def test_it_logs_what_it_answers() -> None:
    with running("legal", "--port", "0") as (process, port):
        exchange(port, ggp_base("(PLAY m1 NIL)"))
        process.terminate()
        _, log = process.communicate(timeout=10)
    assert re.search(r"verb='play' match='m1' seconds='[0-9.]+' reply='what' trouble='no such", log)
    assert "Traceback" not in log


def test_it_is_busy_beyond_the_limit() -> None:
    with running("legal", "--port", "0", "--max-matches", "1") as (_, port):
        replies = [
            exchange(port, ggp_base(message)).body
            for message in (start("a"), start("b"), "( INFO )", "( STOP a NIL )", "( INFO )")
        ]
    assert replies == [
        "ready",
        "busy",
        "((name legal) (status busy))",
        "done",
        "((name legal) (status available))",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nobody"], "no such player"),
        (["legal:depth=4"], "no option 'depth'"),
        (["legal", "--host", "192.0.2.1"], "choose an address of this machine with --host"),
        (["legal", "--host", "no such host"], "choose an address of this machine with --host"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: list[str], complaint: str) -> None:
    check_complaint(arguments, complaint)


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        check_complaint(["legal", "--port", str(port)], f"port {port} is taken; choose another")


def check_complaint(arguments: list[str], complaint: str) -> None:
    result = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1
