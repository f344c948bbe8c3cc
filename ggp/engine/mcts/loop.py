"""Tree search as one compiled loop: passes of random play in lanes that visits keep filled.

Every lane plays for some leaf. When its playout ends, the lane begins the next one at once: from
the leaf of its word of 64 lanes, or, when that has all its playouts, from a new leaf.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.horizon import look_at, net_estimate
from ggp.engine.layout import FINISHED, PAUSED, PUSHED, SPENT, STUCK, Game, SearchStack
from ggp.engine.mcts.atomic import add, read
from ggp.engine.mcts.bounds import is_proven, is_solved
from ggp.engine.mcts.layout import STOP, VISITS, Lanes, Tree
from ggp.engine.mcts.visit import back_up, descend, undo
from ggp.native.numba_support import inlined, lowest_bit, nopython, popcount, run, signed

__all__ = ["abandon", "explore"]

# Visits without playouts, because the leaf is known, until the lanes that wait must go on.
_PATIENCE = 64
# The most passes in a turn, where no lane ends.
_STRETCH = 16


@nopython
def explore(
    game: Game,
    stack: SearchStack,
    tree: Tree,
    lanes: Lanes,
    turns: int,
) -> int:
    """Continue the search for some turns, each of a few passes; return why it ended.

    It is PAUSED then, and when all threads are to stop; FINISHED if the root is proven; SPENT after
    `limit` visits. Several threads may search the same tree, each with a game, a stack and lanes of
    its own.
    """
    buffer, places, words = lanes.buffer, lanes.places, lanes.numbers.words
    for _ in range(turns):
        what = _serve(game, stack, tree, lanes)
        if what != PUSHED:
            return what
        some = np.uint64(0)
        for word in range(words):
            some |= buffer[places.active + word]
        if some == 0:
            continue
        buffer[places.budget] = np.uint64(_STRETCH)
        run(lanes.numbers.run_code, buffer)
        for word in range(words):
            if buffer[places.stuck + word]:
                return STUCK
            over = buffer[places.ended + word]
            if over:
                _note(game, lanes, word, over)
    return PAUSED


@inlined
def _serve(game: Game, stack: SearchStack, tree: Tree, lanes: Lanes) -> int:
    """Count the visits whose playouts have ended, and begin new ones for the lanes that are idle.

    Returns PUSHED, or why `explore` is over.
    """
    for place in range(lanes.numbers.done):
        _finish(game, tree, lanes, lanes.done[place])
    lanes.numbers.done = 0
    own = tree.own
    visits = add(tree.totals, VISITS, own.visits - own.counted) + own.visits - own.counted
    own.counted = own.visits
    if is_solved(game, tree):
        return FINISHED
    if visits >= tree.numbers.limit:
        return SPENT
    if read(tree.totals, STOP):
        return PAUSED
    for word in range(lanes.numbers.words):
        what = _fill(game, stack, tree, lanes, word)
        if what != PUSHED:
            return what
    return PUSHED


@inlined
def _note(game: Game, lanes: Lanes, word: int, over: np.uint64) -> None:
    """Add the goals of playouts that have ended to the sums of their jobs; their lanes are idle."""
    numbers, buffer, words = lanes.numbers, lanes.buffer, lanes.numbers.words
    for role in range(game.numbers.roles):
        for goal in range(game.first_goal[role], game.first_goal[role + 1]):
            value = game.goals[goal]
            left = buffer[lanes.places.held + goal * words + word] & over
            if value != 0:
                while left:
                    job = lanes.job_of[64 * word + lowest_bit(left)]
                    left &= left - np.uint64(1)
                    lanes.sums[job, role] += value
    left = over
    while left:
        job = lanes.job_of[64 * word + lowest_bit(left)]
        left &= left - np.uint64(1)
        lanes.left[job] -= 1
        if lanes.left[job] == 0:
            lanes.done[numbers.done] = job
            numbers.done += 1
    numbers.simulations += popcount(over)
    lanes.idle[word] |= over
    buffer[lanes.places.ended + word] = np.uint64(0)


@inlined
def _finish(game: Game, tree: Tree, lanes: Lanes, job: int) -> None:
    """Take a job's mean goals back to the root."""
    for role in range(lanes.sums.shape[1]):
        lanes.sums[job, role] /= lanes.size[job]
    back_up(game, tree, lanes.nodes[job], lanes.edges[job], lanes.length[job], lanes.sums[job])
    _release(lanes, job)


@inlined
def _release(lanes: Lanes, job: int) -> None:
    lanes.size[job] = 0
    lanes.free[lanes.numbers.free] = job
    lanes.numbers.free += 1


