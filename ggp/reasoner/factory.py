"""Opening a reasoner: which kind, and for how long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerUnavailable
from ggp.gdl import Description
from ggp.reasoner.base import Reasoner

__all__ = ["KINDS", "bounded", "open_reasoner"]

#: The kinds that `open_reasoner` takes.
KINDS = ("auto", "compiled", "prolog")

# Seconds for which a question to the reasoner may go on after the deadline.
_GRACE = 0.4


def open_reasoner(
    description: Description,
    *,
    kind: str = "auto",
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> Reasoner:
    """Open a reasoner for a game.

    Args:
        description: the rules.
        kind: "prolog", the reference, which takes every game; "compiled", machine code, which
            takes those that can be grounded; "auto", Prolog at first and machine code as soon as it
            is ready, if there is SWI-Prolog, and else machine code.
        time_limit: seconds that one call, or compiling, may take; None for the reasoner's default.
        memory_limit: bytes that the reasoner may use; None for the reasoner's default.

    Raises:
        ReasonerError: the reasoner is not installed, or cannot take this game.
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"no reasoner {kind!r}; there are {', '.join(KINDS)}")
    if kind == "compiled":
        from ggp.reasoner.compiled import REASONER_KERNELS, CompiledReasoner

        REASONER_KERNELS.request()
        made = CompiledReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
        REASONER_KERNELS.wait(Deadline())
        return made
    if kind == "prolog":
        from ggp.reasoner.prolog import PrologReasoner

        return PrologReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
    from ggp.reasoner.auto import AutoReasoner

    try:
        return AutoReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
    except ReasonerUnavailable:
        return open_reasoner(
            description, kind="compiled", time_limit=time_limit, memory_limit=memory_limit
        )


@contextmanager
def bounded(reasoner: Reasoner, *, deadline: Deadline) -> Iterator[None]:
    """Close the reasoner soon after the deadline, even in the middle of a question.

    The question then ends in a `ReasonerError`, which only means that time is up.
    """
    finished = threading.Event()
    closer = threading.Thread(
        target=_close_when_over, args=(reasoner, deadline, finished), daemon=True
    )
    closer.start()
    try:
        yield
    finally:
        finished.set()
        closer.join()


def _close_when_over(reasoner: Reasoner, deadline: Deadline, finished: threading.Event) -> None:
    try:
        deadline.wait(finished.wait)
    except TimeUp:
        if not finished.wait(_GRACE):
            reasoner.close()
