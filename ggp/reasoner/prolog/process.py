"""A Prolog process seen from outside: ask a question, get the reply, or a typed error."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from threading import RLock

from ggp.deadline import Deadline, TimeUp
from ggp.errors import (
    GameError,
    ReasonerDied,
    ReasonerError,
    ReasonerMemory,
    ReasonerTimeout,
    ReasonerUnavailable,
    TooManyJointMoves,
)
from ggp.reasoner.prolog.prepared import start_prolog
from ggp.workers.worker import Worker

__all__ = ["INSTALL_HINT", "PrologProcess", "is_installed"]

INSTALL_HINT = (
    "install SWI-Prolog 9: `apt-get install swi-prolog-nox` (Debian, Ubuntu) "
    "or `brew install swi-prolog` (macOS)"
)

_WORKER = str(Path(__file__).with_name("worker.py"))


def is_installed() -> bool:
    """Return whether there is SWI-Prolog on this machine."""
    return shutil.which("swipl") is not None or "LIBSWIPL_PATH" in os.environ


class PrologProcess:
    """SWI-Prolog with one game loaded, killed when it takes too long."""

    def __init__(self, program: str, *, time_limit: float, memory_limit: int) -> None:
        """Load a program.

        Args:
            program: the text that `prolog_program` makes of a game.
            time_limit: seconds for each question.
            memory_limit: bytes for the process.

        Raises:
            ReasonerError: Prolog is not installed, or cannot load the program within its limits.
        """
        if not is_installed():
            raise ReasonerUnavailable(f"SWI-Prolog is not installed; {INSTALL_HINT}")
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._releasing = RLock()  # `close` may come from another thread than `ask`
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        # The program has no name in any folder: a process that is killed leaves nothing behind.
        with tempfile.TemporaryFile("w+", encoding="ascii") as file:
            file.write(program)
            file.flush()
            self._worker = Worker(
                _WORKER,
                memory_limit,
                memory_limit=memory_limit,
                streams=(file.fileno(), self._stderr.fileno(), self._stderr.fileno()),
                start=start_prolog,
            )
        try:
            self._receive("")
        except BaseException:
            self.close()
            raise

    def ask(self, question: str) -> str:
        """Return the reply to a goal of `engine.pl`.

        Raises:
            GameError: the game is at fault, such as a fact that is not ground.
            TooManyJointMoves: as the question's limit says.
            ReasonerError: time or memory ran out, or the process died. It is closed then.
        """
        self._worker.send(question)
        return self._receive(question)

    def close(self) -> None:
        """Kill the process. May be called again, and from another thread."""
        with self._releasing:
            self._worker.close()
            self._stderr.close()

    def _receive(self, question: str) -> str:
        try:
            reply: str = self._worker.receive(Deadline.after(self._time_limit))
        except TimeUp:
            self.close()
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
            case "joint":
                return TooManyJointMoves(f"{int(message):,} joint moves in one state")
            case "memory":
                self.close()
                return self._out_of_memory()
        self.close()
        return ReasonerDied(f"Prolog could not answer {question[:40]!r}: {message}")

    def _out_of_memory(self) -> ReasonerMemory:
        return ReasonerMemory(f"Prolog needs more than {self._memory_limit >> 20:,} MB")
