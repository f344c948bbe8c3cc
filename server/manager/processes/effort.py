"""How much of a processor a process has had: a busy machine is not the fault of the rules."""

from __future__ import annotations

import resource
import time

from ggp.errors import ReasonerTimeout

__all__ = ["Effort"]

#: What had less than this share of a processor was late because the machine is busy.
_STARVED = 0.5


class Effort:
    """The time since it was made, on the clock and on the processor."""

    def __init__(self) -> None:
        """Begin to measure."""
        self._began, self._used = time.monotonic(), self._processor_seconds()

    def is_starved(self, error: Exception) -> bool:
        """Return whether an error came of too little processor time.

        Args:
            error: of a reasoner, whose processes have ended: only then their time is known.
        """
        worked = self._processor_seconds() - self._used
        is_late = isinstance(error, ReasonerTimeout)
        return is_late and worked < _STARVED * (time.monotonic() - self._began)

    @staticmethod
    def _processor_seconds() -> float:
        """Return the processor time of this process and of its processes that have ended."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime
