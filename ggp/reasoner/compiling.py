"""Compiling a game in the background: a process does the work, a thread waits for it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ggp.background import Background
from ggp.compiler.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from ggp.compiler.store import circuit_key
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerDied, ReasonerError, ReasonerTimeout
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.native.cache import Cache
from ggp.reasoner.kernels import REASONER_KERNELS
from ggp.workers.worker import BACKGROUND, DEVNULL, Worker

if TYPE_CHECKING:  # loading it is part of what is done in the background
    from ggp.compiler.circuit.circuit import Circuit
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["Compilation", "compiled_by", "is_kept"]

_COMPILER = "ggp.reasoner.compiler_process"

#: Seconds that `close` waits for the thread, which may still be loading what is no longer needed.
_PATIENCE = 0.05


def is_kept(description: Description) -> bool:
    """Return whether the cache has the circuit of a game, and so most likely all its code."""
    return circuit_key(description) in Cache()


def compiled_by(deadline: Deadline, description: Description, **limits: Any) -> CompiledReasoner:
    """Return a reasoner as soon as it can answer; compiling goes on beside it until it is closed.

    Args:
        deadline: when to give up.
        description: the rules.
        **limits: those of `Compilation`.

    Raises:
        ReasonerTimeout: the deadline was over before.
        ReasonerError: the game cannot be compiled within its limits.
    """
    compilation = Compilation(description, **limits)
    try:
        # The thread waits for processes, and looks at the result only when that is there.
        deadline.wait(lambda seconds: compilation.wait(seconds) or compilation.result is not None)
        made = compilation.result
        if made is None or isinstance(made, ReasonerError):
            raise made or ReasonerDied("compiling was stopped")
    except BaseException as error:
        compilation.close()
        if isinstance(error, TimeUp):
            why = "interrupted" if deadline.is_cancelled else "time was up"
            raise ReasonerTimeout(f"{why} before the game was compiled") from None
        raise
    made.compilation = compilation
    return made


class Compilation(Background):
    """A game on its way to machine code.

    It is over when everything is compiled, random playouts too, or nothing will be.

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
        """Begin to compile.

        Args:
            description: the rules.
            time_limit: seconds for grounding and building; None for the reasoner's default.
            memory_limit: bytes for that; None for the reasoner's default.
        """
        self._description = description
        self._time_limit = DEFAULT_TIME_LIMIT if time_limit is None else time_limit
        self._memory_limit = DEFAULT_MEMORY_LIMIT if memory_limit is None else memory_limit
        self._worker: Worker | None = None
        self.result: CompiledReasoner | ReasonerError | None = None
        super().__init__("compilation")

    def close(self) -> None:
        """Stop soon. A reasoner that was made belongs to the caller that took it."""
        self._open.cancel()
        if self._worker is not None:
            self._worker.kill()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        cache, key = Cache(), circuit_key(self._description)
        REASONER_KERNELS.request()
        try:
            if key in cache and (kept := self._kept()):
                self._take_kept(kept)
                return
            # If another process compiles this game now, it is there when that has finished.
            with cache.lock(key, deadline=self._open):
                self._open.check()
                kept = self._kept() if key in cache else None
                if kept is None:
                    self._compile()
            if kept is not None:
                self._take_kept(kept)
        except TimeUp:  # `close` was called
            pass
        finally:
            self.result = self.result or ReasonerDied("compiling was stopped")

    def _kept(self) -> CompiledReasoner | None:
        from ggp.reasoner.compiled import CompiledReasoner

        # what says whether all is kept is compiled, too
        REASONER_KERNELS.wait(self._open)
        self._open.check()
        return CompiledReasoner.kept(self._description)

    def _compile(self) -> None:
        with Worker(
            _COMPILER,
            to_kif(self._description.terms),
            self._time_limit,
            self._memory_limit,
            memory_limit=self._memory_limit,
            niceness=BACKGROUND,
            streams=(DEVNULL, DEVNULL, DEVNULL),
        ) as self._worker:
            self._open.check()
            # What is needed next takes long to load: that is done while the process works.
            from ggp.native.numba_support import load_numba
            from ggp.reasoner.compiled import CompiledReasoner

            load_numba()
            try:
                reply: Circuit | ReasonerError = self._worker.receive(self._open)
            except EOFError:
                self._open.check()
                code = self._worker.stop()
                reply = ReasonerDied(f"the compiler ended unexpectedly, exit code {code}")
            if isinstance(reply, ReasonerError):
                self.result = reply
                return
            made = CompiledReasoner(self._description, circuit=reply)
            made.kernel.compiles_itself = False
            self._take(made)
            with suppress(EOFError):  # it ends when the playouts are compiled, too
                self._worker.receive(self._open)
                made.kernel.compile()
                self._worker.receive(self._open)
        self._complete(made)

    def _take_kept(self, kept: CompiledReasoner) -> None:
        kept.kernel.compile()
        self._take(kept)
        self._complete(kept)

    def _take(self, made: CompiledReasoner) -> None:
        REASONER_KERNELS.wait(self._open)
        self._open.check()
        made.prepare_to_answer()
        self.result = made

    def _complete(self, made: CompiledReasoner) -> None:
        self._open.check()
        made.kernel.compile()
        made.prepare_to_play()
