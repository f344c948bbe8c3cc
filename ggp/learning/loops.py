"""The loops of self-play, compiled by numba, run without the GIL.

A packed state has bit i set if fact i is true, as in `Kernel`. A network has a row of weights for
each fact and for some pairs of them, so that the sums of a child are its parent's, plus and minus
the rows of what differs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.learning.partners import Partners, flip
from ggp.learning.vectors import UNITS, copy, dot_cut
from ggp.native.bits import below, list_bits, random_bits
from ggp.native.numba_support import Words, lowest_bit, nopython, signed

__all__ = [
    "LOGISTIC",
    "choose",
    "evaluate",
    "finish",
    "list_some",
    "move_samples",
    "record",
    "round_off",
]

#: What a sequence of random words is multiplied with, and what is added.
_FACTOR, _STEP = 0x5851F42D4C957F2D, 0x9E3779B97F4A7C15

#: The logistic function is read from a table: of -_WIDTH <= x < _WIDTH, in steps of 1 / _STEPS.
_STEPS, _WIDTH = 64, 16
LOGISTIC = (1 / (1 + np.exp(-np.arange(-_WIDTH * _STEPS, _WIDTH * _STEPS) / _STEPS))).astype(
    np.float32
)


@nopython
def list_some(  # noqa: PLR0912 - one loop
    legal: Words,
    over: NDArray[np.bool_],
    first_move: NDArray[np.int64],
    most: int,
    seed: np.uint64,
    own: NDArray[np.int32],
    counts: NDArray[np.int32],
    starts: NDArray[np.int64],
    moves: NDArray[np.int32],
    parents: NDArray[np.int64],
) -> int:
    """List the joint moves of each state, or `most` of them at random where there are more.

    Arrays:
        over: bool[states]: those that have none.
        own: int32[states, roles, moves]: gets each role's legal moves.
        counts: int32[states, roles]: gets how many.
        starts: int64[states + 1]: gets where the joint moves of each state begin.
        moves: int32[states * most, roles]: gets the joint moves.
        parents: int64[states * most]: gets the number of each one's state.

    Returns:
        How many joint moves there are, or -1 if a role has no legal move.
    """
    roles = len(first_move) - 1
    total = 0
    for state in range(len(legal)):
        starts[state] = total
        if over[state]:
            for role in range(roles):
                counts[state, role] = 0
            continue
        product, chooser = 1, 0
        for role in range(roles):
            found = list_bits(
                legal[state], first_move[role], first_move[role + 1], own[state, role]
            )
            counts[state, role] = found
            if found == 0:
                return -1
            if found > 1:
                chooser = role
            product = min(product * found, most + 1)
        is_whole = product <= most
        for number in range(product if is_whole else most):
            parents[total + number] = state
        if is_whole and counts[state, chooser] == product:  # no other role chooses
            for role in range(roles):
                if role != chooser:
                    move = own[state, role, 0]
                    for number in range(product):
                        moves[total + number, role] = move
            for number in range(product):
                moves[total + number, chooser] = own[state, chooser, number]
            total += product
        elif is_whole:
            for number in range(product):
                rest = number
                for role in range(roles - 1, -1, -1):
                    moves[total, role] = own[state, role, rest % counts[state, role]]
                    rest //= counts[state, role]
                total += 1
        else:
            for number in range(most):
                for role in range(roles):
                    bits = random_bits(seed, (state * most + number) * roles + role + 1)
                    moves[total, role] = own[state, role, below(bits, counts[state, role])]
                total += 1
    starts[len(legal)] = total
    return total


@nopython
def _output(
    sums: NDArray[np.int16],
    begin: int,
    outputs: NDArray[np.int16],
    role: int,
    bias: np.int32,
    hidden: int,
    one: np.int16,
    logistic: NDArray[np.float32],
) -> np.float32:
    """Return the share of the highest goal that a role gets, from the sums of a state."""
    total = bias
    for unit in range(0, hidden, UNITS):
        total += dot_cut(sums, begin + unit, outputs, role * hidden + unit, one)
    place = signed(total * (_STEPS / (float(one) * float(one)))) + _WIDTH * _STEPS
    value: np.float32 = logistic[min(max(place, 0), len(logistic) - 1)]
    return value


@nopython
def evaluate(  # noqa: PLR0912
    states: Words,
    starts: NDArray[np.int64],
    children: Words,
    ended: NDArray[np.bool_],
    goals: NDArray[np.int16],
    worth: NDArray[np.float32],
    counts: NDArray[np.int32],
    weights: NDArray[np.int16],
    bias: NDArray[np.int16],
    outputs: NDArray[np.int16],
    output_bias: NDArray[np.int32],
    one: np.int16,
    partners: Partners,
    logistic: NDArray[np.float32],
    sums: NDArray[np.int16],
    state_seen: Words,
    child_seen: Words,
    values: NDArray[np.float32],
    after: NDArray[np.float32],
) -> None:
    """Estimate the states and their children.

    Arrays:
        starts: as of `list_some`.
        ended: bool[children], and `goals`, int16[children, roles]: as of `Views`.
        worth: float32[roles, goals + 1]: what each goal is worth; the last of a missing one.
        weights: int16[rows * hidden], and so on: those of a `Rounded` network.
        sums: int16[2 * hidden]: scratch, and so are `state_seen` and `child_seen`, uint64[words].
        values: float32[states, roles]: gets what the states are worth.
        after: float32[children, roles]: gets it of the children, for the roles that choose a move.
    """
    roles, columns, hidden = len(output_bias), states.shape[1], len(bias)
    for state in range(len(states)):
        for unit in range(0, hidden, UNITS):
            copy(sums, unit, bias, unit)
        for column in range(columns):
            state_seen[column] = np.uint64(0)
        for column in range(columns):
            left = states[state, column]
            while left:
                fact = 64 * column + lowest_bit(left)
                left &= left - np.uint64(1)
                flip(state_seen, fact, True, partners, sums, 0, weights, hidden)
        for role in range(roles):
            values[state, role] = _output(
                sums, 0, outputs, role, output_bias[role], hidden, one, logistic
            )
        for child in range(starts[state], starts[state + 1]):
            if ended[child]:
                for role in range(roles):
                    after[child, role] = worth[role, goals[child, role]]
                continue
            for unit in range(0, hidden, UNITS):
                copy(sums, hidden + unit, sums, unit)
            for column in range(columns):
                child_seen[column] = states[state, column]
            for column in range(columns):
                now = children[child, column]
                left = states[state, column] ^ now
                while left:
                    lowest = left & (np.uint64(0) - left)
                    left ^= lowest
                    fact = 64 * column + lowest_bit(lowest)
                    is_true = now & lowest != 0
                    flip(child_seen, fact, is_true, partners, sums, hidden, weights, hidden)
            for role in range(roles):
                if counts[state, role] > 1:
                    after[child, role] = _output(
                        sums, hidden, outputs, role, output_bias[role], hidden, one, logistic
                    )


@nopython
def choose(
    starts: NDArray[np.int64],
    moves: NDArray[np.int32],
    after: NDArray[np.float32],
    own: NDArray[np.int32],
    counts: NDArray[np.int32],
    chance: int,
    explore: float,
    sharpness: float,
    noise: NDArray[np.float32],
    seed: np.uint64,
    totals: NDArray[np.float32],
    tried: NDArray[np.int32],
    chosen: NDArray[np.int32],
    is_random: NDArray[np.bool_],
) -> None:
    """Choose each role's move: soft-max over the mean worth of the children that it leads to.

    Arrays:
        chance: the role that draws its moves, -1 for none.
        explore: the share of its choices that another role draws, too.
        sharpness: by how much a worth is multiplied before the noise is added.
        noise: float32[1024]: quantiles of the Gumbel distribution.
        totals: float32[moves], and `tried`, int32[moves]: scratch, which is and stays 0.
        chosen: int32[states, roles]: gets the moves.
        is_random: bool[states]: gets whether a role, chance aside, has drawn a move.
    """
    roles = counts.shape[1]
    for state in range(len(starts) - 1):
        first, last = starts[state], starts[state + 1]
        is_random[state] = False
        for role in range(roles):
            count = counts[state, role]
            if count < 2:
                chosen[state, role] = moves[first, role] if count else 0
                continue
            bits = random_bits(seed, state * roles + role + 1)
            if role == chance or (bits & np.uint64(0xFFFF)) < explore * 65536:
                chosen[state, role] = own[state, role, below(bits, count)]
                is_random[state] |= role != chance
                continue
            best = np.float32(-np.inf)
            if last - first == count:  # no other role chooses
                for child in range(first, last):
                    bits = bits * np.uint64(_FACTOR) + np.uint64(_STEP)
                    score = np.float32(sharpness) * after[child, role]
                    score += noise[signed(bits >> np.uint64(54))]
                    if score > best:
                        best = score
                        chosen[state, role] = moves[child, role]
                continue
            for child in range(first, last):
                totals[moves[child, role]] += after[child, role]
                tried[moves[child, role]] += 1
            for number in range(count):
                move = own[state, role, number]
                if tried[move]:
                    bits = bits * np.uint64(_FACTOR) + np.uint64(_STEP)
                    score = np.float32(sharpness) * totals[move] / np.float32(tried[move])
                    score += noise[signed(bits >> np.uint64(54))]
                    if score > best:
                        best = score
                        chosen[state, role] = move
                    totals[move] = np.float32(0)
                    tried[move] = 0


@nopython
def record(
    states: Words,
    values: NDArray[np.float32],
    is_random: NDArray[np.bool_],
    over: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    history: NDArray[np.uint64],
    estimates: NDArray[np.float32],
    was_random: NDArray[np.bool_],
) -> int:
    """Append each state to the match in its lane; return how many there were.

    A match that is over gets none, and its length becomes 0.

    Arrays:
        lengths: int64[lanes]: how many states each match has so far.
        history: uint64[lanes, plies, words], `estimates`, float32[lanes, plies, roles], and
            `was_random`, bool[lanes, plies]: the matches so far.
    """
    count = 0
    for lane in range(len(states)):
        if over[lane]:
            lengths[lane] = 0
            continue
        place = lengths[lane]
        for column in range(states.shape[1]):
            history[lane, place, column] = states[lane, column]
        for role in range(values.shape[1]):
            estimates[lane, place, role] = values[lane, role]
        was_random[lane, place] = is_random[lane]
        lengths[lane] = place + 1
        count += 1
    return count


@nopython
def finish(
    over: NDArray[np.bool_],
    terminal: NDArray[np.bool_],
    goals: NDArray[np.int16],
    worth: NDArray[np.float32],
    values: NDArray[np.float32],
    lengths: NDArray[np.int64],
    history: NDArray[np.uint64],
    estimates: NDArray[np.float32],
    was_random: NDArray[np.bool_],
    trust: float,
    position: int,
    kept: Words,
    targets: NDArray[np.float32],
) -> int:
    """Turn the matches that are over into samples, with the targets of TD(lambda).

    Arrays:
        over: bool[lanes]: the matches that end: those that are `terminal` with what their goals are
            worth, as in `evaluate`, the others with their `values`.
        lengths: and the other arrays of `record`.
        trust: lambda.
        position: how many samples there have been.
        kept: uint64[n, words], with `targets`, float32[n, roles]: the last n samples. A state in
            which a role has drawn its move is none, and what comes after it counts for none
            before.

    Returns:
        How many samples there have been.
    """
    begin = position
    for lane in range(len(over)):
        if not over[lane]:
            continue
        begin = position
        for role in range(values.shape[1]):
            target, place = values[lane, role], begin
            if terminal[lane]:
                target = worth[role, goals[lane, role]]
            for ply in range(lengths[lane] - 1, -1, -1):
                value = estimates[lane, ply, role]
                if was_random[lane, ply]:
                    target = value
                    continue
                at = place % len(kept)
                targets[at, role] = target
                if role == 0:
                    for column in range(kept.shape[1]):
                        kept[at, column] = history[lane, ply, column]
                place += 1
                target = np.float32(trust * target + (1 - trust) * value)
            position = place
    return position


@nopython
def move_samples(
    states: Words,
    targets: NDArray[np.float32],
    first: int,
    last: int,
    kept: Words,
    kept_targets: NDArray[np.float32],
    position: int,
) -> None:
    """Copy some samples behind as many others as `position` says, both as `finish` keeps them."""
    for number in range(last - first):
        source, target = (first + number) % len(states), (position + number) % len(kept)
        for column in range(kept.shape[1]):
            kept[target, column] = states[source, column]
        for role in range(targets.shape[1]):
            kept_targets[target, role] = targets[source, role]


@nopython
def round_off(values: NDArray[np.float32], one: np.float32, rounded: NDArray[np.int16]) -> None:
    """Round values to whole numbers, where `one` stands for 1."""
    most = np.float32(32767)
    for place in range(len(values)):
        scaled = np.rint(values[place] * one)
        rounded[place] = np.int16(min(max(scaled, -most), most))
