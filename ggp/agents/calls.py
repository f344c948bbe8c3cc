"""Runs a command for a client that is not trusted: with limits of time, memory, disk and output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, BinaryIO

from ggp.errors import GgpError
from ggp.files import create_file
from ggp.printable import printable

__all__ = ["Calls", "Limits", "Refused", "Stopped"]


class Refused(GgpError):
    """A call was not carried out, or ended by a limit; the message says which."""


class Stopped(Refused):
    """A call took longer than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may take, and how many there may be."""

    #: Seconds of real time.
    seconds: float = 60.0
    #: Bytes of address space of each of its processes.
    memory: int = 4 << 30
    #: Bytes of each file that it writes.
    file: int = 256 << 20
    #: Bytes of its answer.
    answer: int = 200_000
    #: Calls that run at the same time, and that wait for these.
    jobs: int = 2
    waiting: int = 8


#: The share of the seconds in which a command is told to work; the rest is for its result.
_TO_WORK = 0.7


#: Sets the limits, which what it starts inherits, and runs a module with its arguments.
_LIMITED = """
import resource, runpy, sys
kinds = resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE
for kind, most in zip(kinds, map(int, sys.argv[1:4])):
    resource.setrlimit(kind, (most, most))
sys.argv = sys.argv[4:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


class Calls:
    """Runs commands within the limits. Any thread may use it."""

    def __init__(self, limits: Limits) -> None:
        """Take the limits."""
        self.limits = limits
        self._room = BoundedSemaphore(limits.jobs + limits.waiting)
        self._running = BoundedSemaphore(limits.jobs)

    @property
    def most_seconds(self) -> float:
        """How long a command may be told to work."""
        return _TO_WORK * self.limits.seconds

    def seconds(self, wished: float) -> str:
        """Return how long a command is told to work: as long as wished, if the limits allow it."""
        return f"{max(0.1, min(wished, self.most_seconds)):g}"

    def ggp(
        self,
        *arguments: str,
        files: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
        said: list[str] | None = None,
    ) -> str:
        """Return what a command of `ggp` prints.

        Args:
            arguments: of the command. None of them may be chosen by the client, unless it is
                checked: they name files, and options that load code.
            files: the names and texts of files that lie where the command runs.
            codes: the exit codes of answers; another one says that there is none.
            said: takes the lines that it prints on standard error beside an answer.

        Raises:
            Refused: the command fails, or a limit ends it, or too many calls wait.
        """
        return self.run("ggp", arguments, files=files, codes=codes, said=said)

    def ggp_json(
        self,
        *arguments: str,
        files: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
        said: list[str] | None = None,
    ) -> Any:
        """Return the JSON that a command of `ggp` prints. Raises as `ggp`."""
        return json.loads(self.ggp(*arguments, "--json", files=files, codes=codes, said=said))

    def run(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        told: str = "",
        files: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
        said: list[str] | None = None,
    ) -> str:
        """Return what a module prints that is run as a program. Raises as `ggp`.

        Args:
            module: its name.
            arguments: of the program.
            told: its standard input.
            files: the names and texts of files that lie where it runs.
            codes: the exit codes of answers.
            said: takes the lines that it prints on standard error beside an answer.
        """
        if not self._room.acquire(blocking=False):
            raise Refused("too many calls are waiting; try again when some have been answered")
        try:
            with self._running, _scratch() as folder:
                for name, text in (files or {}).items():
                    create_file(folder / name, text)
                return self._run([module, *arguments], told, codes, folder, said)
        except UnicodeEncodeError:
            raise Refused("the text has half of a surrogate pair, which UTF-8 has not") from None
        finally:
            self._room.release()

    def _run(
        self,
        arguments: Sequence[str],
        told: str,
        codes: Sequence[int],
        folder: Path,
        said: list[str] | None,
    ) -> str:
        limits = self.limits
        caps = limits.memory, limits.file, 0
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = _started(
                [sys.executable, "-P", "-c", _LIMITED, *map(str, caps), *arguments],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                cwd=folder,
                env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": _path()},
                start_new_session=True,
            )
            try:
                process.communicate(told.encode(), timeout=limits.seconds)
            except subprocess.TimeoutExpired:
                raise Stopped(f"stopped after {limits.seconds:g} s") from None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # what it has started ends with it
                process.wait()
            if process.returncode not in codes:
                last = _read(err, limits.answer).strip().rpartition("\n")[2]
                reason = printable(last.removeprefix("ggp: ")) or "no memory was left, perhaps"
                raise Refused(reason)
            if out.seek(0, os.SEEK_END) > limits.answer:
                raise Refused(f"the answer has more than {limits.answer:,} bytes; ask for less")
            if said is not None:
                said += map(printable, _read(err, limits.answer).splitlines())
            return _read(out, limits.answer)


def _started(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a command. Raises `Refused` for arguments that the system does not take."""
    try:
        return subprocess.Popen(command, **options)
    except (OSError, ValueError) as error:
        raise Refused(f"the call cannot be started: {error}") from None


def _path() -> str:
    """Return where the commands find this package, wherever they run."""
    here = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])


@contextmanager
def _scratch() -> Iterator[Path]:
    """Make an empty folder, in which a command leaves what it likes, and remove it."""
    with tempfile.TemporaryDirectory(prefix="ggp-mcp-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _read(file: BinaryIO, most: int) -> str:
    """Return the end of a file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - most))
    return file.read(most).decode(errors="replace")
