"""What holds for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# Tests that name no number of random examples take it from here. `make test-all` is thorough.
settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure() -> None:
    """Let Ctrl-C raise KeyboardInterrupt: processes in the background of a shell ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
