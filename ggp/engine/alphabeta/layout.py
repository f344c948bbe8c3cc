"""What a search for the goal of one role has in its stack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import Counters, Frame, Records
from ggp.engine.row_filter import Links
from ggp.native.numba_support import Words

__all__ = [
    "ALPHABETA",
    "BOUNDED",
    "MINIMAX",
    "LimitNumbers",
    "Limits",
    "RoleCounters",
    "RoleFrame",
    "Stack",
]

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
    #: Where in the arena the order of the moves is; 0 if they are not sorted. And how many of the
    #: moves are at the end because another thread has begun them.
    order: int
    later: int
    #: The window, where beta is no more than `upper`; and the larger of alpha and the best value.
    alpha: float
    beta: float
    floor: float
    #: The value of the best own move, that of the worst reply to the current one, and the sum over
    #: chance.
    best: float
    worst: float
    total: float
    #: If that is asked, the most that the role can get below, and whether it has the value of a
    #: move above. If not, the lowest goal is an alpha below all goals in the reference.
    upper: float
    holds: int
    #: The key in the table, which symmetry leads to it (0 for none), and, if entries hold what is
    #: added to a count, the count.
    table_first: np.uint64
    table_second: np.uint64
    symmetry: int
    count: int


class RoleCounters(Counters):
    """The counters of all searches, the current frame, and the cuts."""

    frame: int
    max_prunes: int
    min_prunes: int
    table_prunes: int


class LimitNumbers:
    """How searches use what is possible below a state."""

    #: Whether they prune by it, and do not only cut estimates down to it.
    prunes: int
    #: Whether the role's goal counts.
    has_tally: int


class Limits(NamedTuple):
    """What the role can still get below a state, by the leaf-value table."""

    numbers: LimitNumbers
    #: What facts say about the rows of the table.
    links: Links
    #: float64[rows]: the role's goal.
    goals: NDArray[np.float64]
    #: float64[any power of 2]: the answers of `find_upper`.
    memo: NDArray[np.float64]
    #: float64[1]: the answer for the child that was visited last.
    upper: NDArray[np.float64]
    #: int64[counts]: the fact that says so much; and float64[counts]: the role's goal for it at the
    #: end, NaN for a count that no leaf has.
    counted: NDArray[np.int64]
    goal_at: NDArray[np.float64]
    #: int64[101]: the count of each goal, -1 for none.
    count_at: NDArray[np.int64]


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
    #: int64[moves and effects]: what the cuts of each move count, see `move_order`.
    history: NDArray[np.int64]
    #: float64[1]: the value of the root, once it is found.
    found: NDArray[np.float64]
    #: uint64[any power of 2], of all threads: the hashes of nodes that one of them searches, see
    #: `sharing`. Of length 1 where there is one thread.
    announced: Words
