"""Compiling a game in the background: a process does the work, a thread waits for it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING

from ggp.deadline import Deadline
from ggp.errors import ReasonerDied, ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.reasoner.compiled import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    REASONER_KERNELS,
    Cache,
    circuit_key,
)

if TYPE_CHECKING:  # loading it is part of what is done in the background
    from ggp.reasoner.compiled import Circuit, CompiledReasoner

__all__ = ["Compilation", "is_kept"]

# -P: a file of the current folder must not stand in for a module.
_COMPILER = (sys.executable, "-P", "-m", "ggp.reasoner.compiled.compiler")

#: Seconds to wait for the thread when we close; it may still be loading what nobody will use.
_PATIENCE = 0.05


def is_kept(description: Description) -> bool:
    """Return whether the cache has the circuit of a game, and so most likely all its code."""
    return circuit_key(description) in Cache()


class Compilation:
    """A game on its way to machine code.

    Attributes:
        result: the reasoner, or why there is none; None as long as that is open.
    """

    def __init__(
        self,
        description: Description,
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        """Begin.

        Args:
            description: the rules.
            time_limit: seconds for grounding and building; None for the reasoner's default.
            memory_limit: bytes for that; None for the reasoner's default.
        """
        self._description = description
        self._limits = time_limit, memory_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = Lock()
        #: It is over when we are closed.
        self._open = Deadline()
        self.result: CompiledReasoner | ReasonerError | None = None
        self._thread = Thread(target=self._run, daemon=True, name="compilation")
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether everything is compiled, random playouts too, or nothing will be."""
        return not self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it is over, or for so many seconds."""
        self._thread.join(seconds)

    def close(self) -> None:
        """Stop soon. A reasoner that was made belongs to whoever took it."""
        self._open.cancel()
        with self._starting:
            if self._process is not None and self._process.stdin is not None:
                with suppress(BrokenPipeError):
                    self._process.stdin.close()  # the process takes its leave then
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        cache, key = Cache(), circuit_key(self._description)
        REASONER_KERNELS.request()
        try:
            if key in cache and (kept := self._kept()):
                self._take(kept)
                return
            # If another process compiles this game now, it is there when that has finished.
            with cache.lock(key, deadline=self._open):
                if self._open.is_over:
                    return
                kept = self._kept() if key in cache else None
                if kept is None:
                    self._compile()
            if kept is not None:
                self._take(kept)
        finally:
            self.result = self.result or ReasonerDied("compiling was stopped")

    def _kept(self) -> CompiledReasoner | None:
        from ggp.reasoner.compiled import CompiledReasoner

        return CompiledReasoner.kept(self._description)

    def _compile(self) -> None:
        with self._starting:
            if self._open.is_over:
                return
            self._process = self._start()
        # What was not yet written when the process died cannot be written when its pipe is closed.
        with suppress(BrokenPipeError), self._process as process:
            self._send(process)
            # What we need next takes long to load: that is done while the other one works.
            from ggp.reasoner.compiled import CompiledReasoner, load_numba

            load_numba()
            reply = self._receive(process)
            if isinstance(reply, ReasonerError):
                self.result = reply
            elif not self._open.is_over:
                self._take(CompiledReasoner(self._description, circuit=reply))

    def _take(self, made: CompiledReasoner) -> None:
        if not REASONER_KERNELS.wait(self._open) and self._open.is_over:
            return
        made.prepare_to_answer()
        self.result = made
        if self._process is not None:
            self._process.wait()
        if not self._open.is_over:
            made.prepare_to_play()

    def _start(self) -> subprocess.Popen[bytes]:
        time_limit, memory_limit = self._limits
        return subprocess.Popen(
            [
                *_COMPILER,
                str(DEFAULT_TIME_LIMIT if time_limit is None else time_limit),
                str(DEFAULT_MEMORY_LIMIT if memory_limit is None else memory_limit),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for us to handle
        )

    def _send(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # it has gone, or we were closed
            pickle.dump(to_kif(self._description.terms), process.stdin)
            process.stdin.flush()

    def _receive(self, process: subprocess.Popen[bytes]) -> Circuit | ReasonerError:
        assert process.stdout is not None
        try:
            reply: Circuit | ReasonerError = pickle.load(process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return ReasonerDied(f"the compiler ended unexpectedly, exit code {process.wait()}")
        return reply
