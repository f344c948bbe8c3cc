"""Opening a reasoner: which kind, and for how long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerUnavailable
from ggp.gdl import Description
from ggp.reasoner.base import Reasoner

__all__ = ["KINDS", "bounded", "open_reasoner", "start_ahead"]

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
    deadline: Deadline | None = None,
) -> Reasoner:
    """Open a reasoner for a game.

    Args:
        description: the rules.
        kind: "prolog", the reference, which takes every game; "compiled", machine code, which
            takes those that can be grounded; "auto", Prolog at first and machine code as soon as it
            is ready, if there is SWI-Prolog, and else machine code.
        time_limit: seconds that one call, or compiling, may take; None for the reasoner's default.
        memory_limit: bytes that the reasoner may use; None for the reasoner's default.
        deadline: when to give up. Then a process of its own compiles the game, which can be stopped
            at any moment; what is answered before all of it is compiled is slower. With None this
            process compiles, and nothing but the time limit ends that.

    Raises:
        ReasonerTimeout: the deadline was over before the reasoner could answer.
        ReasonerError: the reasoner is not installed, or cannot take this game.
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"no reasoner {kind!r}; there are {', '.join(KINDS)}")
    limits: dict[str, Any] = {"time_limit": time_limit, "memory_limit": memory_limit}
    if kind == "compiled":
        if deadline is not None:
            from ggp.reasoner.compiling import compiled_by

            return compiled_by(deadline, description, **limits)
        from ggp.reasoner.compiled import CompiledReasoner
        from ggp.reasoner.kernels import REASONER_KERNELS

        REASONER_KERNELS.request()
        made = CompiledReasoner(description, **limits)
        REASONER_KERNELS.wait(Deadline())
        return made
    if kind == "prolog":
        from ggp.reasoner.prolog import PrologReasoner

        return PrologReasoner(description, **limits, deadline=deadline)
    from ggp.reasoner.auto import AutoReasoner

    try:
        return AutoReasoner(description, **limits, deadline=deadline)
    except ReasonerUnavailable:
        return open_reasoner(description, kind="compiled", **limits, deadline=deadline)


def start_ahead(kind: str, *, memory_limit: int | None = None) -> None:
    """Start the process that the next `open_reasoner` of this kind and limit needs for any game.

    That of "auto" needs none for a game that is in the cache, which is not known before its rules.
    """
    if kind == "prolog":
        from ggp.reasoner import prolog

        prolog.start_ahead(memory_limit or prolog.DEFAULT_MEMORY_LIMIT)


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
