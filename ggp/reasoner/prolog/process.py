"""A Prolog process seen from outside: ask a question, get the reply, or a typed error."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import RLock

from ggp.errors import (
    GameError,
    ReasonerDied,
    ReasonerError,
    ReasonerMemory,
    ReasonerTimeout,
    ReasonerUnavailable,
    TooManyJointMoves,
)
from ggp.reasoner.prolog.prepared import fork_prolog

__all__ = ["INSTALL_HINT", "PrologProcess"]

INSTALL_HINT = (
    "install SWI-Prolog 9: `apt-get install swi-prolog-nox` (Debian, Ubuntu) "
    "or `brew install swi-prolog` (macOS)"
)

# By its path and with -P: a file of the current folder must not stand in for a module.
_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("worker.py")))

_CHUNK = 1 << 16


class PrologProcess:
    """SWI-Prolog with one game loaded, killed when it takes too long."""

    def __init__(self, program: str, *, time_limit: float, memory_limit: int) -> None:
        """Load a program. Raises `ReasonerError`."""
        if shutil.which("swipl") is None and "LIBSWIPL_PATH" not in os.environ:
            raise ReasonerUnavailable(f"SWI-Prolog is not installed; {INSTALL_HINT}")
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._releasing = RLock()  # `close` may come from another thread than `ask`
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        # The program has no name in any folder: whoever is killed meanwhile leaves nothing behind.
        with tempfile.TemporaryFile("w+", encoding="ascii") as file:
            file.write(program)
            file.flush()
            file.seek(0)
            self._process = fork_prolog(memory_limit, file, self._stderr) or subprocess.Popen(
                [*_WORKER, str(file.fileno()), str(memory_limit)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                pass_fds=[file.fileno()],
                bufsize=0,
                start_new_session=True,  # Ctrl-C in a terminal is for us to handle, not for Prolog
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
        self._send(question)
        return self._receive(question)

    def close(self) -> None:
        """Kill the process. May be called again, and from another thread."""
        with self._releasing:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._stderr):
                if stream is not None:
                    stream.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except (OSError, ValueError):
            raise self._died() from None

    def _receive(self, question: str) -> str:
        due = time.monotonic() + self._time_limit
        data = b""
        while b"\n" not in data:
            data += self._read(due)
        length, _, body = data.partition(b"\n")
        parts, missing = [body], int(length) - len(body)
        while missing > 0:
            parts.append(self._read(due))
            missing -= len(parts[-1])
        reply = b"".join(parts).decode()
        if reply.startswith("error "):
            raise self._error(*reply.split(" ", 2)[1:], question=question)
        return reply

    def _read(self, due: float) -> bytes:
        stream = self._process.stdout
        assert stream is not None
        try:
            ready, _, _ = select.select([stream], [], [], max(0.0, due - time.monotonic()))
            data = os.read(stream.fileno(), _CHUNK) if ready else None
        except (OSError, ValueError):  # closed from another thread
            raise self._died() from None
        if data is None:
            self.close()
            raise ReasonerTimeout(f"Prolog was stopped after {self._time_limit:g} s")
        if not data:
            raise self._died()
        return data

    def _died(self) -> ReasonerError:
        """Say why the process has gone, and release it."""
        with self._releasing:
            if self._stderr.closed:
                return ReasonerDied("the reasoner is closed")
            self._process.kill()
            code = self._process.wait()
            self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 2000))
            said = self._stderr.read().decode(errors="replace")
            self.close()
        if "memory" in said.lower():
            return self._out_of_memory()
        last = said.strip().splitlines()[-1:] or [f"exit code {code}"]
        return ReasonerDied(f"Prolog ended unexpectedly: {last[0]}")

    def _out_of_memory(self) -> ReasonerMemory:
        return ReasonerMemory(f"Prolog needs more than {self._memory_limit >> 20:,} MB")

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
