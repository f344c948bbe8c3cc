"""The compiled functions of the learning, which all games share."""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.native.kernels import KernelSet
from ggp.reasoner.kernels import REASONER_KERNELS

__all__ = ["LEARNING_KERNELS", "compile_kernels"]

LEARNING_KERNELS = KernelSet("learning", __name__)


def compile_kernels(_name: str) -> None:
    """Learn a small game for two rounds, which calls every function."""
    from ggp.gdl import Description
    from ggp.learning.learner import Learner, LearningSettings
    from ggp.learning.selfplay import SelfPlaySettings
    from ggp.reasoner.compiled import SMALL_GAME, CompiledReasoner

    REASONER_KERNELS.wait(Deadline())  # else they would be compiled here once more
    settings = LearningSettings(
        hidden=32, samples=64, enough=1, batch=8, selfplay=SelfPlaySettings(lanes=8)
    )
    with CompiledReasoner(Description.from_text(SMALL_GAME)) as reasoner:
        learner = Learner(reasoner.kernel, settings=settings)
        learner.learn(deadline=Deadline(), plies=100)
