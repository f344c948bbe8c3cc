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
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from ggp.cli import main, serve
from tests.processes import all_gone, command_line, descendants
from tests.server.command import Command, running
from tests.server.fakes import RULES, start
from tests.server.sockets import exchange


@pytest.mark.sample(1)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "log"),
    [(signal.SIGINT, "text"), (signal.SIGTERM, "json"), (signal.SIGKILL, "text")],
)
def test_it_serves_until_it_is_stopped_and_leaves_no_process(number: int, log: str) -> None:
    with running("legal", "--log", log) as command:
        assert command.ask(start(clocks="20 10")) == "ready"
        move = command.ask("(PLAY m1 NIL)", more="GGP-Match-ID: tiltyard.7\r\n")
        assert move == "(choose 1)"
        assert command.ask("(PLAY other NIL)") == "what"
        started = [
            pid
            for pid in descendants(command.process.pid)
            # What all games share is compiled to the end, whatever becomes of the server.
            if "kernels" not in command_line(pid)
        ]
        assert started
        os.kill(command.process.pid, number)
        assert command.process.wait(timeout=20) == (0 if number != signal.SIGKILL else -number)
        assert all_gone(started, within=20)
        _, written = command.process.communicate(timeout=20)
    assert "Traceback" not in written
    if log == "text":
        trouble = r"verb='play' match='other' seconds=[0-9.]+ reply='what' trouble='no such"
        assert re.search(trouble, written)
    else:
        lines = [json.loads(line) for line in written.splitlines()]
        (line,) = (each for each in lines if each.get("reply") == move)
        assert (line["event"], line["match"], line["level"]) == ("reply", "m1", "INFO")
        assert line["ggp-match-id"] == "tiltyard.7"


def test_it_keeps_to_the_cores_that_it_is_given() -> None:
    with running("legal", "--cores", "1") as command:
        assert command.ask(start(clocks="20 10")) == "ready"
        for pid in [command.process.pid, *descendants(command.process.pid)]:
            with suppress(ProcessLookupError):
                assert len(os.sched_getaffinity(pid)) == 1


def test_more_cores_than_there_are_cannot_be_given() -> None:
    done = CliRunner().invoke(serve.command, ["legal", "--cores", "9999"])
    assert done.exit_code == 2
    there = len(os.sched_getaffinity(0))
    assert f"--cores 9999: this machine gives it {there}" in done.output


@pytest.mark.long
def test_it_listens_and_plays_before_its_fork_servers_are_there(tmp_path: Path) -> None:
    # Python runs this file in every process, before anything else.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\nif 'fork_server' in ' '.join(sys.orig_argv): time.sleep(600)\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with running("legal", environment={**os.environ, "PYTHONPATH": path}) as command:
        assert "(status available)" in command.ask("( INFO )")
        assert command.ask(start(clocks="20 10")) == "ready"
        assert command.ask("(PLAY m1 NIL)") == "(choose 1)"
        command.process.terminate()
        assert command.process.wait(timeout=20) == 0


