"""Processes that work for the manager and speak in lines of JSON, seen from outside.

None outlives the manager, none takes more memory than it may, and none is ever waited for by
anybody but the thread that reads what it says.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

__all__ = ["Child", "Message"]

Message: TypeAlias = dict[str, Any]

#: Bytes of one line that a process may say; a longer one is taken for a fault.
_MAX_LINE = 32 << 20
#: Seconds within which a process that was killed is gone.
_FAREWELL = 2.0

_log = logging.getLogger(__name__)


class Child:
    """A running process. Every method may be called by any thread."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        memory: int,
        on_message: Callable[[Message], None],
        on_end: Callable[[int], None],
    ) -> None:
        """Start the process.

        Args:
            module: what it runs.
            arguments: for its command line, after the memory.
            memory: bytes of address space that it may use.
            on_message: called, in a thread of its own, with each line that it says.
            on_end: called after the last line, with the exit code.

        Raises:
            OSError: no process can be started.
        """
        self._on_message, self._on_end = on_message, on_end
        self._outbox: SimpleQueue[Message | None] = SimpleQueue()
        # -P: a file of the current folder must not stand in for a module.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(memory), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C in a terminal is for the manager
        )
        # Writing may block, on a process that does not listen; so it has a thread of its own.
        self._writer = Thread(target=self._write, daemon=True, name=f"writer to {module}")
        self._reader = Thread(target=self._read, daemon=True, name=f"reader of {module}")
        self._writer.start()
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def send(self, message: Message) -> None:
        """Say something to the process. One that has ended, or does not listen, hears nothing."""
        self._outbox.put(message)

    def close(self) -> None:
        """End the process at once, with what belongs to it. May be called again."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def join(self) -> None:
        """Wait until the process has ended, which is soon after `close`."""
        self._reader.join(_FAREWELL)

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as stream:
            while (message := self._outbox.get()) is not None:
                stream.write(json.dumps(message).encode() + b"\n")
                stream.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline(_MAX_LINE):
            try:
                message = json.loads(line)
                if isinstance(message, dict):
                    self._on_message(message)
            except ValueError:
                break  # it was cut off, or is far too long
            except Exception:
                _log.exception("an error while taking in what a process said")
        self.close()
        exit_code = self._process.wait()
        stream.close()
        self._outbox.put(None)
        self._writer.join()
        self._on_end(exit_code)
