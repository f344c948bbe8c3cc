"""Writes files as a whole: each holds its old content or the new one, whatever happens.

It also reads files up to a limit, since a name may lead to a device that never ends.

The content goes into a file beside the one that is meant, and on the disk. Only then it gets the
name. So a full disk, an error, Ctrl-C or a power failure leaves what was there before, and a reader
never sees half a file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "DRAFT",
    "check_writable",
    "create_file",
    "locked",
    "naming",
    "read_file",
    "read_stream",
    "replace_file",
    "update_file",
]

#: How the names of files begin that are not complete. A process that is killed leaves them.
DRAFT = ".ggp-"

#: Bytes that are read at a time.
_PIECE = 1 << 20

#: Symbolic links that may lead to a file, as in Linux.
_MAX_LINKS = 40


def replace_file(path: Path | str, content: bytes | str, *, mode: int | None = None) -> None:
    """Give a file new content at once, or make it.

    A symbolic link stays, and its target is replaced. What is no regular file, such as a device or
    a named pipe, is written to.

    Args:
        path: the file, in a folder that exists.
        content: its new content; text is written in UTF-8.
        mode: its permissions. By default a file keeps its own, and a new one has those that the
            umask gives.

    Raises:
        OSError: the file or its folder cannot be written, or the file is read-only. `filename` is
            that of the file. It has its old content then, or is missing if it was.
    """
    with naming(path):
        target = _target(Path(path))
        before = _writable(target)
        if before and not _is_replaced(target, before):
            target.write_bytes(_encoded(content))
            return
        with _draft(target.parent, _encoded(content), before, mode) as draft:
            draft.replace(target)


def read_file(path: Path | str, *, most: int, is_regular: bool = False) -> bytes:
    """Return the content of a file.

    A pipe is read to its end, such as the one that a shell makes of ``<(command)``.

    Args:
        path: the file.
        most: the most bytes that it may have.
        is_regular: whether pipes and devices are refused. They are where the path comes from the
            content of another file: to open a device may change something.

    Raises:
        OSError: the file cannot be read, is larger, or is a named pipe that no program writes to.
            `filename` is that of the file.
    """
    with naming(path):
        if is_regular and not stat.S_ISREG(Path(path).stat().st_mode):
            raise OSError(errno.EINVAL, "is no regular file")
        # A named pipe to which no program writes would keep `open` waiting.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(_checked(descriptor, most), "rb") as file:
            start = b""
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                with suppress(BlockingIOError):
                    start = os.read(descriptor, min(select.PIPE_BUF, most))
                    if not start:
                        raise OSError(errno.ENXIO, "is a pipe to which no program writes")
            os.set_blocking(descriptor, True)
            return start + read_stream(file, most=most - len(start))


def read_stream(stream: BinaryIO, *, most: int) -> bytes:
    """Return what a stream still has. Raises `OSError` if that is more than `most` bytes."""
    content = bytearray()
    while piece := stream.read(min(_PIECE, most + 1 - len(content))):
        content += piece
    if len(content) > most:
        raise _too_large(most)
    return bytes(content)


def update_file(path: Path | str, content: bytes | str) -> bool:
    """Give a file new content unless it has it; return whether that was necessary.

    Raises:
        OSError: as `replace_file`, or the file cannot be read.
    """
    content = _encoded(content)
    with naming(path):
        if Path(path).is_file() and Path(path).read_bytes() == content:
            return False
    replace_file(path, content)
    return True


def create_file(path: Path | str, content: bytes | str) -> None:
    """Make a file that is not there yet, at once.

    Args:
        path: the file, in a folder that exists.
        content: its content; text is written in UTF-8.

    Raises:
        FileExistsError: there is a file, or something else of this name.
        OSError: the file cannot be written; there is none then. `filename` is that of the file.
    """
    path = Path(path)
    with naming(path), _draft(path.parent, _encoded(content)) as draft:
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            draft.replace(path)


def check_writable(path: Path | str) -> None:
    """Check that `replace_file` may write a file, before the work that it is to hold.

    Raises:
        OSError: the file or its folder cannot be written. `filename` is that of the file.
    """
    with naming(path):
        target = _target(Path(path))
        before = _writable(target)
        if before is None or _is_replaced(target, before):
            with _draft(target.parent, b""):
                pass


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Let errors of the system name the file that was to be written.

    An error while bytes are written, such as "no space left", names none by itself.

    Raises:
        OSError: as raised within, with `path` as its `filename`.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Yield whether no other process has the lock of a folder, which ends with this process.

    Raises:
        OSError: the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        is_ours = False
    else:
        is_ours = True
    try:
        yield is_ours
    finally:
        os.close(descriptor)


def _checked(descriptor: int, most: int) -> int:
    """Return the descriptor of an open file, or close it if it is a folder or too large."""
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        os.close(descriptor)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(found.st_mode) and found.st_size > most:
        os.close(descriptor)
        raise _too_large(most)
    return descriptor


def _too_large(most: int) -> OSError:
    return OSError(errno.EFBIG, f"is larger than {most:,} bytes, which is the limit")


def _encoded(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _target(path: Path) -> Path:
    """Return the file to which symbolic links lead.

    A link of the system in /proc, as that of /dev/stdout, stays: its text need not be a path.
    """
    for _ in range(_MAX_LINKS):
        folder = Path(os.path.realpath(path.parent))
        path = folder / path.name
        if folder.is_relative_to("/proc") or not path.is_symlink():
            return path
        path = folder / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _writable(target: Path) -> os.stat_result | None:
    """Return the status of a file; None if there is none. Raises `OSError` if it is closed."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _is_replaced(target: Path, found: os.stat_result) -> bool:
    """Return whether another file may take the place of this one."""
    return stat.S_ISREG(found.st_mode) and not target.is_relative_to("/proc")


@contextmanager
def _draft(
    folder: Path, content: bytes, like: os.stat_result | None = None, mode: int | None = None
) -> Iterator[Path]:
    """Write a file under a name of its own in a folder; give it a name, or it is removed.

    Args:
        folder: the folder.
        content: its content, which is on the disk when this yields.
        like: the status of the file whose owner and permissions it takes over.
        mode: its permissions, instead of those.
    """
    draft = folder / f"{DRAFT}{secrets.token_hex(8)}"
    if mode is None and like is not None:
        mode = stat.S_IMODE(like.st_mode) & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    # Before it has its permissions, others may not read it.
    descriptor = os.open(draft, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if like is not None:
                with suppress(PermissionError):  # only root may give files away
                    os.fchown(descriptor, -1, like.st_gid)
                    os.fchown(descriptor, like.st_uid, -1)
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        draft.unlink(missing_ok=True)
    _sync(folder)


def _sync(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the file system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
