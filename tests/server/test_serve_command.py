"""`ggp serve` as a user runs it."""

from __future__ import annotations

import json
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

from tests.processes import all_gone, descendants
from tests.server.fakes import RULES, start
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
    assert all_gone(started, within=10)


def test_it_logs_what_it_answers() -> None:
    with running("legal", "--port", "0") as (process, port):
        exchange(port, ggp_base("(PLAY m1 NIL)"))
        process.terminate()
        _, log = process.communicate(timeout=10)
    assert re.search(r"verb='play' match='m1' seconds=[0-9.]+ reply='what' trouble='no such", log)
    assert "Traceback" not in log


def test_its_log_is_an_object_a_line_if_wanted() -> None:
    with running("legal", "--port", "0", "--log", "json") as (process, port):
        exchange(port, ggp_base("(PLAY m1 NIL)", more="GGP-Match-ID: tiltyard.7\r\n"))
        process.terminate()
        _, log = process.communicate(timeout=10)
    (line,) = map(json.loads, log.splitlines())
    assert (line["event"], line["match"], line["reply"]) == ("reply", "m1", "what")
    assert line["ggp-match-id"] == "tiltyard.7"


def test_a_message_beyond_the_limit_is_not_read() -> None:
    with running("legal", "--port", "0", "--max-message", "1") as (_, port):
        large = start(rules=f"{RULES} (note {'x' * 1_100_000})")
        assert exchange(port, ggp_base(large)).body == "what"
        assert exchange(port, ggp_base(start())).body == "ready"


def test_a_match_beyond_the_limit_of_time_is_given_up() -> None:
    with running("legal", "--port", "0", "--max-time", "2") as (_, port):
        assert exchange(port, ggp_base(start(clocks="1 1"))).body == "ready"
        time.sleep(2.5)
        assert exchange(port, ggp_base("(PLAY m1 NIL)")).body == "what"


def test_players_without_memory_are_answered_for() -> None:
    with running("legal", "--port", "0", "--memory", "1") as (_, port):
        assert exchange(port, ggp_base(start(clocks="2 1"))).body in ("busy", "ready")
        assert exchange(port, ggp_base("(PLAY m1 NIL)")).body in ("what", "nil")
        assert "available" in exchange(port, ggp_base("( INFO )")).body


def test_it_has_pages() -> None:
    with running("legal", "--port", "0") as (_, port):
        page = exchange(port, b"GET /status HTTP/1.0\r\n\r\n")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "<h1>legal</h1>" in page.body
        metrics = exchange(port, b"GET /metrics HTTP/1.0\r\n\r\n").body
        assert "process_resident_memory_bytes" in metrics
        assert exchange(port, b"GET / HTTP/1.0\r\n\r\n").body.startswith("((name legal)")


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
