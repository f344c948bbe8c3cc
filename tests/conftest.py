"""What holds for all tests."""

from __future__ import annotations

import os
import random
import signal
from collections import defaultdict

import pytest
from hypothesis import settings

# Tests that name no number of random examples take it from here. `make test-all` is thorough.
settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure() -> None:
    """Take signals as in a terminal, which processes in the background and under nohup ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test `long`, but for as many as its mark `sample` says.

    Which cases stay depends on the name of the test alone, so all processes of a run agree.
    """
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for name, of_test in cases.items():
        mark = of_test[0].get_closest_marker("sample")
        if mark is not None:
            generator = random.Random(name)
            for item in generator.sample(of_test, max(0, len(of_test) - mark.args[0])):
                item.add_marker(pytest.mark.long)
