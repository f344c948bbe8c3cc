"""Running `ggp` as a user does: as a process of its own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category

from tests.processes import command_line, descendants

GGP = (sys.executable, "-m", "ggp")


@dataclass(frozen=True, slots=True)
class Finished:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def ggp(
    *arguments: str | Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a command to its end."""
    done = subprocess.run(
        [*GGP, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=120,
        check=False,
    )
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(*arguments: str | Path, **environment: str) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        [*GGP, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def on_terminal(*arguments: str | Path) -> tuple[str, int]:
    """Run a command on a terminal; return what it shows there, and its exit code."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*GGP, *map(str, arguments)], stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the end of a terminal
            while more := os.read(ours, 4096):
                shown += more
        os.close(ours)
    return shown.decode(), process.returncode


@contextmanager
def running(*arguments: str | Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, and go on when it has loaded its game into Prolog.

    Args:
        arguments: of the command.
        folder: where Prolog's messages are, in a file without a name; the game is in memory as long
            as it is loaded.
    """
    with start(*arguments, TMPDIR=str(folder)) as process:
        try:
            deadline = time.monotonic() + 60
            for files in (2, 1):
                while _nameless_files(process.pid, folder) != files:
                    assert process.poll() is None, process.stderr and process.stderr.read()
                    assert time.monotonic() < deadline
                    time.sleep(0.002)
            yield process
        finally:
            process.kill()


def _nameless_files(pid: int, folder: Path) -> int:
    """Count the files without a name that Prolog has open: in memory, or in a folder."""
    found: set[str] = set()
    for child in descendants(pid):
        if "prolog/worker.py" in command_line(child):
            for descriptor in Path(f"/proc/{child}/fd").glob("*"):
                with suppress(OSError):  # it may be closed meanwhile
                    found.add(str(descriptor.readlink()))
    return sum(target.startswith((f"{folder}/", "/memfd:ggp")) for target in found)


def interrupted(process: subprocess.Popen[bytes]) -> tuple[Finished, float]:
    """Press Ctrl-C as a terminal does; return what came, and how many seconds it took."""
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return Finished(process.returncode, out.decode(), err.decode()), time.monotonic() - began


def has_controls(text: str) -> bool:
    """Return whether a text has control characters besides line ends."""
    return any(category(letter) == "Cc" for letter in text if letter != "\n")
