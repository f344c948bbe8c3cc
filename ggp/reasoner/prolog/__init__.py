"""The reference reasoner: SWI-Prolog, in a process of its own."""

from ggp.reasoner.prolog.process import INSTALL_HINT, is_installed, start_ahead
from ggp.reasoner.prolog.reasoner import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    PrologReasoner,
)

__all__ = [
    "DEFAULT_MEMORY_LIMIT",
    "DEFAULT_TIME_LIMIT",
    "INSTALL_HINT",
    "PrologReasoner",
    "is_installed",
    "start_ahead",
]
