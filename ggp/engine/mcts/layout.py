"""The memory of a tree search: the nodes, the edges, and the playouts that are under way.

The tree is a graph: each state is one node, whichever moves lead to it. A node has the mean values
of the playouts below it, and for each role a lower and an upper bound of its max-n value. An edge
has the number of visits that went through it (Childs, Brodeur and Kocsis 2008, "Transpositions and
move groups in Monte Carlo tree search": UCT2). All is in arrays of fixed size, one entry for each
node or edge. The edges of a node stand together, one for each joint move, in the order of the
engine's joint moves.

A *job* is a visit that is under way: the path from the root to a leaf, and the playouts from the
leaf that have not ended.

Threads share a tree. A thread holds the lock of a node, never of two, while it changes what is
known of the node (visits that ended, values, bounds) or of the moves from there (`worth`, and the
visits of options). Counts of visits that begin are changed without it, by atomic additions. Both
are read without a lock: a count or a value may be of just before or after a visit, and bounds only
become tighter. What does not change (the state of a node, its edges, the places of its options) is
complete before it is published, by an entry in the hash table or by `first`.

The bounds of a node rest on those of its children, which change on other paths and in other
threads. So a node counts how often its bounds have become tighter (`changes`), and an edge has the
count that its child had when the bounds of its node were made (`seen`). A visit that comes back
over an edge where the two differ makes the bounds anew: no proof is lost, whatever the order in
which threads come by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.pass_rows import PassPlaces
from ggp.native.numba_support import Words

__all__ = [
    "CLOSED",
    "EDGES",
    "IS_BEING_EXPANDED",
    "IS_TERMINAL",
    "LONGEST",
    "NODES",
    "OPTIONS",
    "STOP",
    "TOTALS",
    "UNKNOWN",
    "VISITS",
    "LaneNumbers",
    "Lanes",
    "OwnNumbers",
    "Tree",
    "TreeNumbers",
]

#: The longest path that a visit may take, in joint moves.
LONGEST = 512

#: See `Tree.worth`. Both are far below all that a value may be.
UNKNOWN, CLOSED = -100.0, 1000.0

#: Flags of a node: it is terminal; a thread is making its children.
IS_TERMINAL, IS_BEING_EXPANDED = 1, 2


#: Places in `Tree.totals`, each in a line of its own of the CPU's caches: how many nodes, edges and
#: options are taken, how many visits have ended, and whether all threads are to stop.
NODES, EDGES, OPTIONS, VISITS, STOP, TOTALS = range(0, 48, 8)


class TreeNumbers:
    """The settings of a tree."""

    #: How many threads search it: without others, nothing is locked.
    threads: int
    #: Whether one more node, edge or option could not be made.
    is_full: int
    #: The root.
    root: int
    #: How far behind a move is, from 0 to 1, that gets its even share of the visits.
    exploration: float
    #: The weight of the best child in a node's value, from 0 to 1; the rest is the mean's.
    blend: float
    #: What a move gets that is the easiest to prove, see `ggp.engine.mcts.proofs`.
    ease: float
    #: How a move that was not tried counts: as if it had the value of its node after
    #: `untried` visits.
    untried: float
    #: Whether roles that choose at once choose by regret matching.
    by_regret: int
    #: How many playouts a leaf gets, and how many visits it must have had to be expanded.
    share: int
    threshold: int
    #: The least and the most that all roles get together.
    minsum: float
    maxsum: float
    #: The visits that may be made.
    limit: int


class OwnNumbers:
    """What a thread that searches a tree has to itself."""

    #: The state of the random number generator.
    generator: np.uint64
    #: The nodes that the thread has taken and not made: the next one, and the end.
    next: int
    end: int
    #: Visits that have ended, and those of them that are in the total.
    visits: int
    counted: int
    #: Expansions, children that were known already, and the longest path.
    expanded: int
    transpositions: int
    deepest: int


class Tree(NamedTuple):
    """The graph, as one thread sees it: the others share all but the last three."""

    numbers: TreeNumbers
    #: int64[TOTALS]: what all threads count together.
    totals: NDArray[np.int64]
    #: int32[any power of 2]: the node in each place of the hash table, -1 for none.
    buckets: NDArray[np.int32]
    #: uint64[nodes, state_words]: the state of each node.
    states: Words
    #: uint8[nodes]: whether a thread holds the node's lock.
    locks: NDArray[np.uint8]
    #: int32[nodes]: visits that have ended, and those that have begun, which are more.
    visits: NDArray[np.int32]
    begun: NDArray[np.int32]
    #: int32[nodes]: of how many visits the means are: those to moves that are out of the question
    #: do not count.
    weight: NDArray[np.int32]
    #: float32[nodes, roles]: the means of what visits found; those of the leaf to which the line of
    #: best children leads; both mixed; and the bounds, within which the last two of these are.
    means: NDArray[np.float32]
    best: NDArray[np.float32]
    values: NDArray[np.float32]
    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    #: uint16[nodes]: how often the bounds have become tighter.
    changes: NDArray[np.uint16]
    #: float32[nodes, roles]: proof numbers, if they are used.
    proofs: NDArray[np.float32]
    #: int32[nodes]: the first edge, -1 if the node is not expanded; and how many there are.
    first: NDArray[np.int32]
    degree: NDArray[np.int32]
    #: int8[nodes]: the role that alone has a choice, or -1.
    mover: NDArray[np.int8]
    #: int32[nodes]: where the options of the roles are, if several have a choice; else -1.
    option: NDArray[np.int32]
    flags: NDArray[np.uint8]
    #: int32[edges]: the node that an edge leads to, and its visits, those under way included.
    child: NDArray[np.int32]
    counts: NDArray[np.int32]
    #: uint16[edges]: the `changes` of the child on which the bounds of the node rest.
    seen: NDArray[np.uint16]
    #: float32[edges]: where one role has a choice, the value of the child for it, from 0 to 1, as
    #: it was at the last visit, or when the bounds of the node were made; UNKNOWN without one.
    #: CLOSED is taken off where the child cannot give more than another one is proven to give.
    worth: NDArray[np.float32]
    #: float32[edges, roles], of one edge if they are not used: the proof numbers of the child, as
    #: the last visit has left them.
    edge_proofs: NDArray[np.float32]
    #: float32[roles]: the goals that proof numbers are about.
    aims: NDArray[np.float32]
    #: For a node with options first the number of moves of each role; then for each of these moves
    #: the visits that chose it, those under way included, those that ended, and what the role got.
    option_counts: NDArray[np.int32]
    option_visits: NDArray[np.int32]
    option_means: NDArray[np.float32]
    #: The same for how much more the role would have got by a move than by those that it made; of
    #: one entry if no role chooses by regret matching.
    option_regrets: NDArray[np.float32]
    #: float32[roles, 2]: each role's lowest and highest goal; and float32[roles]: what makes values
    #: from 0 to 1 of goals above the lowest, 0 if there are none.
    ranges: NDArray[np.float32]
    scale: NDArray[np.float32]
    own: OwnNumbers
    #: float32[any, roles]: what bounds are combined in, where several roles choose.
    low_bounds: NDArray[np.float32]
    high_bounds: NDArray[np.float32]


class LaneNumbers:
    """The machine code of a pass of random play, and how many jobs there are."""

    run_code: int
    words: int
    #: Jobs in `free`, and in `done`.
    free: int
    done: int
    #: How many playouts have ended.
    simulations: int


class Lanes(NamedTuple):
    """The lanes that play at random, and the jobs they play for."""

    numbers: LaneNumbers
    #: What the pass works in, and where.
    buffer: Words
    places: PassPlaces
    #: uint64[words]: the lanes that play for no job.
    idle: Words
    #: int32[lanes]: the job of each lane.
    job_of: NDArray[np.int32]
    #: int32[words]: the job from which lanes of a word start, how many of its playouts have not
    #: begun, and whether all lanes of the word would start there.
    current: NDArray[np.int32]
    waiting: NDArray[np.int32]
    is_spread: NDArray[np.int32]
    #: int32[jobs]: playouts that have not ended; all of them; the length of the path.
    left: NDArray[np.int32]
    size: NDArray[np.int32]
    length: NDArray[np.int32]
    #: float64[jobs, roles]: the sums of the goals.
    sums: NDArray[np.float64]
    #: int32[jobs, LONGEST + 1] and int32[jobs, LONGEST]: the nodes and the edges of the path.
    nodes: NDArray[np.int32]
    edges: NDArray[np.int32]
    #: int32[jobs]: jobs that are free, and jobs whose playouts have ended.
    free: NDArray[np.int32]
    done: NDArray[np.int32]
