"""What a test needs in which a player must have the engine at once."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.engine.kernels import KERNELS, load


@pytest.fixture(autouse=True, scope="session")
def loaded_engine() -> None:
    """Have the compiled functions of all searches loaded, which happens in the background else."""
    for kernels in set(KERNELS.values()):
        assert kernels.wait(Deadline())
        assert load(kernels, Deadline())
