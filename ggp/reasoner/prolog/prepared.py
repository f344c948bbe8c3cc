"""Prolog loaded ahead of time: a process that has many children prepares it once for all of them.

To start Python, SWI-Prolog and the engine takes 75 milliseconds of a processor; to fork a process
in which they have been started, five.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, BinaryIO, NoReturn

from ggp.reasoner.prolog.worker import Engine, serve
from ggp.workers.memory import limit_memory

__all__ = ["ForkedProcess", "fork_prolog", "prepare_prolog"]

_engine: Engine | None = None


def prepare_prolog() -> None:
    """Load Prolog into this process, for all that are forked from it, if it is installed."""
    global _engine  # noqa: PLW0603 - a process has one Prolog at most
    if _engine is None and shutil.which("swipl") is not None:
        _engine = Engine()


class ForkedProcess:
    """A child with pipes, as far as `subprocess.Popen` has the same."""

    def __init__(self, pid: int, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._exit_code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        code = self._wait(0)
        assert code is not None
        return code

    def kill(self) -> None:
        """Kill it, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _wait(self, options: int) -> int | None:
        if self._exit_code is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self._exit_code = os.waitstatus_to_exitcode(status)
        return self._exit_code


def fork_prolog(memory_limit: int, program: IO[str], stderr: IO[bytes]) -> ForkedProcess | None:
    """Start the process of `worker.py` where Prolog was prepared, else return None."""
    if _engine is None:
        return None
    questions, asks = os.pipe()
    answers, replies = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_prolog(
            _engine, memory_limit, (questions, replies, stderr.fileno(), program.fileno())
        )
    os.close(questions)
    os.close(replies)
    return ForkedProcess(pid, open(asks, "wb", buffering=0), open(answers, "rb", buffering=0))  # noqa: PTH123


def _become_prolog(engine: Engine, memory_limit: int, streams: Sequence[int]) -> NoReturn:
    """Go on as Prolog, with the streams as the first descriptors; the last is the program."""
    try:
        os.setsid()  # Ctrl-C in a terminal is not for Prolog
        # All of them out of the way first: one may have a number that another is to get.
        moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16) for descriptor in streams]
        for target, descriptor in enumerate(moved):
            os.dup2(descriptor, target)
        with suppress(OSError):
            os.closerange(len(streams), os.sysconf("SC_OPEN_MAX"))
        limit_memory(memory_limit)
        serve(len(streams) - 1, memory_limit, engine)
    finally:
        os._exit(1)
