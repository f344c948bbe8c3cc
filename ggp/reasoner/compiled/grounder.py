"""Grounds a program with clingo, in a process of its own that is killed at its limits."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ggp.errors import ReasonerDied, ReasonerMemory, ReasonerTimeout

__all__ = ["ground"]

# By its path and with -P: a file of the current folder must not stand in for a module.
_GRINGO = (sys.executable, "-P", str(Path(__file__).with_name("gringo.py")))

_CHUNK = 1 << 20

#: A ground program may take this share of the memory limit as text: reading it takes the rest.
_TEXT_SHARE = 8


def ground(text: str, *, deadline: float, memory_limit: int) -> bytes:
    """Return the ground program in aspif.

    Args:
        text: the program in clingo's language.
        deadline: the time, by `time.monotonic`, at which to give up.
        memory_limit: bytes that the grounder may use.

    Raises:
        ReasonerTimeout: it was not ground in time.
        ReasonerMemory: it needs more memory.
        ReasonerDied: clingo ended unexpectedly.
    """
    with tempfile.TemporaryFile() as program, tempfile.TemporaryFile() as complaints:
        program.write(text.encode("ascii"))
        program.seek(0)
        process = subprocess.Popen(
            [*_GRINGO, str(memory_limit)],
            stdin=program,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
            start_new_session=True,  # Ctrl-C in a terminal is for us to handle
        )
        try:
            found = _read(process, deadline=deadline, limit=memory_limit // _TEXT_SHARE)
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        if found.endswith(b"\n0\n"):
            return found
        complaints.seek(0)
        said = complaints.read(4000).decode(errors="replace")
    if "bad_alloc" in said or "MemoryError" in said:
        raise _out_of_memory(memory_limit)
    raise ReasonerDied(f"clingo ended unexpectedly, exit code {code}: {said.strip()[:200]}")


def _read(process: subprocess.Popen[bytes], *, deadline: float, limit: int) -> bytes:
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while True:
        wait = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([process.stdout], [], [], wait)
        if not ready:
            raise ReasonerTimeout("grounding was stopped at its time limit")
        part = os.read(process.stdout.fileno(), _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > limit:
            raise _out_of_memory(limit * _TEXT_SHARE)


def _out_of_memory(limit: int) -> ReasonerMemory:
    return ReasonerMemory(f"the ground game needs more than {limit >> 20:,} MB")
