"""Deadlines in processor time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf

from ggp.deadline import Deadline

__all__ = ["ProcessorDeadline"]


@dataclass(frozen=True)
class ProcessorDeadline(Deadline):
    """A deadline in processor time of this process, whatever else the machine does.

    All threads of the process count, so that two cores use up the time twice as fast. Versions of
    the package to be compared with load it, too: their `Deadline` may lack the latest methods.
    """

    #: On the scale of `time.process_time`.
    ends: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> ProcessorDeadline:
        """Return the deadline that is `seconds` from now; None for one that never comes."""
        return cls(ends=inf if seconds is None else time.process_time() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return 0.0 if super().is_over else max(0.0, self.ends - time.process_time())

    @property
    def is_over(self) -> bool:
        """Whether the time is used up, or the deadline was cancelled or has ended otherwise."""
        return self.remaining <= 0

    def part(self, fraction: float) -> ProcessorDeadline:
        """Return the deadline after a fraction of what remains; `cancel` on either ends both."""
        return replace(self, ends=time.process_time() + fraction * self.remaining)

    def within(self, seconds: float) -> ProcessorDeadline:
        """Return the deadline `seconds` from now, or this one if it comes first."""
        return replace(self, ends=min(self.ends, time.process_time() + seconds))
