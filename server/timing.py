"""How much of a clock a player may spend thinking, so that the reply arrives in time."""

from __future__ import annotations

from threading import Lock

__all__ = ["DEFAULT_MARGIN", "Margin"]

#: Seconds of each clock that the server reserves for the network, the manager and a busy machine.
DEFAULT_MARGIN = 1.5

#: The player always gets this share of a clock, however short the clock or slow the machine.
_LEAST_SHARE = 0.4

#: The share of the margin that stays reserved even when there is no move yet.
_LAST_SHARE = 0.3

#: The factor by which a delay decays from one message to the next.
_MEMORY = 0.8


class Margin:
    """The seconds of each clock that are reserved; the margin widens with the observed delays.

    A delay is the time that this machine adds to the thinking: a request waits before the server
    reads it, or a player answers after its deadline. The largest of the latest delays counts twice,
    because what delays the request will delay the reply.
    """

    def __init__(self, seconds: float = DEFAULT_MARGIN) -> None:
        self._seconds = seconds
        self._delay = 0.0
        self._lock = Lock()

    @property
    def delay(self) -> float:
        """The delay that the margin allows for, in seconds."""
        return self._delay

    def thinking_time(self, clock: float) -> float:
        """Return the seconds to think, counted from the arrival of the message.

        >>> Margin(1.5).thinking_time(10), Margin(1.5).thinking_time(2)
        (8.5, 0.8)
        """
        return max(clock - self._seconds - 2 * self._delay, _LEAST_SHARE * clock)

    def last_moment(self, clock: float) -> float:
        """Return how many seconds after the arrival a move that is overdue must be there.

        An answer within the margin may be late; no answer at all is certainly wrong.
        """
        return max(clock - _LAST_SHARE * self._seconds, self.thinking_time(clock))

    def observe(self, delay: float) -> None:
        """Record a delay in seconds; record delays of zero, too."""
        with self._lock:
            self._delay = max(delay, _MEMORY * self._delay, 0.0)
