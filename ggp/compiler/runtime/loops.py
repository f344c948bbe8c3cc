"""The loops around the passes of a circuit, compiled by numba, run without the GIL.

A packed state has one bit per fact, in words of 64; a row of lanes has one bit per state. For 64
states and 64 facts at a time, one is the transpose of the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.pass_rows import PassPlaces
from ggp.native.bits import count_bits, part_of
from ggp.native.numba_support import Words, allocating, lowest_bit, nopython, popcount, run

__all__ = [
    "ALL_ENDED",
    "NO_LEGAL_MOVE",
    "NO_PASSES_LEFT",
    "count_joint_moves",
    "from_rows",
    "list_joint_moves",
    "play_passes",
    "step_states",
    "to_rows",
    "transpose",
    "view_states",
]

#: The masks of the six rounds of a transposition, for blocks of 32, 16, ... 1 bits.
_HALVES = np.array(
    [
        0x00000000FFFFFFFF,
        0x0000FFFF0000FFFF,
        0x00FF00FF00FF00FF,
        0x0F0F0F0F0F0F0F0F,
        0x3333333333333333,
        0x5555555555555555,
    ],
    np.uint64,
)

#: Up to this number of changed bits of 64 facts are flipped one by one, for each word of lanes.
_FEW = 32


@nopython
def transpose(block: Words, words: int) -> None:
    """Transpose blocks of 64 words of 64 bits in place, `words` of them side by side.

    Bit k of word i of a block, which is `block[i * words + its number]`, becomes bit i of word k.
    """
    width = 32
    for level in range(6):
        mask = _HALVES[level]
        shift = np.uint64(width)
        half = width * words
        for start in range(0, 64 * words, 2 * half):
            low, high = block[start : start + half], block[start + half : start + 2 * half]
            for i in range(half):
                moved = ((low[i] >> shift) ^ high[i]) & mask
                high[i] ^= moved
                low[i] ^= moved << shift
        width >>= 1


@allocating
def to_rows(
    packed: Words, chosen: NDArray[np.int64], bits: int, buffer: Words, words: int, row: int
) -> None:
    """Put the packed states of the chosen numbers into lanes 0, 1, ...; lanes beyond are undefined.

    The rows row <= r < row + bits of the buffer receive them. At most 64 * words are chosen.
    """
    if len(chosen) == 1:  # then there is no need to transpose
        for bit in range(bits):
            value = packed[chosen[0], bit >> 6] >> np.uint64(bit & 63) & np.uint64(1)
            buffer[(row + bit) * words] = value
        return
    used = (len(chosen) + 63) >> 6
    block = np.empty(64 * used, np.uint64)
    for column in range((bits + 63) // 64):
        for lane in range(len(chosen)):
            block[(lane & 63) * used + (lane >> 6)] = packed[chosen[lane], column]
        transpose(block, used)
        for bit in range(min(64, bits - 64 * column)):
            for word in range(used):
                place = (row + 64 * column + bit) * words + word
                buffer[place] = block[bit * used + word]


@allocating
def from_rows(buffer: Words, words: int, row: int, bits: int, packed: Words) -> None:
    """Take packed states out of the lanes 0, 1, ...: the inverse of `to_rows`."""
    for column in range((bits + 63) // 64):
        _column_from_rows(buffer, words, row, bits, packed, column)


@allocating
def _column_from_rows(
    buffer: Words, words: int, row: int, bits: int, packed: Words, column: int
) -> None:
    if len(packed) == 1:
        packed[0, column] = 0
        for bit in range(min(64, bits - 64 * column)):
            value = buffer[(row + 64 * column + bit) * words] & np.uint64(1)
            packed[0, column] |= value << np.uint64(bit)
        return
    used = (len(packed) + 63) >> 6
    block = np.zeros(64 * used, np.uint64)
    for bit in range(min(64, bits - 64 * column)):
        for word in range(used):
            block[bit * used + word] = buffer[(row + 64 * column + bit) * words + word]
    transpose(block, used)
    for lane in range(len(packed)):
        packed[lane, column] = block[(lane & 63) * used + (lane >> 6)]


@allocating
def _flip_from_rows(
    buffer: Words, words: int, before: int, after: int, bits: int, packed: Words
) -> None:
    """Make packed states, those of the rows that begin with `before`, those of `after`.

    Where few bits have changed, they are flipped one by one, because most facts do not change.
    """
    for column in range((bits + 63) // 64):
        used = min(64, bits - 64 * column) * words
        old = buffer[(before + 64 * column) * words :][:used]
        new = buffer[(after + 64 * column) * words :][:used]
        changed = 0
        for i in range(used):
            changed += popcount(old[i] ^ new[i])
        if changed > _FEW * words:
            _column_from_rows(buffer, words, after, bits, packed, column)
        elif changed:
            for i in range(used):
                left = old[i] ^ new[i]
                while left:
                    lane = 64 * (i % words) + lowest_bit(left)
                    left &= left - np.uint64(1)
                    if lane < len(packed):
                        packed[lane, column] ^= np.uint64(1) << np.uint64(i // words)


@nopython
def _spread(
    packed: Words, chosen: NDArray[np.int64], buffer: Words, words: int, row: int, on: bool
) -> None:
    """Set, or clear, the bits of the chosen packed states in lanes 0, 1, ..., which are clear.

    Does the same as `to_rows`, in time proportional to the stretches of lanes with the same state.
    """
    lane = 0
    while lane < len(chosen):
        first, word = lane, lane >> 6
        while lane < len(chosen) and lane >> 6 == word and chosen[lane] == chosen[first]:
            lane += 1
        lanes = ~np.uint64(0) >> np.uint64(64 - (lane - first)) << np.uint64(first & 63)
        for column in range(packed.shape[1]):
            left = packed[chosen[first], column]
            while left:
                bit = 64 * column + lowest_bit(left)
                left &= left - np.uint64(1)
                if on:
                    buffer[(row + bit) * words + word] |= lanes
                else:
                    buffer[(row + bit) * words + word] = 0


@nopython
def _is_spread(packed: Words, chosen: NDArray[np.int64], bits: int, words: int) -> bool:
    """Return whether `_spread` is quicker than `to_rows`: for few stretches and few bits."""
    stretches = 1
    for lane in range(1, len(chosen)):
        stretches += chosen[lane] != chosen[lane - 1]
    held = 0
    for column in range(packed.shape[1]):
        held += popcount(packed[chosen[0], column])
    return 2 * stretches * held < bits * words


@allocating
def view_states(
    code: int,
    buffer: Words,
    words: int,
    first_fact: int,
    first_move: int,
    over: int,
    goal_rows: int,
    bad_rows: int,
    total: int,
    first_goal: NDArray[np.int64],
    states: Words,
    legal: Words,
    terminal: NDArray[np.bool_],
    goals: NDArray[np.int16],
) -> None:
    """View packed states: fills `legal`, `terminal` and `goals`, which hold -1, as in `Views`.

    The six rows are those of `ViewRows`: one by one, because to pass a record takes longer.
    """
    facts, moves, roles = first_move - first_fact, over - first_move, total - bad_rows
    order = np.arange(len(states))
    ended = np.empty((64 * words, 1), np.uint64)
    for start in range(0, len(states), 64 * words):
        part = order[start : start + 64 * words]
        to_rows(states, part, facts, buffer, words, first_fact)
        run(code, buffer)
        from_rows(buffer, words, first_move, moves, legal[start : start + len(part)])
        from_rows(buffer, words, over, 1, ended[: len(part)])
        for lane in range(len(part)):
            terminal[start + lane] = ended[lane, 0] != 0
        for role in range(roles):
            first, last = first_goal[role], first_goal[role + 1]
            bad = bad_rows + role
            for word in range((len(part) + 63) // 64):
                base = start + 64 * word
                lanes = min(64, len(states) - base)
                several = buffer[bad * words + word]
                some = np.uint64(0)
                for goal in range(first, last):
                    held = buffer[(goal_rows + goal) * words + word]
                    several |= some & held
                    some |= held
                single = some & ~several
                if lanes < 64:
                    single &= (np.uint64(1) << np.uint64(lanes)) - np.uint64(1)
                for goal in range(first, last):
                    held = buffer[(goal_rows + goal) * words + word] & single
                    while held:
                        lowest = held & (np.uint64(0) - held)
                        lane = lowest_bit(lowest)
                        goals[base + lane, role] = goal - first
                        held ^= lowest


@nopython
def _mark(
    first_move: NDArray[np.int64],
    moves: NDArray[np.int32],
    buffer: Words,
    words: int,
    row: int,
    on: bool,
) -> None:
    """Set, or clear, in each lane the rows of its moves, which are clear, from `row` onwards."""
    for lane in range(len(moves)):
        for role in range(len(first_move) - 1):
            place = (row + first_move[role] + moves[lane, role]) * words + (lane >> 6)
            if on:
                buffer[place] |= np.uint64(1) << np.uint64(lane & 63)
            else:
                buffer[place] = 0


@nopython
def _gather(
    sets: Words, first_move: NDArray[np.int64], moves: NDArray[np.int32], done: Words
) -> None:
    """Unite for each lane the packed sets that its moves are in."""
    for lane in range(len(moves)):
        for column in range(sets.shape[1]):
            done[lane, column] = 0
            for role in range(len(first_move) - 1):
                done[lane, column] |= sets[first_move[role] + moves[lane, role], column]


@allocating
def step_states(
    code: int,
    buffer: Words,
    words: int,
    first_row: int,
    does: int,
    following: int,
    total: int,
    first_move: NDArray[np.int64],
    sets: Words,
    states: Words,
    parents: NDArray[np.int64],
    moves: NDArray[np.int32],
    result: Words,
) -> None:
    """Do joint move i in the packed state `parents[i]`, for every i: fills `result`.

    The four rows are those of `StepRows`. The inputs are a row for each move, or, if there are
    `sets`, one for each set of moves; `sets` has for each move, in packed form, those that hold it.
    """
    facts, inputs = total - following, following - does
    lanes = 64 * words
    buffer[first_row * words : following * words] = 0
    clean = True
    order = np.arange(min(lanes, len(moves)))
    done = np.empty((min(lanes, len(moves)), sets.shape[1]), np.uint64)
    for start in range(0, len(moves), lanes):
        part = parents[start : start + lanes]
        made = result[start : start + lanes]
        for lane in range(len(part)):
            parent = part[lane]
            for column in range(states.shape[1]):
                made[lane, column] = states[parent, column]
        spread = _is_spread(states, part, facts, words)
        if spread:
            if not clean:
                buffer[first_row * words : does * words] = 0
            _spread(states, part, buffer, words, first_row, True)
        else:
            to_rows(states, part, facts, buffer, words, first_row)
        clean = spread
        chosen = moves[start : start + lanes]
        if len(sets):
            _gather(sets, first_move, chosen, done)
            to_rows(done, order[: len(part)], inputs, buffer, words, does)
        else:
            _mark(first_move, chosen, buffer, words, does, True)
        run(code, buffer)
        _flip_from_rows(buffer, words, first_row, following, facts, made)
        if spread:
            _spread(states, part, buffer, words, first_row, False)
        if not len(sets):
            _mark(first_move, chosen, buffer, words, does, False)


@allocating
def count_joint_moves(
    legal: Words, terminal: NDArray[np.bool_], first_move: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """Count the joint moves of each state; limit + 1 stands for anything above the limit."""
    counts = np.zeros(len(legal), np.int64)
    for state in range(len(legal)):
        if not terminal[state]:
            counts[state] = 1
            for role in range(len(first_move) - 1):
                first, last = first_move[role], first_move[role + 1]
                own = count_bits(legal[state], first, last)
                counts[state] = min(limit + 1, counts[state] * own)
    return counts


@nopython
def list_joint_moves(
    legal: Words,
    counts: NDArray[np.int64],
    first_move: NDArray[np.int64],
    moves: NDArray[np.int32],
    parents: NDArray[np.int64],
) -> None:
    """List the joint moves of each state, the last role's move varying fastest.

    Fills `moves` and, for each of them, the number of its state.
    """
    begin = 0
    for state in range(len(legal)):
        end = begin + counts[state]
        parents[begin:end] = state
        # each move of a role is repeated `repeat` times, for the choices of the roles after it
        repeat = 1
        for role in range(len(first_move) - 2, -1, -1):
            first, last = first_move[role], first_move[role + 1]
            place = begin
            if begin < end:
                for word in range(first >> 6, (last + 63) >> 6):
                    left = part_of(legal[state], word, first, last)
                    while left:
                        move = 64 * word + lowest_bit(left) - first
                        left &= left - np.uint64(1)
                        for k in range(place, place + repeat):
                            moves[k, role] = move
                        place += repeat
            period = place - begin
            for k in range(place, end):
                moves[k, role] = moves[k - period, role]
            repeat = period
        begin = end


#: Why `play_passes` returned: its passes are made, no lane is active, or one is stuck.
NO_PASSES_LEFT, ALL_ENDED, NO_LEGAL_MOVE = 0, 1, 2


@allocating
def play_passes(
    begin: int,
    code: int,
    buffer: Words,
    words: int,
    places: PassPlaces,
    passes: int,
    cycle: int,
    made: NDArray[np.int64],
    first_goal: NDArray[np.int64],
    numbers: NDArray[np.int64],
    following: NDArray[np.int64],
    born: NDArray[np.int64],
    goals: NDArray[np.int16],
    lengths: NDArray[np.int32],
) -> int:
    """Make passes until that many are made, or no lane is active, or a lane is stuck.

    `made` holds the passes made so far and whether there has been a beginning. `following` is the
    number of each word's next playout; playouts begin every `cycle` passes.
    """
    active, starts = places.active, places.starts
    buffer[places.budget] = np.uint64(passes)
    attention = False
    if made[1] == 0:
        made[1] = 1
        attention = run(begin, buffer) != 0
    while True:
        if attention:
            for word in range(words):
                if buffer[places.stuck + word]:
                    return NO_LEGAL_MOVE
                over = buffer[places.ended + word]
                # of the lanes that ended, only as many go on as may start anew: the lowest
                left = over
                while np.int64(buffer[starts + word]) < 0:
                    highest = left
                    while highest & (highest - np.uint64(1)):
                        highest &= highest - np.uint64(1)
                    left ^= highest
                    buffer[active + word] &= ~highest
                    buffer[starts + word] += np.uint64(1)
                if len(lengths):
                    _note(
                        buffer, words, word, over, active, places.held, made[0], cycle,
                        first_goal, numbers, following, born, goals, lengths,
                    )  # fmt: skip
        some = np.uint64(0)
        for word in range(words):
            some |= buffer[active + word]
        if some == 0:
            return ALL_ENDED
        before = buffer[places.budget]
        if before == 0:
            return NO_PASSES_LEFT
        attention = run(code, buffer) != 0
        made[0] += np.int64(before - buffer[places.budget])


@nopython
def _note(
    buffer: Words,
    words: int,
    word: int,
    over: np.uint64,
    active: int,
    held: int,
    now: int,
    cycle: int,
    first_goal: NDArray[np.int64],
    numbers: NDArray[np.int64],
    following: NDArray[np.int64],
    born: NDArray[np.int64],
    goals: NDArray[np.int16],
    lengths: NDArray[np.int32],
) -> None:
    """Record the playouts of a word that have ended, and number those that begin in their place."""
    left = over
    while left:
        lowest = left & (np.uint64(0) - left)
        left ^= lowest
        lane = 64 * word + lowest_bit(lowest)
        number = numbers[lane]
        lengths[number] = now - born[lane]
        for role in range(len(first_goal) - 1):
            for goal in range(first_goal[role], first_goal[role + 1]):
                if buffer[held + goal * words + word] & lowest:
                    goals[number, role] = goal - first_goal[role]
        if buffer[active + word] & lowest:
            numbers[lane] = following[word]
            following[word] += 1
            born[lane] = (now // cycle + 1) * cycle
