"""Where a server's players come from: forked, in milliseconds, from a process that is ready for it.

To start Python and load what a player needs takes a tenth of a second, and half a second with the
machine code: too long where fifty matches start at once. So a server keeps one process, the
nursery, that has loaded everything and does nothing but fork. What it has loaded is shared by all
players, which saves each a hundred megabytes.

The nursery also clears up behind the players. Whatever a player has started becomes the nursery's
own child when the player ends (on Linux, by `PR_SET_CHILD_SUBREAPER`), and is killed soon after if
it does not end by itself, even if it is frozen. When the owner ends, so does all the rest.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import NoReturn, TypeAlias

from ggp.closing import Closing

__all__ = ["Child", "ForkServer", "main"]

#: What every player will load sooner or later; what is not installed is left out.
_MODULES = (
    "ggp.match.worker",
    "ggp.reasoner.auto",
    "ggp.reasoner.compiled.reasoner",
    "ggp.engine.search",
)
#: Seconds that a process may go on after the player that has started it.
_GRACE = 2.0

#: Bytes of a number on a socket.
_NUMBER = 8
_PR_SET_CHILD_SUBREAPER = 36
# -P: a file of the current folder must not stand in for a module.
_FORK_SERVER = (sys.executable, "-P", "-c", "from ggp.workers.fork_server import main; main()")

#: What a child is given: its arguments, folder and environment.
_Order: TypeAlias = tuple[list[str], str, dict[str, str]]


class Child:
    """A player's process, as its owner sees it."""

    def __init__(self, pid: int, status: socket.socket) -> None:
        self.pid = pid
        self._status = status

    def wait(self) -> int:
        """Wait for the end and return the exit code, negative for the number of a signal.

        The process keeps its number until then, so that nobody else can be killed by mistake.
        """
        with self._status:
            code = _receive_number(self._status)
        return -signal.SIGKILL if code is None else code  # without the nursery nobody goes on


