"""The inside of a child process: its owner, its limits, and the channel between the two.

A child's program is a module or the path of a file, with a function ``main(owner, *arguments)``.
This module imports nothing else of `ggp`, which would take a tenth of a second, because some
children need nothing of it.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from math import inf
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ggp.deadline import Deadline

__all__ = [
    "IDLE",
    "Channel",
    "Owner",
    "exit_with_parent",
    "limit_memory",
    "memory_left",
    "run",
    "set_niceness",
]

#: The niceness of a process that runs only on processors that are otherwise idle.
IDLE = 20

# Bytes of the number before each message, which is its length.
_HEADER = 8
# Bytes that are asked for at once.
_LEAST, _MOST = 1 << 14, 1 << 20


class Channel:
    """One end of a socket on which two processes send each other pickled messages.

    One thread may send while another one receives.
    """

    def __init__(self, descriptor: int, *, max_bytes: float = inf) -> None:
        """Take the descriptor over; `close` closes it.

        Args:
            descriptor: of a connected socket.
            max_bytes: a longer message counts as the end of the other process.
        """
        self._max_bytes = max_bytes
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._sending, self._receiving = Lock(), Lock()
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def fileno(self) -> int:
        """Return the descriptor; -1 once it is closed."""
        return self._descriptor

    @property
    def has_begun(self) -> bool:
        """Whether some of the next message has been read already."""
        return bool(self._buffer)

    def send(self, message: object) -> None:
        """Send a message. Raises `OSError` if the other process has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        rest = memoryview(len(data).to_bytes(_HEADER, "big") + data)
        with self._sending:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    def receive(self, deadline: Deadline | None = None) -> Any:
        """Return the next message. Raises as `receive_bytes` does.

        What cannot be read counts as the end of the other process: it sends no messages any more.
        """
        data = self.receive_bytes(deadline)
        try:
            return pickle.loads(data)
        except Exception as error:  # a damaged pickle may raise anything
            raise EOFError(f"no message came: {error}") from error

    def receive_bytes(self, deadline: Deadline | None = None) -> bytes:
        """Return the next message as it was pickled.

        Raises:
            EOFError: the other process has ended, or this end is closed.
            TimeUp: the deadline is over; the message can be received later.
        """
        with self._receiving:
            self._read(_HEADER, deadline)
            size = int.from_bytes(self._buffer[:_HEADER], "big")
            if size > self._max_bytes:
                raise EOFError("the message is too long")
            self._read(_HEADER + size, deadline)
            message = bytes(memoryview(self._buffer)[_HEADER : _HEADER + size])
            del self._buffer[: _HEADER + size]
            return message

    def __iter__(self) -> Iterator[Any]:
        """Yield messages until the other process ends."""
        with suppress(EOFError):
            while True:
                yield self.receive()

    def close(self) -> None:
        """Close the descriptor once no other thread uses it. May be called again."""
        with self._sending, self._receiving:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _read(self, size: int, deadline: Deadline | None) -> None:
        """Read until at least `size` bytes are in the buffer."""
        while (missing := size - len(self._buffer)) > 0:
            chunk = b""
            with suppress(OSError):
                if deadline is not None and self._descriptor >= 0:
                    deadline.wait(lambda seconds: self._poll.poll(seconds * 1000))
                chunk = os.read(self._descriptor, min(max(missing, _LEAST), _MOST))
            if not chunk:
                raise EOFError("the other process has ended")
            self._buffer += chunk


class Owner:
    """The owner of this process, as the process sees it."""

    def __init__(self, channel: Channel) -> None:
        """Listen to the owner from now on, and end this process when the owner ends."""
        self._channel = channel
        self._messages: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=exit_with_parent, args=(channel, self._messages), daemon=True).start()

    @property
    def has_sent(self) -> bool:
        """Whether a message waits to be received."""
        return not self._messages.empty()

    def receive(self) -> Any:
        """Return the next message; wait for it."""
        # Here and not where we listen: to import what is in it, while this thread imports something
        # else, could be a deadlock.
        return pickle.loads(self._messages.get())

    def send(self, message: object) -> None:
        """Send a message. Any thread may call this. If the owner has gone, the process ends."""
        try:
            self._channel.send(message)
        except OSError:
            os._exit(0)


def exit_with_parent(channel: Channel, messages: SimpleQueue[bytes]) -> None:
    """Queue what the owner sends, and end this process with the owner, even while it is busy."""
    try:
        while True:
            messages.put(channel.receive_bytes())
    except EOFError:
        pass
    finally:
        os._exit(0)


def limit_memory(more: int) -> None:
    """Let this process take at most `more` bytes of address space beyond what it has now.

    A forked process begins with the address space of its parent, hence the difference, which is
    known on Linux only. A process that this one starts inherits the limit and may raise it.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _mapped() + more
    resource.setrlimit(
        resource.RLIMIT_AS,
        (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
    )


def memory_left() -> float:
    """Return the bytes of address space that this process may still take; inf without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return inf if limit == resource.RLIM_INFINITY else max(0, limit - _mapped())


def _mapped() -> int:
    """Return the bytes of address space that this process has; 0 where that is not known."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib takes long to load
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def set_niceness(niceness: int) -> None:
    """Let this thread, and what it starts, stand back where processors are scarce.

    Args:
        niceness: how far, from 0 to 19, or `IDLE`. The thread cannot come back from it.
    """
    os.nice(niceness)  # more than the system knows counts as the most
    if niceness >= IDLE and hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def run(descriptor: int, program: str | Callable[..., object]) -> None:
    """Take the limits and arguments from the owner, and run a program or function.

    Args:
        descriptor: of the channel to the owner.
        program: a module, the path of a file, or what is their function `main`.
    """
    owner = Owner(Channel(descriptor))
    memory_limit, niceness, arguments = owner.receive()
    main = _load(program) if isinstance(program, str) else program
    set_niceness(niceness)
    # Where the system runs out of memory, it ends children first. Only Linux knows this.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("900")
    if memory_limit is not None:
        limit_memory(memory_limit)
    main(owner, *arguments)


def _load(program: str) -> Callable[..., object]:
    if not program.endswith(".py"):
        main: Callable[..., object] = import_module(program).main
        return main
    # A file is not loaded as a part of its package, which would load the whole package.
    spec = spec_from_file_location(os.path.basename(program)[:-3], program)  # noqa: PTH119
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    loaded: Callable[..., object] = module.main
    return loaded


def main() -> None:
    """Be a child process. Arguments: the descriptor of the channel, and the program."""
    run(int(sys.argv[1]), sys.argv[2])
    sys.stdout.flush()
    os._exit(0)  # without waiting for any thread
