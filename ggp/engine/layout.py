"""Where the compiled loops of the engine find things: the game, frames, blocks, counters.

All that a loop knows is in arrays: it returns when it has expanded so many nodes, or needs more
room, and goes on when it is called again.

A *frame* is a node that is being searched: frame 0 stands above the root, frame f is the node at
ply f - 1, and its children are at ply f. To expand a node is to run the circuit's two halves once
for every 64 * words joint moves: the next states stay in lanes, one child a lane, in a *block* of
the arena, laid out as the view's code wants its buffer:

    pointer | facts | legal moves | terminal | goals | bad goals | scratch

so that the view runs in place, and what it says of the children is there when one of them is
visited. What is needed of a child is gathered from its lane; only the keys of all children are made
at once, where that is quick.

What is named here is what all searches have; `role_layout` and `maxn_layout` have the rest.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ggp.engine.horizon_layout import Horizon
from ggp.reasoner.compiled import Words

__all__ = [
    "ENDLESS",
    "FINISHED",
    "FULL",
    "PAUSED",
    "SPENT",
    "STUCK",
    "TOO_MANY",
    "Frames",
    "Game",
]

#: Why `explore` returned: the root's value is found, it is time to look at the clock, no more nodes
#: may be expanded, a role cannot move, a state has too many joint moves, or arena or frames are
#: full.
FINISHED, PAUSED, SPENT, STUCK, TOO_MANY, FULL = range(6)
#: What else may happen to a child: its value is known, or it is a frame now.
LEAF, PUSHED = 6, 7

#: Words of a key: two that are the key, and its hash.
KEY_WORDS = 3

#: A number of joint moves that never runs out.
ENDLESS = 65535

# Places in `Game.numbers`: addresses of code, sizes, and what is searched for;
(VIEW, NEXT, WORDS, FACTS, MOVES, ROLES, INPUTS, ROLE, CHANCE, ALGORITHM, ORDERED,
 MAX_PLIES, MAX_CHILDREN, SCRATCH, HAS_TABLE, POINTER, SHIFT, BLOCK,
 NUMBERS) = range(19)  # fmt: skip
# in `Game.floats`: the range of values, and thresholds;
LOW, HIGH, LOSE, WIN, FLOATS = range(5)
# in a row of `frames`: the block and its end, the legal moves, the children's keys (0 if they have
# not been made), the joint moves that remain, and the nodes that were expanded before it;
BASE, TOP, LISTS, KEYS, REMAINING, BEGAN, COMMON_FIELDS = range(7)
# and in `counters`; what was played out at the horizon counts as so many expansions.
(EXPANDED, RESEARCHED, GENERATED, HITS, DEEPEST, MET_HORIZON, HELD, AGE, NEEDED, LIMIT, FOUND_SURE,
 FOUND_MOVE, FOUND_LENGTH, PLAYED_OUT, COMMON_COUNTERS) = range(15)  # fmt: skip


class Game(NamedTuple):
    """One game, seen by one role, for one algorithm."""

    #: int64[NUMBERS] and float64[FLOATS]: see the names above.
    numbers: NDArray[np.int64]
    floats: NDArray[np.float64]
    #: float64[roles]: each role's highest goal.
    highest: NDArray[np.float64]
    #: int64[roles + 1]: where each role's moves begin among all, and each role's goals.
    first_move: NDArray[np.int64]
    first_goal: NDArray[np.int64]
    #: float64[goals]: what each goal is worth.
    goals: NDArray[np.float64]
    #: The sets of moves that the step reads (see `step_states`), or no rows.
    sets: Words
    #: uint64[2, facts]: random words, for the keys of states that are too large to be their own.
    random: Words
    #: What the step works in.
    buffer: Words
    #: What states at the horizon are worth.
    horizon: Horizon


class Frames(Protocol):
    """What the stack of every search has."""

    @property
    def frames(self) -> NDArray[np.int64]:
        """int64[frames, any]: see the names above."""

    @property
    def keys(self) -> Words:
        """uint64[frames, 3]: the key of each frame's state, and its hash."""

    @property
    def turns(self) -> NDArray[np.int64]:
        """int64[frames, 2, roles]: how many moves each role has, and what each adds to a number.

        That is the number of the joint move.
        """

    @property
    def arena(self) -> Words:
        """The blocks of the frames, one after the other, each after the frame's legal moves."""

    @property
    def on_path(self) -> NDArray[np.uint16]:
        """uint16[any power of 2]: how many frames have a key of that hash."""

    @property
    def counters(self) -> NDArray[np.int64]:
        """int64[any]: see the names above."""
