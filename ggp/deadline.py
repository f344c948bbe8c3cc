"""Deadlines: how long there is, and whether it is over."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf
from threading import Event

__all__ = ["Deadline", "TimeUp"]


class TimeUp(Exception):
    """The clock has run out, or was cut short: unwind, and keep what has been found."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which something must be done; `cancel` ends it earlier, from any thread."""

    #: On the scale of `time.monotonic`, which all processes of a machine share; inf for never.
    due: float = inf
    _cancelled: Event = field(default_factory=Event, repr=False, compare=False)

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return a clock that runs out so many seconds from now; None never runs out."""
        return cls(inf if seconds is None else time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return 0.0 if self._cancelled.is_set() else max(0.0, self.due - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._cancelled.is_set() or time.monotonic() >= self.due

    def part(self, fraction: float) -> Deadline:
        """Return a clock that runs out after that fraction of what remains; a cut ends both."""
        return Deadline(time.monotonic() + fraction * self.remaining, self._cancelled)

    def check(self) -> None:
        """Raise `TimeUp` if no time is left."""
        if self.is_over:
            raise TimeUp

    def cancel(self) -> None:
        """End the time now."""
        self._cancelled.set()
