"""A child process as its owner sees it."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf
from multiprocessing.connection import wait
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol, TypeAlias

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.workers.child import Channel

__all__ = [
    "DEVNULL",
    "Process",
    "Start",
    "Streams",
    "Worker",
    "fork",
    "has_ended",
    "ready",
    "spawn",
]

DEVNULL = subprocess.DEVNULL

#: The niceness of a process that works ahead for one that must answer in time.
BACKGROUND = 5

#: The descriptors of standard input, output and error.
Streams: TypeAlias = tuple[int, int, int]

# -P: a file of the current folder must not stand in for a module. The module is imported without
# its package, which takes long to load; were it run as a file, Python would compile it each time.
_CHILD = (
    *(sys.executable, "-P", "-c"),
    f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
    "from child import main; del sys.path[0]; main()",
)


class Process(Protocol):
    """A process that was started in one way or another."""

    @property
    def pid(self) -> int:
        """Its number."""

    def wait(self) -> int:
        """Wait for its end and return the exit code, negative for the number of a signal."""


#: Starts a process: takes the program, the descriptor of its end of the channel, and the streams.
Start: TypeAlias = Callable[[str, int, Streams], Process]


def spawn(program: str, descriptor: int, streams: Streams) -> Process:
    """Start a new Python for a program. Raises `OSError`."""
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        [*_CHILD, str(descriptor), program],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=[descriptor],
        process_group=0,  # Ctrl-C in a terminal is for the owner
    )


class _Forked:
    """A child that was forked from this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self) -> int:
        """Wait for its end and return the exit code, negative for the number of a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def fork(descriptor: int, streams: Streams, become: Callable[[int], object]) -> Process:
    """Fork this process. Raises `OSError`.

    The child has a process group of its own, and no descriptors but those given.

    Args:
        descriptor: the child's end of the channel to its owner.
        streams: its standard streams.
        become: what it does, given the descriptor as it is there; then it ends.
    """
    if pid := os.fork():
        with suppress(OSError):  # here too, so that the group can be killed from now on
            os.setpgid(pid, pid)
        return _Forked(pid)
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # All of them out of the way first: one may have a number that another one is to get.
        moved = [fcntl.fcntl(each, fcntl.F_DUPFD, 16) for each in (*streams, descriptor)]
        for target, each in enumerate(moved):
            os.dup2(each, target)
        os.closerange(len(moved), os.sysconf("SC_OPEN_MAX"))
        become(len(streams))
        os._exit(0)
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(1)


class Worker(Closing):
    """A child process, which ends when `close` is called or when its owner ends.

    Any thread may call any method.
    """

    def __init__(
        self,
        program: str,
        *arguments: object,
        memory_limit: int | None = None,
        niceness: int = 0,
        max_bytes: float = inf,
        streams: Streams = (DEVNULL, 2, 2),
        start: Start = spawn,
    ) -> None:
        """Start the process.

        Args:
            program: a module, or the path of a file, with a function ``main(owner, *arguments)``,
                which gets an `Owner`.
            arguments: what is passed on to that function; they are pickled.
            memory_limit: bytes of address space that the process may take.
            niceness: how far it stands back where processors are scarce, from 0 to 19, or `IDLE`.
            max_bytes: a process that sends a longer message counts as ended.
            streams: its standard streams; by default no input, and all output on standard error.
            start: starts the process.

        Raises:
            OSError: no process can be started.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._process = start(program, theirs.fileno(), streams)
            self._channel = Channel(ours.detach(), max_bytes=max_bytes)
        self._lock = Lock()
        self._exit_code: int | None = None
        self._outbox: SimpleQueue[Any] | None = None
        self.send((memory_limit, niceness, arguments))

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor that is readable when a message has come or the process ended."""
        return self._channel.fileno()

    @property
    def has_begun(self) -> bool:
        """Whether some of the next message has been read already."""
        return self._channel.has_begun

    def send(self, message: object) -> None:
        """Send a message. A process that has ended does not get it."""
        with suppress(OSError):
            self._channel.send(message)

    def post(self, message: object) -> None:
        """Send a message, and do not wait where the process does not listen."""
        with self._lock:
            if self._outbox is None:
                self._outbox = SimpleQueue()
                Thread(target=self._deliver, args=(self._outbox,), daemon=True).start()
            self._outbox.put(message)

    def receive(self, deadline: Deadline | None = None) -> Any:
        """Return the next message.

        Raises:
            EOFError: the process has ended.
            TimeUp: the deadline is over; close the worker then.
        """
        return self._channel.receive(deadline)

    def __iter__(self) -> Iterator[Any]:
        """Yield messages until the process ends."""
        return iter(self._channel)

    def kill(self) -> None:
        """Kill the process and its group at once. `stop` or `close` must follow."""
        with self._lock:
            if self._exit_code is None:
                with suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)

    def stop(self) -> int:
        """End the process, whatever it does, and return the exit code. May be called again."""
        self.kill()
        with self._lock:
            if self._exit_code is None:
                self._exit_code = self._process.wait()
            if self._outbox is not None:
                self._outbox.put(None)
            code = self._exit_code
        self._channel.close()
        return code

    def close(self) -> None:
        """End the process, whatever it does. May be called again."""
        self.stop()

    def _deliver(self, outbox: SimpleQueue[Any]) -> None:
        while (message := outbox.get()) is not None:
            self.send(message)


def ready(workers: Iterable[Worker], deadline: Deadline) -> list[Worker]:
    """Wait until workers have sent something or have ended, and return them. Raises `TimeUp`."""
    by_descriptor = {worker.fileno(): worker for worker in workers}
    if begun := [worker for worker in by_descriptor.values() if worker.has_begun]:
        return begun
    found = deadline.wait(lambda seconds: wait(by_descriptor.keys(), seconds))
    return [worker for descriptor, worker in by_descriptor.items() if descriptor in found]


def has_ended(worker: Worker) -> bool:
    """Return whether a worker that has nothing to say at present has ended."""
    try:
        ready([worker], Deadline(0.0))
    except TimeUp:
        return False
    return True
