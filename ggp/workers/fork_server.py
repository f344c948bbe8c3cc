"""A process that forks others, in milliseconds, because it has loaded what they need.

To start Python and load what a player needs takes a tenth of a second, and half a second with the
machine code: too long where fifty matches start at once. So a server keeps one process, the fork
server, that has loaded everything and does nothing but fork. Its children share what it has loaded,
which saves each of them a hundred megabytes.

The fork server also clears up behind its children. What a child has started becomes a child of the
fork server when its parent ends (on Linux, by `PR_SET_CHILD_SUBREAPER`). If it does not end by
itself it is killed soon after, even if it is frozen. When the owner ends, so do all of them.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import repeat
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NoReturn, Protocol, TypeAlias

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.workers.child import IDLE, Channel, run, set_niceness
from ggp.workers.worker import DEVNULL, Process, Streams, fork, spawn

__all__ = ["ForkServer", "Forks", "TwinServer", "main", "own_fork_server"]

#: Seconds that a process may go on after the child that has started it.
_GRACE = 2.0
#: Seconds after which a fork server that does not answer is replaced. On a busy machine a lock of
#: the kernel may hold it up for some.
_STALLED = 30.0
#: Seconds that a fork server may take to end its children.
_PARTING = 10.0

# Seconds after which a thread makes another one hand over the interpreter's lock: in a child, which
# is Python's own number, and in the fork server.
_SWITCH, _NEVER = sys.getswitchinterval(), 1e6

_PR_SET_CHILD_SUBREAPER = 36
# -P: a file of the current folder must not stand in for a module.
_FORK_SERVER = (sys.executable, "-P", "-c", "from ggp.workers.fork_server import main; main()")

# Bytes of the number before each order, which is its length.
_HEADER = 8

_log = logging.getLogger(__name__)

#: What a child is given: its program, folder and environment.
_Order: TypeAlias = tuple[str, str, dict[str, str]]

#: Whether a fork server has forked this process, which so has loaded what it needs.
_is_prepared = False


class Forks(Protocol):
    """What forks workers."""

    def fork(self, program: str, descriptor: int, streams: Streams) -> Process:
        """Start a process, as `Start` says."""


class _Child:
    """A child of the fork server, as its owner sees it."""

    def __init__(self, pid: int, status: Channel) -> None:
        self.pid = pid
        self._status = status

    def wait(self) -> int:
        """Wait for the end and return the exit code, negative for the number of a signal.

        It must have been killed, or have closed its channel. The fork server keeps the number of
        the process until then, so that no other can get it.
        """
        try:
            code: int = self._status.receive(Deadline.after(_STALLED))
        except (EOFError, TimeUp):  # the fork server has ended, or cannot tell
            code = -signal.SIGKILL
        self._status.close()
        return code


class ForkServer(Closing):
    """A process that forks workers. Any thread may use it; `close` ends it and all of them."""

    def __init__(self, *, prepare: str, in_background: bool = False) -> None:
        """Start it, and wait until it has loaded what its children need.

        Args:
            prepare: a module with a function `prepare`, which loads that; without threads, because
                they would not outlive a fork.
            in_background: whether not to wait: until it has, processes are started anew.

        Raises:
            OSError: it cannot be started.
        """
        self._module = prepare
        self._lock = Lock()  # guards everything below
        #: The fork server with the socket for its orders; None until it is there.
        self._running: tuple[socket.socket, subprocess.Popen[bytes]] | None = None
        self._replacement: Thread | None = None
        self._is_closed = False
        if in_background:
            self._replace_soon()
        else:
            self._running = _started(prepare)

    @property
    def pid(self) -> int:
        """The number of the process. Raises `OSError` while it is not there yet."""
        if self._running is None:
            raise OSError("the fork server is not there yet")
        return self._running[1].pid

    def fork(self, program: str, descriptor: int, streams: Streams) -> Process:
        """Start a process, as `Start` says.

        The child has the owner's present folder and environment. A fork server that has died is
        replaced in the background, and until that is done processes are started anew.

        Raises:
            OSError: no process can be started, or the fork server is closed.
        """
        with self._lock:
            if self._is_closed:
                raise OSError("the fork server is closed")
            running = self._running
            if running is None or running[1].poll() is not None:
                self._replace_soon()
                running = None
            else:
                status = _order(running[0], program, descriptor, streams)
        if running is None:
            return spawn(program, descriptor, streams)
        try:
            return _Child(status.receive(Deadline.after(_STALLED)), status)
        except (EOFError, TimeUp) as error:
            status.close()
            if isinstance(error, TimeUp):  # else it may still fork a child that is not wanted
                running[1].kill()
                with suppress(subprocess.TimeoutExpired):
                    running[1].wait(_GRACE)
            raise OSError("no process could be forked") from None

    def close(self) -> None:
        """End the fork server and all its children. May be called again."""
        with self._lock:
            self._is_closed = True
            running = self._running
        if running is not None:
            _end(*running)

    def _replace_soon(self) -> None:
        if self._replacement is None or not self._replacement.is_alive():
            self._replacement = Thread(target=self._replace, daemon=True)
            self._replacement.start()

    def _replace(self) -> None:
        try:
            started = _started(self._module)
        except OSError as error:
            _log.warning("%s; processes are started anew", error)
            return
        with self._lock:
            if not self._is_closed:
                if self._running is not None:
                    self._running[0].close()
                self._running = started
                return
        _end(*started)


class TwinServer(Closing):
    """A fork server that is forked from this process, and so has loaded all that this one has.

    A child of a fork server has one for its own children: it is there in milliseconds. It ends with
    this process.
    """

    def __init__(self) -> None:
        """Fork it, before this process starts a thread beside that of its owner.

        Threads do not come with it.

        Raises:
            OSError: it cannot be forked.
        """
        self._lock = Lock()
        self._orders, theirs = socket.socketpair()
        with theirs, Path(os.devnull).open("r+b") as nowhere:
            streams = (nowhere.fileno(), 1, 2)
            fork(theirs.fileno(), streams, lambda own: _serve(socket.socket(fileno=own)))

    def fork(self, program: str, descriptor: int, streams: Streams) -> Process:
        """Start a process, as `Start` says; anew if this has ended. Raises `OSError`."""
        try:
            with self._lock:
                status = _order(self._orders, program, descriptor, streams)
        except OSError:
            return spawn(program, descriptor, streams)
        try:
            return _Child(status.receive(Deadline.after(_STALLED)), status)
        except (EOFError, TimeUp):
            status.close()
            self.close()  # else it may still fork a child that is not wanted
            raise OSError("no process could be forked") from None

    def close(self) -> None:
        """End the fork server and all its children. May be called again."""
        self._orders.close()


def own_fork_server() -> TwinServer | None:
    """Return a fork server for the children of this process, if a fork server has forked it.

    Else this process has loaded nothing ahead, and there is none.
    """
    if _is_prepared:
        with suppress(OSError):
            return TwinServer()
    return None


def _order(orders: socket.socket, program: str, descriptor: int, streams: Streams) -> Channel:
    """Order a child, and return the channel that tells of it. Raises `OSError`."""
    order: _Order = (program, str(Path.cwd()), dict(os.environ))
    data = pickle.dumps(order)
    ours, theirs = socket.socketpair()
    with ours, theirs, Path(os.devnull).open("r+b") as nowhere:
        given = [nowhere.fileno() if each == DEVNULL else each for each in streams]
        head = len(data).to_bytes(_HEADER, "big")
        socket.send_fds(orders, [head], [theirs.fileno(), descriptor, *given])
        orders.sendall(data)
        return Channel(ours.detach())


def _started(module: str) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a fork server, and return it with the socket for its orders. Raises `OSError`."""
    orders, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*_FORK_SERVER, str(theirs.fileno()), module],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            # The threads of the linear algebra library would not outlive a fork.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            process_group=0,  # Ctrl-C in a terminal is for the owner
        )
    if not orders.recv(1):
        _end(orders, process)
        raise OSError("the fork server did not start")
    return orders, process


