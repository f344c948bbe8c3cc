"""The inside of a process that works for the manager: it hears and says lines of JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, NoReturn

from ggp.workers.memory import first_to_go, limit_memory

__all__ = ["ChildEnd"]

# The manager comes first: it answers browsers.
_NICENESS = 5


class ChildEnd:
    """What the process hears, in order, and how it answers; it ends when the manager does."""

    def __init__(self) -> None:
        """Take the memory limit from the command line, and keep standard output for answers."""
        os.nice(_NICENESS)
        first_to_go()
        # The processes that this one starts have limits of their own, which may be higher.
        limit_memory(int(sys.argv[1]), is_final=False)
        self._output = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what anybody prints must not mix with the answers
        self._lock = Lock()
        self._heard: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield what the manager says, for as long as it lives."""
        while True:
            yield self._heard.get()

    def say(self, message: dict[str, Any]) -> None:
        """Say something to the manager. Any thread may call this."""
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                self._output.write(line)
                self._output.flush()
            except OSError:
                os._exit(0)

    def leave(self) -> NoReturn:
        """End the process: all has been said, and nobody waits for the thread that listens."""
        with self._lock:
            os._exit(0)

    def _listen(self) -> None:
        try:
            for line in sys.stdin.buffer:
                self._heard.put(json.loads(line))
        finally:
            # The manager is gone, or ends us. What belongs to us notices as we go.
            os._exit(0)
