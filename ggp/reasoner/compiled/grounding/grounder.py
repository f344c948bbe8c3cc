"""Grounds a program with clingo, in a process of its own that is killed at its limits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ggp.errors import ReasonerDied, ReasonerError, ReasonerMemory, ReasonerTimeout
from ggp.reasoner.compiled.grounding.gringo import TOO_DEEP

__all__ = ["ground"]

# By its path and with -P: a file of the current folder must not stand in for a module.
_GRINGO = (sys.executable, "-P", str(Path(__file__).with_name("gringo.py")))

# Seconds between two looks at how much has been printed.
_TICK = 0.25

#: A ground program may take this share of the memory limit as text: reading it takes the rest.
_TEXT_SHARE = 8


def ground(text: str, *, due: float, memory_limit: int) -> bytes:
    """Return the ground program in aspif.

    Args:
        text: the program in clingo's language.
        due: the time, by `time.monotonic`, at which to give up.
        memory_limit: bytes that the grounder may use.

    Raises:
        ReasonerTimeout: it was not ground in time.
        ReasonerMemory: it needs more memory.
        ReasonerError: the terms of the program nest without end.
        ReasonerDied: clingo ended unexpectedly.
    """
    with (
        tempfile.TemporaryFile() as program,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as complaints,
    ):
        program.write(text.encode("ascii"))
        program.seek(0)
        process = subprocess.Popen(
            [*_GRINGO, str(memory_limit), str(os.getpid())],
            stdin=program,
            # No pipe: reading it would keep us busy.
            stdout=printed,
            stderr=complaints,
            start_new_session=True,  # Ctrl-C in a terminal is for us to handle
        )
        try:
            _wait(process, printed.fileno(), due=due, memory_limit=memory_limit)
        finally:
            process.kill()
            process.wait()
        printed.seek(0)
        found = printed.read()
        if found.endswith(b"\n0\n"):
            return found
        complaints.seek(0)
        said = complaints.read().decode(errors="replace")
    if TOO_DEEP in said:
        raise ReasonerError("the game cannot be grounded: its terms nest without end")
    if "bad_alloc" in said or "MemoryError" in said:
        raise _out_of_memory(memory_limit)
    raise ReasonerDied(
        f"clingo ended unexpectedly, exit code {process.returncode}: {said.strip()[:200]}"
    )


def _wait(process: subprocess.Popen[bytes], printed: int, *, due: float, memory_limit: int) -> None:
    while True:
        try:
            process.wait(min(_TICK, max(0.0, due - time.monotonic())))
            return
        except subprocess.TimeoutExpired:
            pass
        if time.monotonic() >= due:
            raise ReasonerTimeout("grounding was stopped at its time limit")
        if os.fstat(printed).st_size > memory_limit // _TEXT_SHARE:
            raise _out_of_memory(memory_limit)


def _out_of_memory(limit: int) -> ReasonerMemory:
    return ReasonerMemory(f"the ground game needs more than {limit >> 20:,} MB")
