"""The child processes of the manager, seen from outside. No request waits for one to be read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeAlias

from ggp.workers.worker import Start, Worker, spawn

__all__ = ["Child", "Message"]

#: JSON values by name.
Message: TypeAlias = dict[str, Any]

# The manager has a higher priority, because it answers browsers.
_NICENESS = 5
#: Bytes of one message; a process that sends a longer one is ended.
_MAX_BYTES = 32 << 20
#: Seconds to wait for the end of a killed process.
_FAREWELL = 2.0

_log = logging.getLogger(__name__)


class Child:
    """A running process. Any thread may call the methods."""

    def __init__(
        self,
        module: str,
        *,
        memory: int,
        on_message: Callable[[Message], None],
        on_end: Callable[[int], None],
        start: Start = spawn,
    ) -> None:
        """Start the process.

        Args:
            module: the module that it runs.
            memory: bytes of address space that it may use.
            on_message: called, in a thread of its own, with each message that it sends.
            on_end: called after the last message, with the exit code.
            start: starts it.

        Raises:
            OSError: no process can be started.
        """
        self._on_message, self._on_end = on_message, on_end
        self._worker = Worker(
            module, memory_limit=memory, niceness=_NICENESS, max_bytes=_MAX_BYTES, start=start
        )
        self._reader = Thread(target=self._read, daemon=True, name=f"reader of {module}")
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._reader.is_alive()

    def send(self, message: object) -> None:
        """Send a message. A process that has ended, or does not listen, does not get it."""
        self._worker.post(message)

    def close(self) -> None:
        """End the process and its children at once. May be called again."""
        self._worker.kill()

    def join(self) -> None:
        """Wait until the process has ended, which is soon after `close`."""
        self._reader.join(_FAREWELL)

    def _read(self) -> None:
        for message in self._worker:
            try:
                self._on_message(message)
            except Exception:
                _log.exception("an error while taking a process's message")
        self._on_end(self._worker.stop())
