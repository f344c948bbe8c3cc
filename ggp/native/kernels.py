"""Functions that all games share: numba compiles them once, in a process of its own.

Numba writes a function to disk only when it has compiled all of it, which takes CPU time: half a
minute for what builds circuits, views, steps and plays out states, and one to two minutes for each
of the large searches. A process with a deadline must not wait for that: if it were killed, the next
one would begin again. So each set is compiled by a process of its own, which goes on when the
process that started it ends. It holds a lock, and as long as it does no other process is started:
many matches may want the same set. When it has finished it leaves a note in the cache, and the
functions can be loaded. The sets are separate so that the smallest, which all need, comes first.

Half of the time is numba's analysis of the inlined functions, the other half LLVM. All sets took no
less time when LLVM inlined them instead (`forceinline`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import resource
import subprocess
import sys
import time
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from ggp.deadline import Deadline
from ggp.native.cache import Cache

__all__ = ["KernelSet"]

# -P: a file of the current folder must not stand in for a module.
_COMPILER = (
    *(sys.executable, "-P", "-c"),
    "from ggp.native.kernels import main; main()",
)

#: The process yields to others, which may be players with a deadline.
_NICENESS = 10
#: Linux shares the processors out among sessions first, and the process has a session of its own:
#: to yield to others, the session must. This file takes its niceness, ten times a second at most.
_SESSION, _ATTEMPTS, _PAUSE = Path("/proc/self/autogroup"), 20, 0.15

#: Whether nothing is compiled, see `numba_support`.
_IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"

#: Seconds between two looks at whether the process has ended.
_TICK = 0.02

#: The exit code that says that another process compiles the set.
_BUSY = 75

_log = logging.getLogger(__name__)


class KernelSet:
    """Functions that are compiled together. Any thread may use it."""

    def __init__(self, name: str, module: str) -> None:
        """Name a set.

        Args:
            name: its name.
            module: a module with a function `compile_kernels`, which takes the name and calls each
                function of the set once.
        """
        self.name, self.module = name, module
        self._guard = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready, self._has_failed = _IS_PLAIN, False

    def request(self) -> None:
        """Have the functions compiled in the background, unless they are on disk."""
        self.wait(Deadline(0.0))

    def wait(self, deadline: Deadline) -> bool:
        """Wait until the functions are on disk; return False if they are not.

        They never will be where the process that compiles them fails, for want of memory or of a
        folder that can be written. A warning says so, once.
        """
        while not self._look():
            if self._has_failed or deadline.is_over:
                return False
            time.sleep(min(_TICK, deadline.remaining))
        return True

    def _look(self) -> bool:
        """Return whether the functions are on disk; start the process where none is at work."""
        with self._guard:
            if self._is_ready or self._has_failed:
                return self._is_ready
            if self._process is not None and self._process.poll() is None:
                return False
            ended, self._process = self._process, None
            if Cache().is_locked(self._key):
                return False  # another process compiles them
            self._is_ready = self._is_noted()
            if not self._is_ready:
                if ended is not None and ended.returncode != _BUSY:
                    self._fail(f"exit code {ended.returncode}")
                else:
                    self._begin()
            return self._is_ready

    def _begin(self) -> None:
        try:
            self._process = self._start()
        except OSError as error:
            self._fail(str(error))

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*_COMPILER, self.name, self.module],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # it outlives the group of the process that has started it
        )

    def _fail(self, reason: str) -> None:
        self._has_failed = True
        _log.warning("the functions of %s could not be compiled ahead: %s", self.name, reason)

    @property
    def _key(self) -> str:
        return f"kernels-{self.name}-{_platform()}"

    def _is_noted(self) -> bool:
        """Return whether there is a note of the set, and nothing that it depends on has changed."""
        note = Cache().get(self._key)
        if note is None:
            return False
        sources, kept = pickle.loads(note)
        return all(map(os.path.exists, kept)) and all(
            _digest(path) == digest for path, digest in sources.items()
        )

    def _note(self) -> None:
        from ggp.native.numba_support import compiled_files

        sources, kept = compiled_files()
        # a module that begins to call another function needs more than what is compiled now
        package, _, _ = __name__.partition(".")
        loaded = {
            str(module.__file__)
            for name, module in [*sys.modules.items()]
            if name.split(".")[0] == package and module.__file__
        }
        files = {*map(str, sources), *loaded}
        note = {path: _digest(path) for path in files}, [*map(str, kept)]
        Cache().put(self._key, pickle.dumps(note))

    def compile(self) -> bool:
        """Compile the functions in this process, unless another process does so or has done so.

        Returns:
            Whether that is done; if not, another process is at work on it.
        """
        if Cache().is_locked(self._key):
            return False
        with Cache().lock(self._key, deadline=Deadline()):
            if not self._is_noted():
                import_module(self.module).compile_kernels(self.name)
                self._note()
        return True


@lru_cache
def _platform() -> str:
    """Return a hash of what the machine code depends on beside its sources."""
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    parts: list[object] = [sys.version, version("numba"), version("llvmlite"), settings]
    # what a note holds depends on this file
    parts += [__file__, _digest(__file__), platform.machine()]
    with suppress(OSError):  # not Linux
        about = Path("/proc/cpuinfo").read_text().splitlines()
        parts += sorted({line for line in about if line.startswith(("flags", "model name"))})
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _digest(path: str) -> bytes:
    with suppress(OSError):
        return hashlib.sha256(Path(path).read_bytes()).digest()
    return b""


def _stand_back() -> None:
    """Leave the processors to others."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    for _ in range(_ATTEMPTS):
        try:
            _SESSION.write_text(str(_NICENESS))
        except BlockingIOError:  # another process has just done the same
            time.sleep(_PAUSE)
        except OSError:  # the system knows no such thing
            break
        else:
            break


def main() -> None:
    """Compile one set. Arguments: its name and module."""
    _stand_back()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # that of a player is not enough
    if not KernelSet(*sys.argv[1:]).compile():
        sys.exit(_BUSY)
