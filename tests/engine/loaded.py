"""What a test needs in which a player must have the engine at once."""

from __future__ import annotations

import pytest

from ggp import Game
from ggp.deadline import Deadline
from ggp.engine.kernels import KERNELS, load
from ggp.learning import LEARNING_KERNELS, Learner


@pytest.fixture(autouse=True, scope="session")
def loaded_engine() -> None:
    """Have the compiled functions of all searches loaded, which happens in the background else."""
    for kernels in set(KERNELS.values()):
        assert kernels.wait(Deadline())
        assert load(kernels, Deadline())


@pytest.fixture(scope="session")
def loaded_learner() -> None:
    """Load the compiled functions of learning, so that no clock is spent on that."""
    assert LEARNING_KERNELS.wait(Deadline())
    with Game.load("tictactoe") as game:
        Learner(game.reasoner.kernel).learn(deadline=Deadline(), plies=50_000)
