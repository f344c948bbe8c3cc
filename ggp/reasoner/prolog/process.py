"""A Prolog process seen from outside: ask a question, get the reply, or a typed error."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import IO

from ggp.deadline import Deadline, TimeUp
from ggp.errors import (
    GameError,
    NoLegalMove,
    ReasonerDied,
    ReasonerError,
    ReasonerMemory,
    ReasonerTimeout,
    ReasonerUnavailable,
    TooManyJointMoves,
)
from ggp.reasoner.prolog.prepared import start_prolog
from ggp.workers.worker import Worker, has_ended

__all__ = ["INSTALL_HINT", "PrologProcess", "is_installed", "start_ahead"]

INSTALL_HINT = (
    "install SWI-Prolog 9: `apt-get install swi-prolog-nox` (Debian, Ubuntu) "
    "or `brew install swi-prolog` (macOS)"
)

_WORKER = str(Path(__file__).with_name("worker.py"))


def _nameless() -> IO[str]:
    """Return a file for a program, which has no name: a process that is killed leaves nothing.

    On Linux it is in memory, since players must have a move when the disk is full.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("ggp"), "w+", encoding="ascii")
    return tempfile.TemporaryFile("w+", encoding="ascii")


class _Started:
    """A Prolog process that waits for its program."""

    def __init__(self, memory_limit: int) -> None:
        """Start it. Raises `OSError`."""
        self.owner = os.getpid()
        self.memory_limit = memory_limit
        self.program = _nameless()
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self.worker = Worker(
            _WORKER,
            memory_limit,
            memory_limit=memory_limit,
            streams=(self.program.fileno(), self.stderr.fileno(), self.stderr.fileno()),
            start=start_prolog,
        )

    def close(self) -> None:
        """End the process, and close the files."""
        self.worker.close()
        self.program.close()
        self.stderr.close()


#: The process that was started ahead, if it has not been taken.
_ahead: list[_Started] = []


def start_ahead(memory_limit: int) -> None:
    """Start the process for the next game that is loaded with this memory limit.

    A process that will load one game, and does not know yet which, calls it: it saves the time to
    start Prolog. It does nothing where Prolog is not installed or cannot be started.
    """
    if is_installed() and not _ahead:
        with suppress(OSError):
            _ahead.append(_Started(memory_limit))


def _taken(memory_limit: int) -> _Started | None:
    """Return the process that was started ahead, if it still runs."""
    # That of the process from which this one was forked stays where it is.
    if not _ahead or _ahead[-1].owner != os.getpid():
        return None
    started = _ahead.pop()
    if started.memory_limit == memory_limit and not has_ended(started.worker):
        return started
    started.close()
    return None


def is_installed() -> bool:
    """Return whether there is SWI-Prolog on this machine."""
    return shutil.which("swipl") is not None or "LIBSWIPL_PATH" in os.environ


class PrologProcess:
    """SWI-Prolog with one game loaded, killed when it takes too long."""

    def __init__(
        self,
        program: str,
        *,
        time_limit: float,
        memory_limit: int,
        deadline: Deadline | None = None,
    ) -> None:
        """Load a program.

        Args:
            program: the text that `prolog_program` makes of a game.
            time_limit: seconds for each question.
            memory_limit: bytes for the process.
            deadline: ends the loading; None for the time limit alone.

        Raises:
            ReasonerError: Prolog is not installed, or cannot load the program within its limits.
        """
        if not is_installed():
            raise ReasonerUnavailable(f"SWI-Prolog is not installed; {INSTALL_HINT}")
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._releasing = RLock()  # `close` may come from another thread than `ask`
        started = _taken(memory_limit) or _Started(memory_limit)
        self._worker, self._stderr = started.worker, started.stderr
        try:
            try:
                with started.program as file:
                    file.write(program)
            except OSError as error:
                folder = tempfile.gettempdir()
                raise ReasonerError(
                    f"Prolog cannot be told the game: {folder}: {error.strerror}"
                ) from None
            self.ask("start", deadline=deadline)
        except BaseException:
            self.close()
            raise

    def ask(self, question: str, *, deadline: Deadline | None = None) -> str:
        """Return the reply to a goal of `engine.pl`, at the deadline if that is sooner.

        Raises:
            GameError: the game is at fault, such as a fact that is not ground.
            TooManyJointMoves: as the question's limit says.
            ReasonerError: time or memory ran out, or the process died. It is closed then.
        """
        self._worker.send(question)
        return self._receive(question, deadline or Deadline())

    def close(self) -> None:
        """Kill the process. May be called again, and from another thread."""
        with self._releasing:
            self._worker.close()
            self._stderr.close()

    def _receive(self, question: str, deadline: Deadline) -> str:
        try:
            reply: str = self._worker.receive(deadline.within(self._time_limit))
        except TimeUp:
            self.close()
            if deadline.is_over:
                raise ReasonerTimeout("time was up while Prolog worked") from None
            raise ReasonerTimeout(f"Prolog was stopped after {self._time_limit:g} s") from None
        except EOFError:
            raise self._died() from None
        if reply.startswith("error "):
            raise self._error(*reply.split(" ", 2)[1:], question=question)
        return reply

    def _died(self) -> ReasonerError:
        """Return why the process has ended, and release it."""
        with self._releasing:
            if self._stderr.closed:
                return ReasonerDied("the reasoner is closed")
            code = self._worker.stop()
            self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 2000))
            said = self._stderr.read().decode(errors="replace")
            self.close()
        # With too little memory SWI-Prolog may not even find its resources, which is all it says.
        if "memory" in said.lower() or "find system resources" in said:
            return self._out_of_memory()
        last = said.strip().splitlines()[-1:] or [f"exit code {code}"]
        return ReasonerDied(f"Prolog ended unexpectedly: {last[0]}")

    def _error(self, kind: str, message: str, *, question: str) -> Exception:
        match kind:
            case "game":
                return GameError(message)
            case "stuck":
                return NoLegalMove()
            case "joint":
                return TooManyJointMoves(f"{int(message):,} joint moves in one state")
            case "memory":
                self.close()
                return self._out_of_memory()
        self.close()
        return ReasonerDied(f"Prolog could not answer {question[:40]!r}: {message}")

    def _out_of_memory(self) -> ReasonerMemory:
        return ReasonerMemory(f"Prolog needs more than {self._memory_limit >> 20:,} MB")
