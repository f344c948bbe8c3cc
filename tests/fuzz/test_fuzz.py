"""A short sample of `make fuzz`."""

from __future__ import annotations

import pytest

from tests.fuzz.run import TARGETS, Target, mutated, proposed
from tests.fuzz.target import SEEDS


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_mutated_messages_are_answered(target: Target) -> None:
    assert mutated(target, seconds=3, seed=20) > 20


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", TARGETS)
def test_messages_made_by_hypothesis_are_answered(target: Target) -> None:
    assert proposed(target, seconds=1, seed=20) > 20


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_messages_themselves_are_answered(target: Target, seed: bytes) -> None:
    target(seed)
