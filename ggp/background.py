"""The base class of work that a thread of its own does in the background."""

from __future__ import annotations

from abc import abstractmethod
from threading import Thread

from ggp.closing import Closing
from ggp.deadline import Deadline

__all__ = ["Background"]


class Background(Closing):
    """Work that goes on until it is done or `close` is called. A subclass says what it is."""

    def __init__(self, name: str) -> None:
        """Begin to work, in a thread of this name; a subclass calls this last."""
        #: Cancelled by `close`.
        self._open = Deadline()
        self._thread = Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait until it is over, at most that many seconds; return whether it is."""
        self._thread.join(seconds)
        return self.is_over

    def close(self) -> None:
        """Stop as soon as the work allows it, and wait for that."""
        self._open.cancel()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Do the work, unless `_open` is over."""
