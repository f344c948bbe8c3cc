"""Files that are read up to a limit: pipes, devices, and files that are too large."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ggp.authoring.playthrough import Playthrough
from ggp.errors import GgpError, TournamentError
from ggp.files import read_file, read_stream
from ggp.kif import MAX_BYTES, Source
from ggp.match import MatchRecord
from ggp.search.evaluation.value_net import ValueNet
from ggp.tournament.database import Database
from tests.cli.command import ggp

ENDLESS = Path("/dev/zero")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, most=5) == b"12345"
    with pytest.raises(OSError, match="is larger than 4 bytes") as caught:
        read_file(path, most=4)
    assert caught.value.filename == str(path)
    assert read_file("/dev/null", most=5) == b""
    # The system tells no size of these.
    assert read_file("/proc/self/status", most=100_000).startswith(b"Name:")


def test_a_stream_is_read_up_to_its_limit() -> None:
    assert read_stream(io.BytesIO(b"12345"), most=5) == b"12345"
    with pytest.raises(OSError, match="is larger than 3,000,000 bytes"):
        read_stream(io.BytesIO(b"1" * 3_000_001), most=3_000_000)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path, most=5)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none", most=5)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        with pytest.raises(OSError, match="No such device"):
            read_file(tmp_path / "socket", most=5)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (tmp_path, ENDLESS):
        with pytest.raises(OSError, match=r"directory|larger"):
            read_file(path, most=5)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_pipe_is_read_to_its_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"x" * 50_000)
    os.close(writer)
    assert read_file(f"/proc/self/fd/{reader}", most=50_000) == b"x" * 50_000
    os.close(reader)


def test_a_pipe_to_which_no_program_writes_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is a pipe to which no program writes"):
        read_file(tmp_path / "pipe", most=5)


@pytest.mark.parametrize("path", [ENDLESS, Path("/dev/null"), Path("pipe")])
def test_what_another_file_names_is_a_regular_file(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is no regular file"):
        read_file(tmp_path / path, most=5, is_regular=True)


@pytest.mark.parametrize(
    "read",
    [Source.read, MatchRecord.read, Playthrough.read, ValueNet.load],
    ids=["rules", "record", "playthrough", "network"],
)
def test_each_reader_has_a_limit(read: Callable[[Path], object]) -> None:
    with pytest.raises((OSError, GgpError), match=r"is larger than|no file of a value network"):
        read(ENDLESS)


def test_a_network_of_zeros_that_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.search.evaluation.value_net._MAX_BYTES", 1_000_000)
    path = tmp_path / "net.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("weights.npy", b"\0" * 1_000_001)
    with pytest.raises(GgpError, match="the network is larger than"):
        ValueNet.load(path)


def test_a_record_with_a_link_to_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "step_1.xml").symlink_to(ENDLESS)
    with pytest.raises(OSError, match="is no regular file"):
        MatchRecord.read(tmp_path)


@pytest.mark.parametrize("content", ["sqlite:////etc/passwd", "http://[", "", "\xff"])
def test_the_folder_of_a_tournament_names_a_postgresql_server_only(
    content: str, tmp_path: Path
) -> None:
    (tmp_path / "database.url").write_text(content, encoding="latin-1")
    with pytest.raises(TournamentError, match="holds no URL of a database"):
        Database.of(tmp_path)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "command",
    ["check", "replay", "format --check", "show", "solve", "perft", "playouts", "lvt", "prove",
     "match", "test"],
)  # fmt: skip
def test_each_command_says_that_a_device_is_too_large(command: str) -> None:
    done = ggp(*command.split(), ENDLESS)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith(f"ggp: {ENDLESS}: is larger than ") or "no regular file" in line


@pytest.mark.long
def test_standard_input_has_a_limit() -> None:
    done = ggp("check", "-", stdin=b" " * (MAX_BYTES + 1))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("ggp: standard input: is larger than 20,000,000 bytes")
