"""The reasoner for short questions: it answers at once, and compiles nothing in the background."""

from __future__ import annotations

from typing import Any

from ggp.errors import ReasonerUnavailable
from ggp.gdl import Description
from ggp.reasoner import Reasoner, open_reasoner

__all__ = ["plain_reasoner"]


def plain_reasoner(description: Description, **limits: Any) -> Reasoner:
    """Open Prolog, or machine code where there is no Prolog.

    Args:
        description: the game.
        limits: as for `open_reasoner`.

    Raises:
        ReasonerError: neither can be had.
    """
    for kind in ("prolog", "compiled"):
        try:
            return open_reasoner(description, kind=kind, **limits)
        except ReasonerUnavailable:
            continue
    raise ReasonerUnavailable("there is no reasoner; `ggp doctor` says how to get one")
