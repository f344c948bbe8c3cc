"""Grounds a program with clingo, in a process of its own that is killed at its limits."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from ggp.compiler.grounding.gringo import TOO_DEEP
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerDied, ReasonerError, ReasonerMemory, ReasonerTimeout
from ggp.workers.worker import DEVNULL, Worker

__all__ = ["ground"]

_GRINGO = str(Path(__file__).with_name("gringo.py"))

#: A disk with less space than this is full.
_PAGE = 4096

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
        ReasonerError: the terms of the program nest without end, or there is no space on the disk.
        ReasonerDied: clingo ended unexpectedly.
    """
    most = memory_limit // _TEXT_SHARE
    # The results go to files: this process would be busy reading a pipe.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaints:
        try:
            with Worker(
                _GRINGO,
                text,
                most,
                memory_limit=memory_limit,
                streams=(DEVNULL, printed.fileno(), complaints.fileno()),
            ) as worker:
                with suppress(EOFError):
                    worker.receive(Deadline(due))
                code = worker.stop()
        except TimeUp:
            raise ReasonerTimeout("grounding was stopped at its time limit") from None
        printed.seek(0)
        found = printed.read()
        if found.endswith(b"\n0\n"):
            return found
        complaints.seek(0)
        said = complaints.read().decode(errors="replace")
        folder = tempfile.gettempdir()
        if len(found) < most and shutil.disk_usage(folder).free < _PAGE:
            # clingo does not notice.
            full = os.strerror(errno.ENOSPC)
            raise ReasonerError(f"the ground game cannot be written: {folder}: {full}")
    if TOO_DEEP in said:
        raise ReasonerError("the game cannot be grounded: its terms nest without end")
    if len(found) >= most or "bad_alloc" in said or "MemoryError" in said:
        raise ReasonerMemory(f"the ground game needs more than {memory_limit >> 20:,} MB")
    raise ReasonerDied(f"clingo ended unexpectedly, exit code {code}: {said.strip()[:200]}")
