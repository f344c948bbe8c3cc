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

from ggp.cli import main
from tests.processes import all_gone, descendants

COMMAND = [sys.executable, "-m", "ggp", "manager"]


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_serves_until_it_is_stopped_and_leaves_no_process(tmp_path: Path, number: int) -> None:
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
    # Nothing was played and nothing is kept; killed, it cannot even remove the folder.
    assert list(tmp_path.rglob("*")) == ([] if number == signal.SIGINT else [tmp_path / "kept"])


def complaint(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Run the command, which must fail; return its only line."""
    monkeypatch.setattr("sys.argv", ["ggp", "manager", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    return line


def test_a_port_that_is_taken_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = complaint(["--port", port, "--folder", str(tmp_path)], monkeypatch, capsys)
    assert line == (
        f"ggp: port {port} is taken; choose another with --port, or --port 0 for any free one"
    )


@pytest.mark.parametrize("folder", ["/proc/records", "/dev/null/records", "{file}/records"])
def test_a_folder_that_cannot_be_made_is_said_before_anything_is_served(
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    folder = folder.format(file=tmp_path / "file")
    line = complaint(["--port", "0", "--folder", folder], monkeypatch, capsys)
    assert line.startswith(f"ggp: cannot keep records in {folder}: ")
    assert line.endswith("choose another folder with --folder")


def test_a_folder_without_a_tournament_is_said_before_anything_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--folder", str(tmp_path), "--tournament", str(tmp_path / "cup")]
    line = complaint(arguments, monkeypatch, capsys)
    assert line.startswith(f"ggp: {tmp_path / 'cup'} has no tournament; `ggp tournament FOLDER")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--player", "legal"], "write a name before the player, as in net=legal"),
        (["--player", "llm:url=http://127.0.0.1"], "write a name before the player"),
        (["--player", "url=legal"], "'url' is no name for a player"),
        (["--player", "small=llm"], "'url' must be given"),
        (["--player", "net=mcts:net=/no/such/net"], "No such file or directory"),
        (["--allow-player-host", "http://host"], "is no host, such as"),
    ],
)
def test_players_that_cannot_be_offered_are_said_before_anything_is_served(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = ["--port", "0", "--folder", str(tmp_path / "kept")]
    assert reason in complaint([*folder, *arguments], monkeypatch, capsys)
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("arguments", "is_offered"),
    [
        ([], True),
        (["--host", "0.0.0.0"], False),
        (["--allow-host", "games.example.org"], False),
        (["--host", "0.0.0.0", "--allow-player-host", "10.0.0.0/8"], True),
    ],
)
def test_visitors_from_elsewhere_name_no_player_at_a_host_that_is_not_allowed(
    arguments: list[str],
    is_offered: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ggp.cli import manager as module
    from ggp.server.manager.manager import Manager
    from ggp.server.manager.players import Players

    class Opened(Exception):
        pass

    def opened(*, players: Players, **_: object) -> None:
        assert players.hosts.is_empty != is_offered
        raise Opened

    monkeypatch.setattr(Manager, "open", opened)
    with pytest.raises(Opened):
        module.command.main(["--folder", str(tmp_path), *arguments], standalone_mode=False)
