"""What states at the horizon are worth: `ggp.search.Evaluation` in compiled code.

**Playouts.** A pass of random play (`ggp.reasoner.compiled.runtime.pass_program`) takes all its
lanes one joint move further, and takes the same time however many are in use. So when one child at
the horizon is played out its next siblings are with it: each has a word of 64 lanes, or several,
for its playouts. What they came to is remembered under the state's key, until another state takes
its place.

The random numbers of a word are made from the key of its state. So an estimate does not depend on
which siblings were played out with it, and a state that was forgotten is estimated again as it was
before.

Each lane plays once. A playout that has not ended after so many joint moves ends there, with the
goals as they stand. Whoever has no goal in the end gets the middle.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.horizon_layout import (
    ACTIVE,
    BEGIN,
    BUDGET,
    COST,
    ENDED,
    FORCED,
    GENERATOR,
    LANES,
    OF_GOALS,
    OF_MOBILITY,
    OF_PLAYOUTS,
    RUN,
    SCORES,
    SHARE,
    STARTS,
    STATE,
    STEPS,
    STUCK,
    Horizon,
)
from ggp.engine.layout import BASE, MOVES, PLAYED_OUT, ROLES, Frames, Game
from ggp.engine.node import goal_of, is_terminal, key_of, lane_of, legal_count, spread
from ggp.engine.transposition_table import hash_of
from ggp.reasoner.compiled import Words, inlined, nopython, run, signed

__all__ = ["estimate_of", "find_means"]

_MIDDLE = 0.5
_GOLDEN = 0x9E3779B97F4A7C15


@inlined
def estimate_of(
    game: Game, arena: Words, block: int, lane: np.uint64, role: int, entry: int
) -> float:
    """Return what the state in a lane is worth for a role; `entry` is what `find_means` said."""
    horizon, roles = game.horizon, game.numbers[ROLES]
    goal, progress = goal_of(game, arena, block, lane, role), _MIDDLE
    if goal >= 0 and horizon.goals[1, role] > 0:
        progress = (goal - horizon.goals[0, role]) / horizon.goals[1, role]
    estimate = horizon.weights[OF_GOALS] * progress
    if horizon.weights[OF_MOBILITY] > 0:
        first, last = game.first_move[role], game.first_move[role + 1]
        own = legal_count(game, arena, block, lane, first, last)
        total = legal_count(game, arena, block, lane, 0, game.numbers[MOVES])
        estimate += horizon.weights[OF_MOBILITY] * ((own + 1) / (total + roles + 1))
    if horizon.weights[OF_PLAYOUTS] > 0:
        estimate += horizon.weights[OF_PLAYOUTS] * horizon.means[entry, role]
    value = horizon.values[0, role] + horizon.values[1, role] * estimate
    return float(min(max(value, 0.0), game.highest[role]))


@inlined
def find_means(
    game: Game, stack: Frames, frame: int, child: int, first: np.uint64, second: np.uint64
) -> int:
    """Return where `means` has those of a child of a frame; it is played out if need be.

    `first` and `second` are the child's key. Without playouts nothing is done.
    """
    horizon, entry = game.horizon, signed(0)
    if horizon.weights[OF_PLAYOUTS] > 0:
        entry = _entry_of(horizon, first, second)
        if horizon.keys[entry, 0] != first or horizon.keys[entry, 1] != second:
            _play_out(game, stack, frame, child)
    return entry


@inlined
def _entry_of(horizon: Horizon, first: np.uint64, second: np.uint64) -> int:
    """Return the one entry that may have the means of the state with this key."""
    return signed(hash_of(first, second) & np.uint64(len(horizon.keys) - 1))


@nopython
def _play_out(game: Game, stack: Frames, frame: int, child: int) -> None:
    """Play from a child, and from as many of the next children as there is room for."""
    horizon, arena = game.horizon, stack.arena
    numbers, share = horizon.numbers, horizon.numbers[SHARE]
    lanes, buffer, base = numbers[LANES], horizon.buffer, stack.frames[frame, BASE]
    for first_row, rows in ((FORCED, 1), (STUCK, 1), (SCORES, game.first_goal[-1])):
        begin = numbers[first_row] * lanes
        buffer[begin : begin + rows * lanes] = np.uint64(0)
    count = _choose_batch(game, stack, frame, child)
    for place in range(count):
        block, lane = lane_of(game, base, horizon.batch[place])
        begin = numbers[STATE] * lanes + place * share
        spread(game, arena, block, lane, buffer, begin, lanes, share)
        first, second = key_of(game, arena, block, lane)
        _seed(horizon, hash_of(first, second), place * share)
    for word in range(lanes):
        is_used = word < count * share
        buffer[numbers[ACTIVE] * lanes + word] = ~np.uint64(0) if is_used else np.uint64(0)
    _play(horizon)
    # the child itself comes last, so that none of the others takes its place
    for place in range(count - 1, -1, -1):
        block, lane = lane_of(game, base, horizon.batch[place])
        first, second = key_of(game, arena, block, lane)
        entry = _entry_of(horizon, first, second)
        horizon.keys[entry, 0], horizon.keys[entry, 1] = first, second
        _note_means(game, place * share, entry)
    stack.counters[PLAYED_OUT] += numbers[COST]


@nopython
def _choose_batch(game: Game, stack: Frames, frame: int, child: int) -> int:
    """List a child, and others after it that are not yet known; return how many there are."""
    horizon, count, children = game.horizon, 1, signed(1)
    if frame > 0:
        for role in range(game.numbers[ROLES]):
            children *= stack.turns[frame, 0, role]
    horizon.batch[0] = child
    for other in range(child + 1, children):
        if count == len(horizon.batch):
            break
        block, lane = lane_of(game, stack.frames[frame, BASE], other)
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
    lanes, share = horizon.numbers[LANES], horizon.numbers[SHARE]
    for i in range(share):
        for part in range(8):
            seed += np.uint64(_GOLDEN)
            mixed = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            place = (horizon.numbers[GENERATOR] + part) * lanes + word + i
            horizon.buffer[place] = mixed ^ (mixed >> np.uint64(31))


@nopython
def _play(horizon: Horizon) -> None:
    """Make passes until every lane has ended, one way or the other."""
    numbers, buffer, lanes = horizon.numbers, horizon.buffer, horizon.numbers[LANES]
    left = numbers[STEPS]
    run(numbers[BEGIN], buffer)
    while True:
        some = np.uint64(0)
        for word in range(lanes):
            # what has ended, or cannot go on, does not start anew
            over = buffer[numbers[ENDED] * lanes + word] | buffer[numbers[STUCK] * lanes + word]
            buffer[numbers[ACTIVE] * lanes + word] &= ~over
            buffer[numbers[STARTS] * lanes + word] = np.uint64(0)
            some |= buffer[numbers[ACTIVE] * lanes + word]
        if some == 0:
            return
        if left <= 0:
            break
        buffer[numbers[BUDGET] * lanes] = np.uint64(left)
        run(numbers[RUN], buffer)
        left = signed(buffer[numbers[BUDGET] * lanes])
    for word in range(lanes):
        buffer[numbers[FORCED] * lanes + word] = ~np.uint64(0)
    run(numbers[BEGIN], buffer)


@nopython
def _note_means(game: Game, word: int, entry: int) -> None:
    """Note what the playouts of the words of a state came to."""
    horizon = game.horizon
    lanes, share = horizon.numbers[LANES], horizon.numbers[SHARE]
    for role in range(game.numbers[ROLES]):
        lowest, span, total, left = horizon.goals[0, role], horizon.goals[1, role], 0.0, 64 * share
        for goal in range(game.first_goal[role], game.first_goal[role + 1]):
            for i in range(share):
                row = horizon.numbers[SCORES] + goal
                ended = signed(horizon.buffer[row * lanes + word + i])
                left -= ended
                total += ended * (game.goals[goal] - lowest)
        if span > 0:
            total /= span
        horizon.means[entry, role] = (total + left * _MIDDLE) / (64 * share)
