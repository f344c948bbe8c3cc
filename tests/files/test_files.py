"""A file has its old content or the new one as a whole, whatever happens."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ggp.files import check_writable, create_file, replace_file
from tests.files.disk import full_disk, names

LONG = b"x" * 100_000


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """A umask that takes all from others."""
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("write", [replace_file, create_file])
def test_a_new_file(write: Callable[[Path, bytes | str], None], tmp_path: Path) -> None:
    file = tmp_path / ("x" * 255)  # the longest name that there is
    write(file, "é\r\n")
    assert (file.read_bytes(), mode(file)) == ("é\r\n".encode(), 0o640)
    assert names(tmp_path) == [file.name]


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    for kept in (0o600, 0o666):
        file.chmod(kept)
        replace_file(file, "new")
        assert (file.read_text(), mode(file)) == ("new", kept)
    replace_file(file, "secret", mode=0o600)
    assert mode(file) == 0o600


@pytest.mark.parametrize("write", [replace_file, create_file])
def test_a_full_disk_leaves_what_was_there(
    write: Callable[[Path, bytes | str], None], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    with full_disk(room=4096), pytest.raises(OSError, match="File too large") as failed:
        write(file, LONG)
    assert failed.value.filename == str(file)
    assert names(tmp_path) == []
    write(file, LONG)
    assert file.read_bytes() == LONG
    with full_disk(room=4096), pytest.raises(OSError, match="File too large"):
        replace_file(file, LONG[:50_000])
    assert file.read_bytes() == LONG
    assert names(tmp_path) == ["file"]


def test_what_the_disk_tells_late_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems say only when the content goes to the disk that there is no space."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "file"
    file.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as failed:
            replace_file(file, "new")
    assert (failed.value.errno, failed.value.filename) == (errno.ENOSPC, str(file))
    assert (file.read_text(), names(tmp_path)) == ("old", ["file"])


def test_ctrl_c_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "file"
    file.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            replace_file(file, "new")
    assert (file.read_text(), names(tmp_path)) == ("old", ["file"])


def test_the_content_is_on_the_disk_before_it_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, seen = tmp_path / "file", []

    def watched(descriptor: int) -> None:
        seen.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), file.exists()))

    monkeypatch.setattr(os, "fsync", watched)
    replace_file(file, "new")
    assert seen == [(False, False), (True, True)]


def test_a_file_that_is_there_is_not_created(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    link.symlink_to("nowhere")
    for taken in (file, link, tmp_path):
        with pytest.raises(FileExistsError) as failed:
            create_file(taken, "new")
        assert failed.value.filename == str(taken)
    assert (file.read_text(), names(tmp_path)) == ("old", ["file"])


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    create_file(tmp_path / "file", "first")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "file", "second")
    assert (tmp_path / "file").read_text() == "first"
    assert names(tmp_path) == ["file"]


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    link, second = tmp_path / "link", tmp_path / "second"
    link.symlink_to("second")
    second.symlink_to(Path("inner", "file"))
    replace_file(link, "made")
    replace_file(link, "replaced")
    assert link.is_symlink()
    assert second.is_symlink()
    assert names(tmp_path / "inner") == ["file"]
    assert (tmp_path / "inner" / "file").read_text() == "replaced"


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    for name in ("one", "missing/file"):
        with pytest.raises(OSError, match=name):
            replace_file(tmp_path / name, "new")


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(pipe, "told")
    assert os.read(reader, 100) == b"told"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    replace_file("/dev/null", "gone")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        replace_file("/dev/full", "lost")


def test_standard_output_may_be_a_pipe_or_a_file(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    replace_file(f"/dev/fd/{writer}", "told")
    assert os.read(reader, 100) == b"told"
    os.close(reader)
    os.close(writer)
    with (tmp_path / "file").open("wb") as file:
        replace_file(f"/proc/self/fd/{file.fileno()}", "told")
        inode = (tmp_path / "file").stat().st_ino
        assert inode == os.fstat(file.fileno()).st_ino
    assert (tmp_path / "file").read_text() == "told"


def test_what_can_be_written_is_known_before(tmp_path: Path) -> None:
    file = tmp_path / "file"
    check_writable(file)
    assert names(tmp_path) == []
    file.write_text("old")
    check_writable(file)
    check_writable("/dev/null")
    assert file.read_text() == "old"
    for closed in (tmp_path, tmp_path / "missing" / "file", file / "inner"):
        with pytest.raises(OSError, match=str(closed)) as failed:
            check_writable(closed)
        assert failed.value.filename == str(closed)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o400)
    with pytest.raises(PermissionError):
        replace_file(file, "new")
    with pytest.raises(PermissionError):
        check_writable(file)
    assert file.read_text() == "old"
