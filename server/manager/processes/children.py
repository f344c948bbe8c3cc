"""The child processes of the manager, seen from outside. No request waits for one to be read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread, Timer
from typing import Any, TypeAlias

from ggp.workers.worker import Worker

__all__ = ["Child", "Message", "Starter"]

#: JSON values by name.
Message: TypeAlias = dict[str, Any]

# The manager has a higher priority, because it answers browsers.
_NICENESS = 5
#: Bytes of one message; a process that sends a longer one is ended.
_MAX_BYTES = 32 << 20
#: Seconds to wait for the end of a killed process.
_FAREWELL = 2.0
#: Seconds until another process is started ahead; the one that was taken comes first.
_PAUSE = 2.0

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
    ) -> None:
        """Start the process.

        Args:
            module: the module that it runs.
            memory: bytes of address space that it may use.
            on_message: called, in a thread of its own, with each message that it sends.
            on_end: called after the last message, with the exit code.

        Raises:
            OSError: no process can be started.
        """
        self._on_message, self._on_end = on_message, on_end
        self._lock = Lock()
        self._has_ended = False
        self._worker = Worker(module, memory_limit=memory, niceness=_NICENESS, max_bytes=_MAX_BYTES)
        self._reader = Thread(target=self._read, daemon=True, name=f"reader of {module}")
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._reader.is_alive()

    def send(self, message: object) -> None:
        """Send a message. A process that has ended, or does not listen, does not get it."""
        self._worker.post(message)

    def hand_over(
        self, *, on_message: Callable[[Message], None], on_end: Callable[[int], None]
    ) -> bool:
        """Call others from now on, before the first message; return whether the process runs."""
        with self._lock:
            if not self._has_ended:
                self._on_message, self._on_end = on_message, on_end
            return not self._has_ended

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
        exit_code = self._worker.stop()
        with self._lock:
            self._has_ended = True
            on_end = self._on_end
        on_end(exit_code)


class Starter:
    """Starts the processes of a module. Any thread may call the methods.

    One may be started ahead, because Python takes longer to start than a small game.
    """

    def __init__(self, module: str, *, memory: int, is_ready: bool = False) -> None:
        """Prepare to start processes.

        Args:
            module: the module that they run.
            memory: bytes of address space that each may use.
            is_ready: whether one is started ahead. It must say nothing before it is told something.
        """
        self._module, self._memory, self._is_ready = module, memory, is_ready
        self._lock = Lock()
        self._spare: Child | None = None
        self._is_closed = False
        self._prepare_soon()

    def start(
        self, *, on_message: Callable[[Message], None], on_end: Callable[[int], None]
    ) -> Child:
        """Return a process; the arguments and errors are those of `Child`."""
        with self._lock:
            spare, self._spare = self._spare, None
        self._prepare_soon()
        if spare is not None and spare.hand_over(on_message=on_message, on_end=on_end):
            return spare
        return self._new(on_message, on_end)

    def close(self) -> None:
        """End the process that was started ahead, if there is one."""
        with self._lock:
            self._is_closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
            spare.join()

    def _prepare_soon(self) -> None:
        if self._is_ready:
            timer = Timer(_PAUSE, self._prepare)
            timer.daemon = True
            timer.start()

    def _prepare(self) -> None:
        with self._lock:
            if self._spare is None and not self._is_closed:
                with suppress(OSError):
                    self._spare = self._new(lambda _: None, lambda _: None)

    def _new(self, on_message: Callable[[Message], None], on_end: Callable[[int], None]) -> Child:
        return Child(self._module, memory=self._memory, on_message=on_message, on_end=on_end)
