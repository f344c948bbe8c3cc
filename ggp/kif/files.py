"""Replaces files, so that each holds either the old or the new content, whatever happens."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path | str, content: bytes) -> None:
    """Give a file new content at once. It keeps its mode; a new file has mode 644.

    A symbolic link stays, and its target is replaced. What is no regular file, such as a device or
    a named pipe, is written to.

    Raises:
        OSError: the file or its folder cannot be written, or the file is read-only.
    """
    path = Path(path).resolve()
    mode = 0o644
    if path.exists():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            path.write_bytes(content)
            return
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        mode = stat.S_IMODE(status.st_mode)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".ggp-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise
