"""Learning a game from its rules alone, by self-play: see docs/learning.md."""

from ggp.learning.in_tasks import InTasks
from ggp.learning.kernels import LEARNING_KERNELS
from ggp.learning.learner import Learner, LearningSettings, Progress
from ggp.learning.selfplay import SelfPlaySettings
from ggp.learning.store import Knowledge, Learned, Store
from ggp.learning.study import Study
from ggp.learning.trial import TrialResult, play_trial

__all__ = [
    "LEARNING_KERNELS",
    "InTasks",
    "Knowledge",
    "Learned",
    "Learner",
    "LearningSettings",
    "Progress",
    "SelfPlaySettings",
    "Store",
    "Study",
    "TrialResult",
    "play_trial",
]