def _end(orders: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """End a fork server, which ends its children, even if it stands still."""
    orders.close()
    try:
        process.wait(_PARTING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# What follows runs in the fork server.


class _Forker:
    """Forks children, tells how they end, and clears up behind them."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._selector = selectors.DefaultSelector()
        #: The channels on which the owners wait for the end of a child, by its number.
        self._status: dict[int, Channel] = {}
        #: The children that have ended.
        self._ended: set[int] = set()
        #: Since when a process has been without the child that has started it.
        self._orphans: dict[int, float] = {}
        self._reaper = _Reaper()
        # The selector wakes up when a child ends.
        self._woken, waker = socket.socketpair()
        self._waker = waker.detach()
        self._woken.setblocking(False)
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._woken, selectors.EVENT_READ, self._look_after_children)
        self._selector.register(orders, selectors.EVENT_READ, self._take_order)

    def serve(self) -> None:
        """Serve until the owner ends."""
        try:
            self._orders.send(b".")
            while True:
                for key, _ in self._selector.select(_GRACE / 4 if self._orphans else None):
                    key.data()
                self._kill_orphans()
        except (EOFError, ConnectionError):  # a reset, if the owner has not read all
            pass
        finally:
            self._kill_all()

    def _take_order(self) -> None:
        head, descriptors, _, _ = socket.recv_fds(self._orders, _HEADER, 5)
        # Exactly one order is read: the next one, which may have come too, has descriptors.
        data, left = b"", int.from_bytes(head, "big")
        while left and (chunk := self._orders.recv(left)):
            data, left = data + chunk, left - len(chunk)
        if left or not head:
            raise EOFError
        order: _Order = pickle.loads(data)
        status, (descriptor, stdin, stdout, stderr) = Channel(descriptors[0]), descriptors[1:]
        streams = stdin, stdout, stderr
        try:
            pid = fork(descriptor, streams, partial(_become, order=order)).pid
        except OSError:
            status.close()
            return
        finally:
            for each in (descriptor, *streams):
                os.close(each)
        self._status[pid] = status
        self._reaper.pending.discard(pid)  # of an earlier process of this number
        self._selector.register(status, selectors.EVENT_READ, lambda: self._reap(pid))
        _tell(status, pid)

    def _look_after_children(self) -> None:
        """Tell the owners which children have ended, and note what these leave behind."""
        with suppress(BlockingIOError):
            self._woken.recv(1 << 10)
        for pid in self._status.keys() - self._ended:
            ended = _end_of(pid)
            if ended is not None:
                self._ended.add(pid)
                is_exit = ended.si_code == os.CLD_EXITED
                _tell(self._status[pid], ended.si_status if is_exit else -ended.si_status)
        now = time.monotonic()
        children = set(_all_children())
        self._reaper.pending &= children
        others = children - self._status.keys() - self._reaper.pending
        survivors = {pid for pid in others if _is_survivor(pid)}
        self._orphans = {pid: self._orphans.get(pid, now) for pid in others - survivors}
        for pid in survivors:
            with suppress(OSError):
                if _end_of(pid) is not None:
                    self._reaper.take(pid)

    def _reap(self, pid: int) -> None:
        """Forget a child: its owner has closed the channel."""
        status = self._status.pop(pid)
        self._ended.discard(pid)
        self._selector.unregister(status)
        status.close()
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        # It is an orphan now: to wait for its end, which takes long on a busy machine, would keep
        # the next order waiting.
        self._look_after_children()

    def _kill_all(self) -> None:
        """Kill the children, and what becomes a child of this process when they end."""
        for pid in self._status:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        set_niceness(IDLE)  # as for `_Reaper`
        while children := _children():
            for pid in children:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)

    def _kill_orphans(self) -> None:
        now = time.monotonic()
        for pid, since in list(self._orphans.items()):
            with suppress(OSError):
                if now - since > _GRACE:
                    os.kill(pid, signal.SIGKILL)
                if _end_of(pid) is not None:
                    self._reaper.take(pid)
                    del self._orphans[pid]


class _Reaper:
    """Takes processes that have ended off the system's list, in a thread of low priority.

    Linux removes what /proc shows of them then. While another thread is at the same, the kernel
    tries again without a pause. If that one has a low priority, as a player's thread that ends may
    have, it gets no time to be done: a fork server of normal priority was kept up for 100 seconds.

    The main thread must not wait for this one, which may lose its processor at any time: so it has
    the interpreter's lock for the moment between two system calls only, without a step of Python,
    and never makes the main thread hand it over.
    """

    def __init__(self) -> None:
        #: The numbers of those that are not yet off the list, as far as is known.
        self.pending: set[int] = set()
        self._ended: SimpleQueue[int] = SimpleQueue()
        sys.setswitchinterval(_NEVER)
        Thread(target=self._reap, daemon=True, name="reaper").start()

    def take(self, pid: int) -> None:
        """Take a child that has ended off the list soon."""
        self.pending.add(pid)
        self._ended.put(pid)

    def _reap(self) -> None:
        set_niceness(IDLE)
        while True:
            with suppress(OSError):
                deque(map(os.waitpid, iter(self._ended.get, None), repeat(0)), maxlen=0)


def _end_of(pid: int) -> os.waitid_result | None:
    """Return how a child has ended, and leave it on the system's list; None if it has not ended."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)


def _become(descriptor: int, order: _Order) -> None:
    """Go on as a child of the fork server."""
    global _is_prepared  # noqa: PLW0603 - a process is forked once
    _is_prepared = True
    sys.setswitchinterval(_SWITCH)
    program, folder, environment = order
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # else all children would draw the same numbers
    run(descriptor, program)


def _tell(status: Channel, number: int) -> None:
    with suppress(OSError):  # the owner may have gone
        status.send(number)


def _children() -> list[int]:
    """Return the processes whose parent is this one, except for those that are to outlive it."""
    return [pid for pid in _all_children() if not _is_survivor(pid)]


def _all_children() -> list[int]:
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except OSError:  # not Linux: what the children start is left to itself
        return []
    return list(map(int, text.split()))


def _is_survivor(pid: int) -> bool:
    """Return whether a process is to outlive this one: it has a session of its own.

    The command of a process would tell as well, but to read it takes a lock that a process without
    processor time may hold for seconds.
    """
    with suppress(OSError):
        return os.getsid(pid) == pid
    return False


def main() -> NoReturn:
    """Fork workers for an owner. Arguments: the descriptor on which orders come, and a module."""
    orders = socket.socket(fileno=int(sys.argv[1]))
    orders.set_inheritable(False)
    import_module(sys.argv[2]).prepare()
    tempfile.gettempdir()  # writes a file to see, which a child that is killed would leave behind
    _serve(orders)
    os._exit(0)


def _serve(orders: socket.socket) -> None:
    """Fork workers until the owner ends."""
    with suppress(OSError, AttributeError):  # where the system can, become the parent of orphans
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    gc.freeze()  # so that collecting garbage in one child does not copy what all share
    _Forker(orders).serve()
