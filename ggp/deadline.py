"""Deadlines, which can be cancelled."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf
from threading import Event

__all__ = ["Deadline", "TimeUp"]


class TimeUp(Exception):
    """The deadline has passed or was cancelled: unwind, and keep what has been found."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which something must be done; `cancel` ends it earlier, from any thread."""

    #: On the scale of `time.monotonic`, which all processes of a machine share; inf for never.
    due: float = inf
    _cancelled: Event = field(default_factory=Event, repr=False, compare=False)

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline that is `seconds` from now; None for one that never comes."""
        return cls(inf if seconds is None else time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return 0.0 if self._cancelled.is_set() else max(0.0, self.due - time.monotonic())

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed or was cancelled."""
        return self._cancelled.is_set() or time.monotonic() >= self.due

    def part(self, fraction: float) -> Deadline:
        """Return the deadline after a fraction of what remains; `cancel` on either ends both."""
        return Deadline(time.monotonic() + fraction * self.remaining, self._cancelled)

    def within(self, seconds: float) -> Deadline:
        """Return the deadline `seconds` from now, or this one if it comes first.

        `cancel` on either ends both.
        """
        return Deadline(min(self.due, time.monotonic() + seconds), self._cancelled)

    def check(self) -> None:
        """Raise `TimeUp` if no time is left."""
        if self.is_over:
            raise TimeUp

    def cancel(self) -> None:
        """Let the deadline pass now."""
        self._cancelled.set()
