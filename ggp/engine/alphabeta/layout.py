"""What a search for the goal of one role has in its stack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import Counters, Frame, Records
from ggp.reasoner.compiled import Words

__all__ = ["ALPHABETA", "BOUNDED", "MINIMAX", "RoleCounters", "RoleFrame", "Stack"]

#: The algorithms.
MINIMAX, BOUNDED, ALPHABETA = range(3)


class RoleFrame(Frame):
    """A node, and where the loop is among its joint moves."""

    #: How many own moves, opponent replies and moves of chance there are, and which is next.
    own_count: int
    reply_count: int
    chance_count: int
    own_at: int
    reply_at: int
    chance_at: int
    #: What the current move of the role and the reply add to the number of the child.
    own_term: int
    reply_term: int
    own_stride: int
    chance_stride: int
    #: Whether values are proven: of all own moves so far, of the best one, of all replies to the
    #: current one, of the worst reply, and of all moves of chance.
    proven: int
    best_proven: int
    min_proven: int
    worst_proven: int
    mean_proven: int
    best_length: int
    worst_length: int
    #: Where in the arena the order of the moves is; 0 if they are not sorted.
    order: int
    #: The window, and the larger of alpha and the best value.
    alpha: float
    beta: float
    floor: float
    #: The value of the best own move, that of the worst reply to the current one, and the sum over
    #: chance.
    best: float
    worst: float
    total: float


class RoleCounters(Counters):
    """The counters of all searches, the current frame, and the cuts."""

    frame: int
    max_prunes: int
    min_prunes: int


class Stack(NamedTuple):
    """The state of a search."""

    #: As in `ggp.engine.layout.SearchStack`.
    frames: Records[RoleFrame]
    counts: NDArray[np.int64]
    strides: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: RoleCounters
    #: int32[2, frames, frames]: the best line of each frame, and the line after its current own
    #: move.
    lines: NDArray[np.int32]
    #: int64[any]: scores of moves while they are sorted.
    scores: NDArray[np.int64]
    #: int64[moves]: how much work the cuts of each move have saved.
    history: NDArray[np.int64]
    #: float64[1]: the value of the root, once it is found.
    found: NDArray[np.float64]
