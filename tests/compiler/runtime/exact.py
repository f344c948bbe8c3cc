"""Counts of random play against exact probabilities."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.playout import Playouts
from tests.compiler.circuits import distribution, packed


def assert_fits(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> None:
    """Assert that chi-square is not above its mean by six standard deviations."""
    free = len(expected) - 1
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert chi_square < free + 6 * sqrt(2 * max(1, free)), (counts, expected)


def assert_exact(playouts: Playouts, state: tuple[int, ...], *, seed: int) -> bool:
    """Compare 20,000 playouts of three steps with their exact distribution.

    False if there is nothing to compare, because all playouts are the same.
    """
    expected = distribution(playouts.circuit, state, 3)
    if len(expected) < 2:
        return False
    results = playouts.play(packed([state]), seed=seed, count=20_000, max_steps=3, record=True)
    assert results.goals is not None
    assert results.lengths is not None
    seen = Counter(zip(map(tuple, results.goals.tolist()), results.lengths.tolist(), strict=True))
    assert set(seen) <= set(expected)
    counts = np.array([seen[key] for key in expected])
    assert_fits(counts, 20_000 * np.array([*expected.values()]))
    assert results.steps == results.lengths.sum()
    for role, goals in enumerate(results.histogram):
        assert [(results.goals[:, role] == i).sum() for i in range(len(goals))] == list(goals)
    return True
