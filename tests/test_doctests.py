"""The examples in docstrings give the results that they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.test_package import CODE, ROOT


@pytest.mark.parametrize("name", CODE)
def test_the_examples_of_a_module(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where `games/` is
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", ["ggp.graph", "ggp.kif.scrambler", "ggp.gdl.unify"])
def test_there_are_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert doctest.testmod(importlib.import_module(name)).attempted > 0
