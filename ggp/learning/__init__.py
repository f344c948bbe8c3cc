"""Learning a game from its rules alone, by self-play: see docs/learning.md."""

from ggp.learning.kernels import LEARNING_KERNELS
from ggp.learning.learner import Learner, LearningSettings, Progress
from ggp.learning.selfplay import SelfPlaySettings

__all__ = ["LEARNING_KERNELS", "Learner", "LearningSettings", "Progress", "SelfPlaySettings"]
