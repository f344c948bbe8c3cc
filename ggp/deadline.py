"""Deadlines, which can be cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from threading import TIMEOUT_MAX, Condition
from typing import TypeVar

__all__ = ["Deadline", "TimeUp"]

T = TypeVar("T")

# Seconds within which `wait` notices that a deadline is over, and `wait_on` that a condition holds.
_TICK = 0.05


class TimeUp(Exception):
    """The deadline is over: unwind, and keep what has been found."""


@dataclass(eq=False, slots=True)
class _Cancellation:
    """What deadlines have in common that are cancelled together."""

    is_set: bool = False
    #: What to notify, once for each thread that waits.
    waiting: list[Condition] = field(default_factory=list)

    def set(self) -> None:
        self.is_set = True
        for changed in self.waiting.copy():
            with changed:
                changed.notify_all()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which something must be done. Any thread may `cancel` it, which ends it now.

    `part`, `within` and `until` shorten a deadline. The shorter one and the one that it was made
    from share their cancellation, and the shorter one ends no later than the other.
    """

    #: On the scale of `time.monotonic`, which all processes of a machine share; inf for never.
    due: float = inf
    _cancelled: _Cancellation = field(default_factory=_Cancellation, repr=False, compare=False)
    #: Conditions that end the deadline, too.
    _conditions: tuple[Callable[[], bool], ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline that is `seconds` from now; None for one that never comes."""
        return cls(inf if seconds is None else time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return 0.0 if self.is_over else max(0.0, self.due - time.monotonic())

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed, was cancelled, or a condition of `until` holds."""
        if self._cancelled.is_set or time.monotonic() >= self.due:
            return True
        # Most deadlines have no condition, and searches ask at every state.
        return bool(self._conditions) and any(holds() for holds in self._conditions)

    def part(self, fraction: float) -> Deadline:
        """Return the deadline after a fraction of what remains; `cancel` on either ends both."""
        return replace(self, due=time.monotonic() + fraction * self.remaining)

    def within(self, seconds: float) -> Deadline:
        """Return the deadline `seconds` from now, or this one if it comes first.

        `cancel` on either ends both.
        """
        return replace(self, due=min(self.due, time.monotonic() + seconds))

    def until(self, condition: Callable[[], bool]) -> Deadline:
        """Return this deadline, which also ends as soon as a condition holds.

        `cancel` on either ends both.

        Args:
            condition: is asked again and again, by any thread: it should be quick, and should hold
                on once it holds.
        """
        return replace(self, _conditions=(*self._conditions, condition))

    def wait(self, attempt: Callable[[float], T]) -> T:
        """Return the first true result of `attempt`. Raises `TimeUp`.

        Args:
            attempt: waits for something, at most as many seconds as its argument says; it is called
                at least once.
        """
        while not (found := attempt(min(self.remaining, _TICK))):
            self.check()
        return found

    def wait_on(self, changed: Condition, is_settled: Callable[[], T]) -> T:
        """Return the first true result of `is_settled`. Raises `TimeUp`.

        Fifty threads that wait in this way cost nothing, unless the deadline has a condition.

        Args:
            changed: is notified when the result may have changed; the caller holds it. `cancel`
                notifies it, too.
            is_settled: is called at least once.
        """
        self._cancelled.waiting.append(changed)
        try:
            while not (found := is_settled()):
                self.check()
                most = _TICK if self._conditions else TIMEOUT_MAX
                changed.wait(min(self.remaining, most))
            return found
        finally:
            self._cancelled.waiting.remove(changed)

    def check(self) -> None:
        """Raise `TimeUp` if no time is left."""
        if self.is_over:
            raise TimeUp

    def cancel(self) -> None:
        """Let the deadline pass now."""
        self._cancelled.set()
