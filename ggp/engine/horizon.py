"""Estimates of states at the horizon: `ggp.search.Evaluation` in compiled code.

**Playouts.** A pass of random play (`ggp.compiler.runtime.pass_program`) takes all its
lanes one joint move further, and takes the same time however many are in use. When one child at the
horizon is played out, its next siblings are therefore played out with it: each has a word of 64
lanes, or several, for its playouts. The results are kept under the state's key, until another state
takes the place.

The random numbers of a word are made from the key of its state. An estimate thus does not depend on
which siblings were played out with it, and a state that was forgotten gets the same estimate again.

Each lane plays once. A playout that has not ended after `steps` joint moves ends there, with the
goals as they stand. A role without a goal at the end gets the middle of its range.

**A network** keeps the sums of its hidden layer. When it looks at the next state, most often a
sibling of the last one, it adds and subtracts the rows of what differs.
"""

from __future__ import annotations

from math import exp

import numpy as np

from ggp.engine.block import fact_row, goal_of, is_terminal, lane_of
from ggp.engine.keys import gathered, key_of
from ggp.engine.layout import Game, Horizon, Net, SearchStack
from ggp.engine.node import legal_count, spread
from ggp.engine.transposition_table import hash_of
from ggp.gdl import HIGHEST_GOAL
from ggp.learning.partners import flip
from ggp.learning.vectors import UNITS, dot_cut
from ggp.native.bits import mixed
from ggp.native.numba_support import Words, inlined, lowest_bit, nopython, run, signed
from ggp.search.evaluation.value_net import HIDDEN_ONE, OUTPUT_ONE

__all__ = ["estimate_of", "find_means", "look_at", "net_estimate"]

_MIDDLE = 0.5
_GOLDEN = 0x9E3779B97F4A7C15
_HIDDEN_ONE = np.int32(HIDDEN_ONE)


@inlined
def estimate_of(
    game: Game, arena: Words, block: int, lane: np.uint64, role: int, entry: int
) -> float:
    """Return the estimate of the state in a lane for a role; `find_means` returns `entry`."""
    horizon, roles = game.horizon, game.numbers.roles
    if horizon.numbers.hidden > 0:
        return net_estimate(horizon, role)
    goals = horizon.ranges[role]
    goal, progress = goal_of(game, arena, block, lane, role), _MIDDLE
    if goal >= 0 and goals.span > 0:
        progress = (goal - goals.lowest) / goals.span
    estimate = horizon.numbers.of_goals * progress
    if horizon.numbers.of_mobility > 0:
        first, last = game.first_move[role], game.first_move[role + 1]
        own = legal_count(game, arena, block, lane, first, last)
        total = legal_count(game, arena, block, lane, 0, game.numbers.moves)
        estimate += horizon.numbers.of_mobility * ((own + 1) / (total + roles + 1))
    if horizon.numbers.of_playouts > 0:
        estimate += horizon.numbers.of_playouts * horizon.means[entry, role]
    value = goals.lowest_estimate + goals.estimate_span * estimate
    return float(min(max(value, 0.0), game.highest[role]))


@inlined
def find_means(
    game: Game, stack: SearchStack, frame: int, child: int, first: np.uint64, second: np.uint64
) -> int:
    """Return the place of a child of a frame in `means`; play it out if it is not there.

    `first` and `second` are the child's key. A network looks at the child instead; without either,
    nothing is done.
    """
    horizon, entry = game.horizon, signed(0)
    if horizon.numbers.hidden > 0:
        _look_at_child(game, stack, frame, child, first, second)
    elif horizon.numbers.of_playouts > 0:
        entry = _entry_of(horizon, first, second)
        if horizon.keys[entry, 0] != first or horizon.keys[entry, 1] != second:
            _play_out(game, stack, frame, child)
    return entry


@inlined
def _look_at_child(
    game: Game, stack: SearchStack, frame: int, child: int, first: np.uint64, second: np.uint64
) -> None:
    """Let the network look at a child of a frame, which has this key."""
    net, facts, words = game.horizon.net, game.numbers.facts, game.numbers.words
    if facts <= 128:  # the state is its own key
        look_at(net, 0, first)
        if facts > 64:
            look_at(net, 1, second)
        return
    block, lane = lane_of(game, stack.frames[frame].children, child)
    for column in range(len(net.state)):
        begin, count = fact_row(game, block, 64 * column), min(64, facts - 64 * column)
        look_at(net, column, gathered(stack.arena, begin, count, words, lane))


@inlined
def look_at(net: Net, column: int, bits: np.uint64) -> None:
    """Let the network look at a word of a state: each fact that differs changes the sums."""
    changed = net.state[column] ^ bits
    while changed:
        lowest = changed & (np.uint64(0) - changed)
        changed ^= lowest
        fact, is_true = 64 * column + lowest_bit(lowest), bits & lowest != 0
        flip(net.state, fact, is_true, net.partners, net.sums, 0, net.weights, len(net.sums))
    net.state[column] = bits


@inlined
def net_estimate(horizon: Horizon, role: int) -> float:
    """Return the network's estimate for a role of the state that it has looked at."""
    net, goals = horizon.net, horizon.ranges[role]
    sums, hidden, total = net.sums, len(net.sums), signed(0)
    for unit in range(0, hidden, UNITS):
        total += dot_cut(sums, unit, net.outputs, role * hidden + unit, _HIDDEN_ONE)
    scaled = (total / HIDDEN_ONE + net.output_bias[role]) / OUTPUT_ONE
    goal = HIGHEST_GOAL / (1.0 + exp(-scaled))
    lowest, highest = goals.lowest_estimate, goals.lowest_estimate + goals.estimate_span
    return float(min(max(goal, lowest), highest))


@inlined
def _entry_of(horizon: Horizon, first: np.uint64, second: np.uint64) -> int:
    """Return the only place that may hold the means of the state with this key."""
    return signed(hash_of(first, second) & np.uint64(len(horizon.keys) - 1))


@nopython
def _play_out(game: Game, stack: SearchStack, frame: int, child: int) -> None:
    """Play from a child, and from as many of the next children as the batch has room for."""
    horizon, arena = game.horizon, stack.arena
    numbers, places, share = horizon.numbers, horizon.places, horizon.numbers.share
    row_words, buffer, base = numbers.row_words, horizon.buffer, stack.frames[frame].children
    goals = game.first_goal[-1]
    for begin, rows in ((places.forced, 1), (places.stuck, 1), (places.scores, goals)):
        buffer[begin : begin + rows * row_words] = np.uint64(0)
    count = _choose_batch(game, stack, frame, child)
    for place in range(count):
        block, lane = lane_of(game, base, horizon.batch[place])
        begin = places.start + place * share
        spread(game, arena, block, lane, buffer, begin, row_words, share)
        first, second = key_of(game, arena, block, lane)
        _seed(horizon, hash_of(first, second), place * share)
    for word in range(row_words):
        is_used = word < count * share
        buffer[places.active + word] = ~np.uint64(0) if is_used else np.uint64(0)
    _play(horizon)
    # the child itself is noted last, so that none of the others replaces it
    for place in range(count - 1, -1, -1):
        block, lane = lane_of(game, base, horizon.batch[place])
        first, second = key_of(game, arena, block, lane)
        entry = _entry_of(horizon, first, second)
        horizon.keys[entry, 0], horizon.keys[entry, 1] = first, second
        _note_means(game, place * share, entry)
    stack.counters.played_out += numbers.cost


@nopython
def _choose_batch(game: Game, stack: SearchStack, frame: int, child: int) -> int:
    """List a child, and others after it that are not yet known; return how many there are."""
    horizon, count, children = game.horizon, 1, signed(1)
    if frame > 0:
        for role in range(game.numbers.roles):
            children *= stack.counts[frame, role]
    horizon.batch[0] = child
    for other in range(child + 1, children):
        if count == len(horizon.batch):
            break
        block, lane = lane_of(game, stack.frames[frame].children, other)
        if not is_terminal(game, stack.arena, block, lane):
            first, second = key_of(game, stack.arena, block, lane)
            entry = _entry_of(horizon, first, second)
            if horizon.keys[entry, 0] != first or horizon.keys[entry, 1] != second:
                horizon.batch[count] = other
                count += 1
    return count


@nopython
def _seed(horizon: Horizon, seed: np.uint64, word: int) -> None:
    """Give the generators of a state's words states of their own (splitmix64, Vigna 2015)."""
    row_words, share = horizon.numbers.row_words, horizon.numbers.share
    for i in range(share):
        for part in range(8):
            seed += np.uint64(_GOLDEN)
            place = horizon.places.generator + part * row_words + word + i
            horizon.buffer[place] = mixed(seed)


@nopython
def _play(horizon: Horizon) -> None:
    """Make passes until every lane has ended, one way or the other."""
    numbers, buffer, places = horizon.numbers, horizon.buffer, horizon.places
    left = numbers.steps
    run(numbers.begin_code, buffer)
    while True:
        some = np.uint64(0)
        for word in range(numbers.row_words):
            # a playout that has ended, or is stuck, does not start again
            over = buffer[places.ended + word] | buffer[places.stuck + word]
            buffer[places.active + word] &= ~over
            buffer[places.starts + word] = np.uint64(0)
            some |= buffer[places.active + word]
        if some == 0:
            return
        if left <= 0:
            break
        buffer[places.budget] = np.uint64(left)
        run(numbers.run_code, buffer)
        left = signed(buffer[places.budget])
    for word in range(numbers.row_words):
        buffer[places.forced + word] = ~np.uint64(0)
    run(numbers.examine_code, buffer)


@nopython
def _note_means(game: Game, word: int, entry: int) -> None:
    """Note the mean results of the playouts of a state."""
    horizon = game.horizon
    row_words, share = horizon.numbers.row_words, horizon.numbers.share
    for role in range(game.numbers.roles):
        goals, total, left = horizon.ranges[role], 0.0, 64 * share
        for goal in range(game.first_goal[role], game.first_goal[role + 1]):
            for i in range(share):
                place = horizon.places.scores + goal * row_words + word + i
                ended = signed(horizon.buffer[place])
                left -= ended
                total += ended * (game.goals[goal] - goals.lowest)
        if goals.span > 0:
            total /= goals.span
        horizon.means[entry, role] = (total + left * _MIDDLE) / (64 * share)
