"""How much of a clock may be spent thinking, so that the reply arrives in time."""

from __future__ import annotations

from threading import Lock

__all__ = ["DEFAULT_MARGIN", "Margin"]

#: Seconds of each clock that are kept back for the network, the manager and a busy machine.
DEFAULT_MARGIN = 1.5

#: However short the clock or slow the machine, this share of it is spent thinking.
_LEAST_SHARE = 0.4

#: The share of the margin that is kept back even where there is no move yet.
_LAST_SHARE = 0.3

#: How much of a delay is still reckoned with at the next message.
_MEMORY = 0.8


class Margin:
    """The seconds of a clock that are kept back; it widens with the delays that are seen.

    A delay is what this machine adds to the thinking: a request waits before it is looked at, a
    player answers after its clock. The widest of the latest delays counts twice, since what
    held up the request will hold up the reply.
    """

    def __init__(self, seconds: float = DEFAULT_MARGIN) -> None:
        self._seconds = seconds
        self._delay = 0.0
        self._lock = Lock()

    @property
    def delay(self) -> float:
        """Seconds of the delay that is reckoned with."""
        return self._delay

    def thinking_time(self, clock: float) -> float:
        """Return the seconds of a clock to think, counted from when the message came in.

        >>> Margin(1.5).thinking_time(10), Margin(1.5).thinking_time(2)
        (8.5, 0.8)
        """
        return max(clock - self._seconds - 2 * self._delay, _LEAST_SHARE * clock)

    def last_moment(self, clock: float) -> float:
        """Return by when, counted as above, a move must be there that was not there in time.

        An answer that cuts into the margin may be late; none at all is sure to be wrong.
        """
        return max(clock - _LAST_SHARE * self._seconds, self.thinking_time(clock))

    def observe(self, delay: float) -> None:
        """Take note of a delay in seconds; none at all is news too."""
        with self._lock:
            self._delay = max(delay, _MEMORY * self._delay, 0.0)
