"""What a search for the goal of one role has in its stack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import COMMON_COUNTERS, COMMON_FIELDS
from ggp.reasoner.compiled import Words

__all__ = ["ALPHABETA", "BOUNDED", "MINIMAX", "Stack"]

#: The algorithms.
MINIMAX, BOUNDED, ALPHABETA = range(3)

# Places in a row of `Stack.frames`, after those of all searches: how many own moves there are,
# answers, and moves of chance; which is at hand; what that adds to the number of the child; whether
# what was found is sure; the length of lines; and where in the arena the order of the moves is, if
# they are sorted;
(OWN, ANSWERS, LUCK, AT_OWN, AT_ANSWER, AT_LUCK, OWN_TERM, ANSWER_TERM, OWN_STRIDE, LUCK_STRIDE,
 SURE, BEST_SURE, MIN_SURE, WORST_SURE, MEAN_SURE, BEST_LENGTH, WORST_LENGTH, ORDER,
 FRAME_FIELDS) = range(COMMON_FIELDS, COMMON_FIELDS + 19)  # fmt: skip
# in a row of `Stack.values`: the window; alpha, or the best if it is more; the best of the own
# moves, the worst of the answers to one, the sum over chance;
ALPHA, BETA, FLOOR, BEST, WORST, SUM, FRAME_VALUES = range(7)
# and in `Stack.counters`.
FRAME, MAX_PRUNES, MIN_PRUNES, COUNTERS = range(COMMON_COUNTERS, COMMON_COUNTERS + 4)


class Stack(NamedTuple):
    """Where the search is, and what it has counted."""

    #: As in `ggp.engine.layout.Frames`.
    frames: NDArray[np.int64]
    keys: Words
    turns: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: NDArray[np.int64]
    #: float64[frames, FRAME_VALUES]
    values: NDArray[np.float64]
    #: int32[2, frames, frames]: the best line of each frame, and that after its own move at hand.
    lines: NDArray[np.int32]
    #: int64[any]: scores of moves while they are sorted.
    scores: NDArray[np.int64]
    #: int64[moves]: how often each move cut something off, and how much.
    history: NDArray[np.int64]
    #: float64[1]: the value of the root, once it is found.
    found: NDArray[np.float64]