class ForkServer(Closing):
    """A process that forks players. Any thread may use it; `close` ends it with all of them."""

    def __init__(self) -> None:
        """Start it, and wait until it has loaded what players need. Raises `OSError`."""
        self._lock = Lock()
        self._is_closed = False
        self._start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _start(self) -> None:
        self._orders, theirs = socket.socketpair()
        with theirs:
            # A pool of threads of the linear algebra library would not outlive a fork.
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
            self._process = subprocess.Popen(
                [*_FORK_SERVER, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
                process_group=0,  # Ctrl-C in a terminal is for the owner
            )
        if not self._orders.recv(1):
            raise OSError("the process that forks players did not start")

    def fork(self, descriptor: int, arguments: list[str]) -> Child:
        """Start a player. If the nursery has died, there is a new one before.

        Args:
            descriptor: the player's end of the connection to its owner.
            arguments: those of `ggp.match.worker`, without the connection.

        Raises:
            OSError: no process can be started, or the nursery is closed.
        """
        order: _Order = (arguments, str(Path.cwd()), dict(os.environ))
        text = pickle.dumps(order)
        with self._lock:
            if self._is_closed:
                raise OSError("the nursery is closed")
            if self._process.poll() is not None:
                self._orders.close()
                self._start()
            ours, theirs = socket.socketpair()
            with theirs:
                head = len(text).to_bytes(4, "big")
                socket.send_fds(self._orders, [head], [theirs.fileno(), descriptor, 2])
                self._orders.sendall(text)
        pid = _receive_number(ours)
        if pid is None:
            ours.close()
            raise OSError("no process could be forked")
        return Child(pid, ours)

    def close(self) -> None:
        """End the nursery and all players. May be called again."""
        with self._lock:
            self._is_closed = True
            self._orders.close()
            self._process.wait()


def _send_number(connection: socket.socket, number: int) -> None:
    with suppress(OSError):  # the owner may have gone
        connection.send(number.to_bytes(_NUMBER, "big", signed=True))


def _receive_number(connection: socket.socket) -> int | None:
    """Return the number that was sent; None if the nursery has gone."""
    with suppress(OSError):
        if answer := connection.recv(_NUMBER, socket.MSG_WAITALL):
            return int.from_bytes(answer, "big", signed=True)
    return None


# What follows runs in the nursery.


class _Forker:
    """Forks players, tells how they end, and clears up behind them."""

    def __init__(self, orders: socket.socket, run: Callable[[int, list[str]], NoReturn]) -> None:
        self._orders = orders
        self._run = run
        self._selector = selectors.DefaultSelector()
        #: The sockets on which the owners of the players wait, by process number.
        self._status: dict[int, socket.socket] = {}
        #: Those of them that have ended.
        self._ended: set[int] = set()
        #: Since when a process has been without its player.
        self._orphans: dict[int, float] = {}
        # The selector wakes up when a child ends.
        woken, waker = socket.socketpair()
        for end in (woken, waker):
            end.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._woken, self._waker = woken, waker
        self._selector.register(woken, selectors.EVENT_READ, self._look_after_children)
        self._selector.register(orders, selectors.EVENT_READ, self._take_order)

    def serve(self) -> None:
        """Serve until the owner ends."""
        try:
            self._orders.send(b".")
            while True:
                for key, _ in self._selector.select(_GRACE / 4 if self._orphans else None):
                    key.data()
                self._kill_orphans()
        except (EOFError, BrokenPipeError):
            pass
        finally:
            self._kill_all()

    def _take_order(self) -> None:
        head, descriptors, _, _ = socket.recv_fds(self._orders, 4, 3)
        if len(head) < 4:
            raise EOFError
        size = int.from_bytes(head, "big")
        text = self._orders.recv(size, socket.MSG_WAITALL)
        if len(text) < size:
            raise EOFError
        order: _Order = pickle.loads(text)
        status = socket.socket(fileno=descriptors[0])
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            self._become_player(descriptors, order)
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        if pid < 0:
            status.close()
            return
        with suppress(OSError):  # here too, lest somebody kills the group before there is one
            os.setpgid(pid, pid)
        self._status[pid] = status
        self._selector.register(status, selectors.EVENT_READ, lambda: self._reap(pid))
        _send_number(status, pid)

    def _become_player(self, descriptors: list[int], order: _Order) -> NoReturn:
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for own in (self._orders, self._woken, self._waker, *self._status.values()):
                own.close()
            _, connection, stderr = descriptors
            os.close(descriptors[0])
            os.dup2(stderr, 2)
            os.close(stderr)
            arguments, folder, environment = order
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            if "numpy" in sys.modules:
                sys.modules["numpy"].random.seed()  # else all players would draw the same numbers
            self._run(connection, arguments)
        finally:
            os._exit(1)

    def _look_after_children(self) -> None:
        """Tell the owners which players have ended, and note what these leave behind."""
        with suppress(BlockingIOError):
            self._woken.recv(1 << 10)
        for pid in self._status.keys() - self._ended:
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                self._ended.add(pid)
                is_exit = ended.si_code == os.CLD_EXITED
                _send_number(self._status[pid], ended.si_status if is_exit else -ended.si_status)
        now = time.monotonic()
        self._orphans = {
            pid: self._orphans.get(pid, now) for pid in _children() if pid not in self._status
        }

    def _reap(self, pid: int) -> None:
        """Forget a player: its owner has closed the socket, and wants no more of it."""
        status = self._status.pop(pid)
        self._ended.discard(pid)
        self._selector.unregister(status)
        status.close()
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        # it is an orphan now: to wait for its end, which on a busy machine takes long, would keep
        # whoever wants a player waiting
        self._look_after_children()

    def _kill_all(self) -> None:
        """Kill the players, and what becomes a child of this process when they end."""
        for pid in self._status:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
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
                if os.waitpid(pid, os.WNOHANG) != (0, 0):
                    del self._orphans[pid]


def _children() -> list[int]:
    """Return the processes whose parent is this one."""
    own = os.getpid()
    try:
        return list(map(int, Path(f"/proc/self/task/{own}/children").read_text().split()))
    except OSError:  # not Linux: what players start is left to itself
        return []


def _adopt_orphans() -> None:
    """Become the parent of what the players leave behind, where the system can do that."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main() -> None:
    """Fork players for an owner. Argument: the descriptor of the socket on which orders come."""
    orders = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(orders.fileno(), False)
    _adopt_orphans()
    for name in _MODULES:
        with suppress(ImportError):
            import_module(name)
    from ggp.kif import parse_term
    from ggp.match.worker import play_one_match
    from ggp.reasoner.prolog.prepared import prepare_prolog

    prepare_prolog()
    tempfile.gettempdir()  # writes a file to see, that a player which is killed would leave behind
    parse_term("(a b)")  # builds the parser
    gc.freeze()  # so that collecting garbage in one player does not copy what all share
    _Forker(orders, play_one_match).serve()
