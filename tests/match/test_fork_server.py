"""The process that forks players, and how these end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.kif import parse_term
from ggp.match import ForkServer, PlayerProcess
from ggp.workers.fork_server import _is_survivor, own_fork_server
from ggp.workers.worker import DEVNULL, Worker
from tests.match.games import PICK
from tests.processes import all_gone, command_line, descendants, happens, is_running

ROOT = Path(__file__).parents[2]
ONE = parse_term("(pick 1)")
STREAMS = (DEVNULL, 2, 2)


def forked(fork_server: ForkServer) -> Worker:
    return Worker("tests.workers.echo", start=fork_server.fork)


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


def test_a_child_ends_when_its_owner_closes_the_channel(fork_server: ForkServer) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = fork_server.fork("tests.workers.echo", theirs.fileno(), STREAMS)
        theirs.close()
        ours.close()
        assert child.wait() == 0


@pytest.mark.long
def test_orders_that_arrive_together_are_all_taken() -> None:
    with ThreadPoolExecutor(5) as pool, ForkServer(prepare="ggp.match.worker") as server:
        os.kill(server.pid, signal.SIGSTOP)
        orders = [pool.submit(forked, server) for _ in range(5)]
        assert not wait(orders, timeout=0.5).done
        os.kill(server.pid, signal.SIGCONT)
        assert not wait(orders, timeout=30).not_done
        for order in orders:
            with order.result() as worker:
                assert worker.receive(Deadline.after(30)) == ()


def test_a_child_may_have_no_streams(fork_server: ForkServer) -> None:
    nowhere = (DEVNULL, DEVNULL, DEVNULL)
    with Worker("tests.workers.echo", streams=nowhere, start=fork_server.fork) as child:
        assert child.receive() == ()
        assert Path(f"/proc/{child.pid}/fd/2").readlink() == Path(os.devnull)


def test_how_a_child_ended_is_told(fork_server: ForkServer) -> None:
    with forked(fork_server) as child:
        assert child.receive() == ()
        os.kill(child.pid, signal.SIGTERM)
        assert list(child) == []
        assert child.stop() == -signal.SIGTERM
    with forked(fork_server) as child:
        child.send("exit")
        assert list(child) == [()]
        assert child.stop() == 3


def test_a_child_has_the_folder_and_environment_of_its_owner_now(
    fork_server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "of_today.py").write_text(
        "import os\nfrom ggp.players.legal import Legal\n"
        "class Mine(Legal):\n"
        "    def start(self, context, deadline):\n"
        "        super().start(context, deadline)\n"
        "        open(os.environ['WHERE'], 'w').write('here')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHERE", str(tmp_path / "there"))
    with PlayerProcess("of_today.Mine", fork_server=fork_server) as process:
        play(process)
    assert (tmp_path / "there").read_text() == "here"


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs Linux")
def test_what_a_player_leaves_behind_is_killed_even_if_it_is_frozen(
    fork_server: ForkServer,
) -> None:
    before = descendants(os.getpid())
    with PlayerProcess("legal", fork_server=fork_server) as process:
        play(process)
        reasoners = [
            pid for pid in descendants(os.getpid()) - before if pid not in process.processes
        ]
        assert reasoners
        for pid in reasoners:
            os.kill(pid, signal.SIGSTOP)
    assert all_gone(reasoners, within=10)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs Linux")
def test_what_outlives_a_player_is_cleared_away_when_it_ends(fork_server: ForkServer) -> None:
    with forked(fork_server) as child:
        assert child.receive() == ()
        child.send("leave")
        left = child.receive()
    assert is_running(left)
    os.kill(left, signal.SIGKILL)
    # A process that has ended has an entry until its parent has taken notice.
    assert happens(lambda: not Path(f"/proc/{left}").exists(), within=20)


@pytest.mark.long
def test_a_fork_server_that_has_died_is_replaced_while_others_start_processes() -> None:
    with ForkServer(prepare="ggp.match.worker") as fork_server:
        died = fork_server.pid
        os.kill(died, signal.SIGKILL)
        assert happens(lambda: not is_running(died), within=10)
        with PlayerProcess("legal", fork_server=fork_server) as process:
            play(process)
        assert happens(lambda: fork_server.pid != died, within=60)
        with forked(fork_server) as child:
            assert child.pid in descendants(fork_server.pid)


@pytest.mark.long
def test_a_fork_server_that_stands_still_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.workers.fork_server._STALLED", 0.1)
    with ForkServer(prepare="ggp.match.worker") as fork_server:
        os.kill(fork_server.pid, signal.SIGSTOP)
        with PlayerProcess("legal", fork_server=fork_server) as process:
            play(process)


@pytest.mark.long
def test_closing_ends_a_fork_server_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.workers.fork_server._PARTING", 0.1)
    fork_server = ForkServer(prepare="ggp.match.worker")
    os.kill(fork_server.pid, signal.SIGSTOP)
    fork_server.close()
    assert not is_running(fork_server.pid)


@pytest.mark.long
def test_processes_are_started_anew_until_it_is_there() -> None:
    with ForkServer(prepare="ggp.match.worker", in_background=True) as fork_server:
        with pytest.raises(OSError, match="not there yet"):
            _ = fork_server.pid
        with forked(fork_server) as child:
            assert child.receive() == ()
            assert "tests.workers.echo" in command_line(child.pid)

        def is_there() -> bool:
            with suppress(OSError):
                return fork_server.pid > 0
            return False

        assert happens(is_there, within=60)
        with forked(fork_server) as child:
            assert child.pid in descendants(fork_server.pid)


def test_its_children_have_a_fork_server_that_ends_with_them(fork_server: ForkServer) -> None:
    assert own_fork_server() is None  # no fork server has forked this process
    with forked(fork_server) as child:
        assert child.receive() == ()
        child.send("fork")
        grandchild, greeting = child.receive()
        assert greeting == ("hello",)
        (twin,) = descendants(child.pid) - {grandchild}
        assert grandchild in descendants(twin)
    assert all_gone([twin, grandchild], within=10)


def test_where_such_a_fork_server_has_died_processes_are_started_anew(
    fork_server: ForkServer,
) -> None:
    with forked(fork_server) as child:
        assert child.receive() == ()
        child.send("fork without")
        grandchild, greeting = child.receive()
        assert greeting == ("hello",)
        assert "tests.workers.echo" in command_line(grandchild)


@pytest.mark.long
def test_closing_ends_all_players() -> None:
    fork_server = ForkServer(prepare="ggp.match.worker")
    with PlayerProcess("legal", fork_server=fork_server) as process:
        play(process)
        (pid,) = process.processes
        fork_server.close()
        fork_server.close()
        assert all_gone([pid], within=10)
        with pytest.raises(OSError, match="closed"):
            fork_server.fork("", 0, STREAMS)


OWNER = """
from ggp.deadline import Deadline
from ggp.match import ForkServer, PlayerProcess
from tests.match.games import PICK
fork_server = ForkServer(prepare="ggp.match.worker")
process = PlayerProcess("tests.match.bad_players.Hung", fork_server=fork_server)
process.start(PICK, "left", play_clock=60, deadline=Deadline.after(20))
print("ready", flush=True)
process.play(None, Deadline.after(60))
"""


@pytest.mark.long
def test_nothing_outlives_a_killed_owner() -> None:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        below = descendants(owner.pid)
        assert len(below) >= 3  # the fork server, the player, its reasoner
        for pid in below:
            if os.getpgid(pid) == pid and pid != min(below):
                os.kill(pid, signal.SIGSTOP)
        owner.kill()
    assert all_gone(below, within=10)
    assert not any(map(is_running, below))


@pytest.mark.parametrize("outlives", [False, True])
def test_a_process_outlives_its_parent_if_it_has_a_session_of_its_own(outlives: bool) -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=outlives) as process:
        assert _is_survivor(process.pid) == outlives
        process.communicate(b"\n")
    assert not _is_survivor(process.pid)
