"""Self-play: players play themselves, and what they saw and chose becomes data to learn from.

Needs the extra `ggp[selfplay]`.
"""

from ggp.selfplay.data import Samples, load_samples
from ggp.selfplay.plan import Plan
from ggp.selfplay.run import Progress, selfplay

__all__ = ["Plan", "Progress", "Samples", "load_samples", "selfplay"]