@inlined
def _fill(
    game: Game,
    stack: SearchStack,
    tree: Tree,
    lanes: Lanes,
    word: int,
) -> int:
    """Give each lane of a word that has no playout the next one, if there is one."""
    buffer = lanes.buffer
    active, ended = lanes.places.active + word, lanes.places.ended + word
    what, idle, begun = PUSHED, lanes.idle[word], np.uint64(0)
    while idle:
        job = signed(lanes.current[word])
        if lanes.waiting[word] == 0:
            what, job = _next_job(game, stack, tree, lanes)
            if job < 0:
                break
            lanes.current[word] = job
            lanes.waiting[word] = lanes.size[job]
            lanes.is_spread[word] = 0
        if lanes.is_spread[word] == 0:
            leaf = lanes.nodes[job, lanes.length[job]]
            _spread(game, tree, lanes, word, leaf, ~begun)
            lanes.is_spread[word] = begun == 0
        taken = idle
        count = popcount(idle)
        while count > lanes.waiting[word]:
            # the highest lanes wait
            taken ^= np.uint64(1) << np.uint64(_highest(taken))
            count -= 1
        lanes.waiting[word] -= count
        idle ^= taken
        begun |= taken
        while taken:
            lanes.job_of[64 * word + lowest_bit(taken)] = job
            taken &= taken - np.uint64(1)
    lanes.idle[word] = idle
    buffer[active] = ~idle
    # a lane goes on with the state to start from where a playout has just ended
    buffer[ended] |= begun
    return what


@inlined
def _highest(word: np.uint64) -> int:
    """Return the place of the highest bit that is set."""
    for shift in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(shift)
    return popcount(word) - 1


@inlined
def _spread(game: Game, tree: Tree, lanes: Lanes, word: int, node: int, mask: np.uint64) -> None:
    """Let some lanes of a word start from the state of a node."""
    buffer, words = lanes.buffer, lanes.numbers.words
    place = lanes.places.start + word
    for fact in range(game.numbers.facts):
        bits = tree.states[node, fact >> 6] >> np.uint64(fact & 63)
        held = np.uint64(0) - (bits & np.uint64(1))
        buffer[place] = (buffer[place] & ~mask) | (held & mask)
        place += words


@inlined
def _next_job(game: Game, stack: SearchStack, tree: Tree, lanes: Lanes) -> tuple[int, int]:
    """Begin a visit whose leaf needs playouts; return PUSHED and its job, or -1 without one.

    Visits to leaves that are proven, or that a network estimates, are made and count at once.
    """
    numbers = lanes.numbers
    for _ in range(_PATIENCE):
        if is_solved(game, tree):
            return PUSHED, -1
        job = signed(lanes.free[numbers.free - 1])
        nodes, edges = lanes.nodes[job], lanes.edges[job]
        what, length = descend(game, stack, tree, nodes, edges)
        if what != PUSHED:
            undo(tree, nodes, edges, length)
            return what, -1
        leaf = nodes[length]
        if is_proven(tree, leaf):
            for role in range(game.numbers.roles):
                lanes.sums[job, role] = tree.lower[leaf, role]
            back_up(game, tree, nodes, edges, length, lanes.sums[job])
        elif game.horizon.numbers.hidden > 0:
            for column in range(tree.states.shape[1]):
                look_at(game.horizon.net, column, tree.states[leaf, column])
            for role in range(game.numbers.roles):
                lanes.sums[job, role] = net_estimate(game.horizon, role)
            back_up(game, tree, nodes, edges, length, lanes.sums[job])
        else:
            numbers.free -= 1
            lanes.length[job] = length
            lanes.size[job] = lanes.left[job] = tree.numbers.share
            lanes.sums[job] = 0.0
            return PUSHED, job
    return PUSHED, -1


@nopython
def abandon(tree: Tree, lanes: Lanes) -> None:
    """Take back all visits that are under way, stop all lanes, and give up nodes not made."""
    numbers, buffer, places = lanes.numbers, lanes.buffer, lanes.places
    for job in range(len(lanes.size)):
        if lanes.size[job]:
            undo(tree, lanes.nodes[job], lanes.edges[job], lanes.length[job])
            _release(lanes, job)
    numbers.done = 0
    tree.own.next = tree.own.end = 0
    for word in range(numbers.words):
        lanes.waiting[word] = 0
        lanes.idle[word] = ~np.uint64(0)
        buffer[places.active + word] = buffer[places.ended + word] = np.uint64(0)
