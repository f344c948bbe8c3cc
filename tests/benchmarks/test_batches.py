"""What batches, and environments of one state, cost beyond the machine code beneath them."""

from __future__ import annotations

import pytest

from benchmarks.batches import measure


def test_everything_is_measured() -> None:
    found = measure("tictactoe", seconds=0.01, rounds=1)
    assert found.pop("game") == "tictactoe"
    assert all(float(rate) > 0 for rate in found.values())


def test_environments_are_measured() -> None:
    pytest.importorskip("pyspiel")
    from benchmarks.environments import measure as measure_environments

    found = measure_environments("tictactoe", seconds=0.01, rounds=1)
    assert found.pop("game") == "tictactoe"
    kinds = {"gymnasium", "gymnasium_many", "pettingzoo", "openspiel", "openspiel_own"}
    assert set(found) == kinds
    assert all(isinstance(rate, int) and rate > 100 for rate in found.values())


@pytest.mark.timing
@pytest.mark.parametrize("game", ["breakthrough", "connectfour"])
def test_a_batch_costs_little_more_than_the_kernel(game: str) -> None:
    found = measure(game, seconds=0.2, rounds=5)
    assert float(found["ratio"]) >= 0.8
    assert float(found["uct"]) >= 0.03 * float(found["playouts"])
