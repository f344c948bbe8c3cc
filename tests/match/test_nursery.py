"""The process that forks players, and what becomes of those."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.kif import parse_term
from ggp.match import ForkServer, PlayerProcess
from ggp.workers.fork_server import Child
from tests.match.games import PICK
from tests.processes import all_gone, descendants, is_running

ROOT = Path(__file__).parents[2]
ONE = parse_term("(pick 1)")
ARGUMENTS = ["legal", "auto", "", "10", ""]


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    with ForkServer() as opened:
        yield opened


@contextmanager
def forked(fork_server: ForkServer) -> Iterator[tuple[Child, Connection]]:
    ours, theirs = Pipe()
    with ours, theirs:
        child = fork_server.fork(theirs.fileno(), ARGUMENTS)
        theirs.close()
        yield child, ours
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        child.wait()


def play(process: PlayerProcess) -> None:
    process.start(PICK, "left", play_clock=5, deadline=Deadline.after(20))
    assert process.play(None, Deadline.after(20)) == ONE


def test_its_children_play(fork_server: ForkServer) -> None:
    with (
        PlayerProcess("legal", fork_server=fork_server) as one,
        PlayerProcess("legal", fork_server=fork_server) as other,
    ):
        play(one)
        play(other)


def test_a_child_leaves_when_its_owner_does_not_talk_to_it_any_more(
    fork_server: ForkServer,
) -> None:
    with forked(fork_server) as (child, connection):
        connection.close()
        assert child.wait() == 0


def test_the_signal_that_ended_a_child_is_told(fork_server: ForkServer) -> None:
    with forked(fork_server) as (child, _):
        os.kill(child.pid, signal.SIGTERM)
        assert child.wait() == -signal.SIGTERM


def test_a_child_has_the_folder_and_environment_of_its_owner_now(
    fork_server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "of_today.py").write_text(
        "import os\nfrom players.legal import Legal\n"
        "class Mine(Legal):\n"
        "    def start(self, seat, clock):\n"
        "        super().start(seat, clock)\n"
        "        open(os.environ['WHERE'], 'w').write('here')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHERE", str(tmp_path / "there"))
    with PlayerProcess("of_today.Mine", fork_server=fork_server) as process:
        play(process)
    assert (tmp_path / "there").read_text() == "here"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs Linux")
def test_what_a_player_leaves_behind_is_killed_even_if_it_is_frozen(
    fork_server: ForkServer,
) -> None:
    before = descendants(os.getpid())
    with PlayerProcess("legal", fork_server=fork_server) as process:
        play(process)
        reasoners = [
            pid
            for pid in descendants(os.getpid()) - before
            if process._process is not None and pid != process._process.pid
        ]
        assert reasoners
        for pid in reasoners:
            os.kill(pid, signal.SIGSTOP)
    assert all_gone(reasoners, within=10)


def test_a_nursery_that_has_died_is_replaced() -> None:
    with ForkServer() as fork_server:
        os.kill(fork_server.pid, signal.SIGKILL)
        fork_server._process.wait()
        with PlayerProcess("legal", fork_server=fork_server) as process:
            play(process)


def test_closing_ends_all_players() -> None:
    fork_server = ForkServer()
    with PlayerProcess("legal", fork_server=fork_server) as process:
        play(process)
        assert process._process is not None
        pid = process._process.pid
        fork_server.close()
        fork_server.close()
        assert all_gone([pid], within=10)
        with pytest.raises(OSError, match="closed"):
            fork_server.fork(0, ARGUMENTS)


OWNER = """
from ggp.deadline import Deadline
from ggp.match import ForkServer, PlayerProcess
from tests.match.games import PICK
process = PlayerProcess("tests.match.bad_players.Hung", nursery=ForkServer())
process.start(PICK, "left", play_clock=60, clock=Deadline.after(20))
print("ready", flush=True)
process.play(None, Deadline.after(60))
"""


def test_nothing_outlives_a_killed_owner() -> None:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        below = descendants(owner.pid)
        assert len(below) >= 3  # the nursery, the player, its reasoner
        for pid in below:
            if os.getpgid(pid) == pid and pid != min(below):
                os.kill(pid, signal.SIGSTOP)
        owner.kill()
    assert all_gone(below, within=10)
    assert not any(map(is_running, below))
