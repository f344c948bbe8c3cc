"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Take Ctrl-C as usual: what a shell starts in the background ignores it, with its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
