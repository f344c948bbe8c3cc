"""Processes that work for another one, and end when it does, whatever has become of it."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from threading import Thread

__all__ = ["exit_with_parent"]

#: Seconds that a grounder gets to be stopped when we have to leave.
_FAREWELL = 0.5
# Bytes. None are expected.
_AT_ONCE = 1 << 16


def exit_with_parent() -> None:
    """End this process as soon as its standard input does, which the owner holds open.

    The main thread leaves by the exception `SystemExit`, which stops a grounder that it waits for.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    # not by `sys.stdin`, whose lock would keep an interpreter that ends waiting, and then abort it
    with suppress(OSError):
        while os.read(sys.stdin.fileno(), _AT_ONCE):
            pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_FAREWELL)
    os._exit(1)
