"""Games as arrays: many states at once, for learning and for searches written with numpy.

`Game` plays; `States` are some of its states. Everything runs in the machine code of the compiled
reasoner.
"""

from ggp.batch.game import BATCH_KERNELS, Game, Moves, States
from ggp.batch.symmetries import Symmetries

__all__ = ["BATCH_KERNELS", "Game", "Moves", "States", "Symmetries"]
