"""Prolog loaded ahead of time: a process that has many children prepares it once for all of them.

To start Python, SWI-Prolog and the engine takes 75 milliseconds of a processor; to fork a process
in which they have been started takes five.
"""

from __future__ import annotations

import shutil
from functools import partial

from ggp.reasoner.prolog.worker import Engine, main
from ggp.workers.child import run
from ggp.workers.worker import Process, Streams, fork, spawn

__all__ = ["prepare_prolog", "start_prolog"]

_engine: Engine | None = None


def prepare_prolog() -> None:
    """Load Prolog into this process, for all that are forked from it, if it is installed."""
    global _engine  # noqa: PLW0603 - a process has one Prolog at most
    if _engine is None and shutil.which("swipl") is not None:
        _engine = Engine()


def start_prolog(program: str, descriptor: int, streams: Streams) -> Process:
    """Start the process of `worker.py`: fork this one where Prolog was prepared, else spawn it."""
    if _engine is None:
        return spawn(program, descriptor, streams)
    serve = partial(main, engine=_engine)
    return fork(descriptor, streams, partial(run, program=serve))
