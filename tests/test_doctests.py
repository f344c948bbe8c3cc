"""The examples in docstrings give the results that they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.test_package import CODE, ROOT, source

WITH_EXAMPLES = [name for name in CODE if ">>>" in source(name)]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where `games/` is
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert attempted > 0