@pytest.mark.long
def test_the_modules_of_the_working_folder_stand_in_for_none_of_ours(tmp_path: Path) -> None:
    for name in ("server", "players", "games", "ggp_server"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the module of the user')")
    (tmp_path / "mine.py").write_text(
        "from ggp.match import Player\n"
        "class Last(Player):\n"
        "    def moves(self, state, deadline):\n"
        "        yield self.context.reasoner.view(state).legal[self.context.index][-1]\n"
    )
    with running("mine.Last", folder=tmp_path) as command:
        assert command.ask(start(clocks="20 10")) == "ready"
        assert command.ask("(PLAY m1 NIL)") == "(choose 2)"


def test_a_message_beyond_the_limit_is_not_read(command: Command) -> None:
    assert command.ask(start(rules=f"{RULES} (note {'x' * 1_100_000})")) == "what"
    assert command.ask("( INFO )") == "((name my-player) (status available))"


@pytest.mark.long
def test_it_is_busy_beyond_the_limit(command: Command) -> None:
    replies = [
        command.ask(message)
        for message in (start("a"), start("b"), "( INFO )", "( STOP a NIL )", "( INFO )")
    ]
    assert replies == [
        "ready",
        "busy",
        "((name my-player) (status busy))",
        "done",
        "((name my-player) (status available))",
    ]


def test_it_has_pages(command: Command) -> None:
    page = exchange(command.port, b"GET /status HTTP/1.0\r\n\r\n")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>my-player</h1>" in page.body
    metrics = exchange(command.port, b"GET /metrics HTTP/1.0\r\n\r\n").body
    assert "process_resident_memory_bytes" in metrics
    info = exchange(command.port, b"GET / HTTP/1.0\r\n\r\n").body
    assert info.startswith("((name my-player)")


@pytest.mark.long
def test_the_operator_says_whom_it_trusts() -> None:
    options = (
        *("--allow-host", "games.example.org", "--allow-origin", "https://ggp.org"),
        *("--allow-manager", "192.0.2.0/24", "--allow-status", "192.0.2.0/24"),
    )
    with running("legal", *options) as command:
        for host, origin, body in (
            ("games.example.org", "https://ggp.org", "((name legal) (status available))"),
            ("games.example.org", "http://ggp.org", "what"),
            ("evil.com", "https://ggp.org", "what"),
        ):
            head = f"POST / HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\r\n"
            reply = exchange(command.port, f"{head}(INFO)".encode())
            assert reply.body == body
            allowed = reply.headers.get("access-control-allow-origin")
            assert allowed == (None if body == "what" else origin)
        # This machine may send messages and read the pages in any case.
        assert command.ask("(INFO)").startswith("((name legal)")
        assert "<h1>legal</h1>" in exchange(command.port, b"GET /status HTTP/1.0\r\n\r\n").body


@pytest.mark.long
def test_players_without_memory_or_time_are_answered_for() -> None:
    with running("legal", "--memory", "1", "--max-time", "1") as command:
        assert command.ask(start(clocks="2 1")) in ("busy", "ready")
        assert command.ask("(PLAY m1 NIL)") in ("what", "nil")
        assert "available" in command.ask("( INFO )")
        # The match is aborted after a second, whether or not it has begun.
        deadline = time.monotonic() + 30
        while command.ask("(PLAY m1 NIL)") != "what":
            assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing"], "no such player"),
        (["legal:depth=4"], "no option 'depth'"),
        (["legal", "--learn", "no"], "no option 'learn'"),
        (["auto:memory=0", "--learn", "no"], "at least 1"),
        (["legal", "--host", "192.0.2.1"], "choose an address of this machine with --host"),
        (["legal", "--host", "no such host"], "choose an address of this machine with --host"),
        (["legal", "--port", "{taken}"], "is taken; choose another with --port"),
        (["legal", "--allow-host", "http://x"], "no name of a host, such as games.example.org"),
        (["legal", "--allow-origin", "x"], "no origin, such as https://games.example.org"),
        (["legal", "--allow-manager", "x"], "no address or network, such as 192.0.2.7"),
        (["legal", "--allow-status", "1/99"], "no address or network, such as 192.0.2.7"),
    ],
)
def test_wrong_use_is_reported_in_one_line(
    arguments: list[str],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = [word.format(taken=port) for word in arguments]
        monkeypatch.setattr("sys.argv", ["ggp", "serve", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert complaint in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.sample(1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
@pytest.mark.parametrize("subcommand", [["serve", "legal"], ["manager"]])
def test_output_that_cannot_be_written_is_reported_in_one_line(
    subcommand: list[str], tmp_path: Path
) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "ggp", *subcommand, "--port", "0"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
    assert ended.returncode != 0
    assert "No space left" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
