"""Room for the files and connections that a server has open."""

from __future__ import annotations

import os
from contextlib import suppress

__all__ = ["make_room"]


def make_room(most: int) -> None:
    """Let this process have many files open, and make room for them at once.

    Call this before there are other threads. Linux makes room as files are opened, for twice as
    many each time. In a process with several threads it first waits until every process that runs
    in the kernel has left it or sleeps, and no file is opened and no connection accepted meanwhile.
    Beside fifty players that only run on idle processors, that took five seconds.

    Args:
        most: the number of files, if the limit of the system allows it.
    """
    try:
        import fcntl
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = most if hard == resource.RLIM_INFINITY else min(hard, most)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        with open(os.devnull, "rb") as file:  # noqa: PTH123 - no Path is needed for it
            os.close(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, wanted - 1))
