"""Sets of rows of the leaf-value table, and lower bounds, in compiled code.

The tests of `ggp.search.classifiers`, where a value that is above all bounds is *inside* them;
`ggp.engine.maxn.layout` says what a set is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import Game
from ggp.engine.maxn.layout import LINEAR, TABLE, UNCLASSIFIED, Rules
from ggp.engine.row_filter import assign, find_rows, insert, recall
from ggp.native.numba_support import Words, inlined, lowest_bit, nopython, signed

__all__ = [
    "BEYOND",
    "add_value",
    "add_within",
    "clear",
    "excludes",
    "find_possible",
    "is_above",
    "is_within",
    "move_below",
    "restrict",
    "unite",
]

#: More than any rank.
BEYOND = 1 << 30

# Splits a floating-point number into halves of 26 bits each (Dekker 1971).
_SPLIT = 134217729.0

# More than the error of a sum of goals with weights.
_NEAR = 1e-6


@inlined
def _rank(rules: Rules, role: int, floor: float) -> int:
    """Return the highest rank of a role that is not above its bound; -2 for no bound."""
    if floor < 0:
        return -2
    return signed(rules.ranks[role, signed(min(floor, 100.0))])


@nopython
def is_within(rules: Rules, rows: Words, bounds: NDArray[np.float64]) -> bool:
    """Return whether any of some rows may be inside the bounds: `ClassifierTest.within`."""
    kind = rules.numbers.classifier
    if kind == TABLE:
        return _has_row_within(rules, rows, bounds)
    if kind == LINEAR:
        return _has_ranks_within(rules, rows, bounds)
    return bool(kind == UNCLASSIFIED or _has_means_within(rules, rows, bounds))


@inlined
def is_above(rules: Rules, rows: Words, role: int, floor: float) -> bool:
    """Return whether any of some rows may give one role more than its bound.

    It is `is_within` with a single bound: of the means, that of the role's best row.
    """
    kind = rules.numbers.classifier
    if kind == LINEAR:
        bounds = rules.some_bounds
        bounds[:] = -np.inf
        bounds[role] = floor
        return _has_ranks_within(rules, rows, bounds)
    if kind == TABLE:
        rank, some = _rank(rules, role, floor), np.uint64(0)
        for word in range(len(rows)):
            above = ~np.uint64(0)
            if rank > -2:
                above = rules.above[rules.first_above[role] + rank + 1, word]
            some |= rows[word] & above
        return bool(some != 0)
    number = 0 if rules.numbers.tested == 1 else 1 + role
    height = signed(rows[number])
    return bool(height >= 0 and (floor < 0 or floor - height < -rules.numbers.rounding))


@inlined
def _has_row_within(rules: Rules, rows: Words, bounds: NDArray[np.float64]) -> bool:
    """Return whether any of some rows is inside the bounds: `TableTest` (Sturtevant 2005)."""
    _note_ranks(rules, bounds)
    for word in range(len(rows)):
        left = rows[word] & _above_ranks(rules, word)
        if left:
            return True
    return False


@inlined
def _note_ranks(rules: Rules, bounds: NDArray[np.float64]) -> None:
    """Write each role's rank of its bound into `values`."""
    for role in range(len(rules.order)):
        rules.values[role] = _rank(rules, role, bounds[role])


@inlined
def _above_ranks(rules: Rules, word: int) -> np.uint64:
    """Return the rows, of one word of them, in which each role has more than its rank noted."""
    rows = ~np.uint64(0)
    for role in range(len(rules.order)):
        if rules.values[role] > -2:
            rows &= rules.above[rules.first_above[role] + rules.values[role] + 1, word]
    return rows


@inlined
def _has_ranks_within(rules: Rules, rows: Words, bounds: NDArray[np.float64]) -> bool:
    """Return whether possible ranks may be inside the bounds: `LinearTest` (Korf 1991)."""
    roles, is_bounded, total = len(rules.order), False, signed(0)
    for role in range(roles):
        rank, low = _rank(rules, role, bounds[role]), signed(rows[role])
        if rank >= signed(rows[roles + role]):
            return False
        total += max(rank + rules.numbers.is_discrete, low)
        is_bounded |= rank >= low
    maxsum = signed(rows[2 * roles])
    if rules.numbers.is_discrete:
        return bool(total <= maxsum)
    return bool(not is_bounded or total < maxsum)


@inlined
def _has_means_within(rules: Rules, rows: Words, bounds: NDArray[np.float64]) -> bool:
    """Return whether means of rows may be inside the bounds: `MeanTest`.

    They may if no weighted sum of the bounds reaches the most that a row has. Where a sum is near,
    it is found exactly.
    """
    if signed(rows[0]) < 0:
        return False
    for number in range(rules.numbers.tested):
        total, is_bounded = 0.0, False
        for role in range(len(bounds)):
            weight, floor = rules.normals[number, role], bounds[role]
            if weight and floor >= 0:
                is_bounded = True
                total += weight * floor
        height = signed(rows[number])
        if is_bounded and total > height - _NEAR and _reaches(rules, number, bounds, height):
            return False
    return True


@nopython
def _reaches(rules: Rules, number: int, bounds: NDArray[np.float64], height: int) -> bool:
    """Return whether the exact sum of bounds by a normal is as high as this.

    The sum is `high + low`: a bound is split into two parts, so that their products with a weight
    are exact, and what is lost when `high` is rounded goes into `low`.
    """
    high, low = 0.0, 0.0
    for role in range(len(bounds)):
        weight, floor = rules.normals[number, role], bounds[role]
        if weight and floor >= 0:
            large = _SPLIT * floor
            head = large - (large - floor)
            for part in (weight * head, weight * (floor - head)):
                total = high + part
                added = total - high
                low += (high - (total - added)) + (part - added)
                high = total
    return bool((high - height) + low >= -rules.numbers.rounding)


@inlined
def move_below(rules: Rules, rows: Words, vector: NDArray[np.float64]) -> None:
    """Scale an estimate down where it promises more than any mean of some rows.

    It is `MeanTest.moved`.
    """
    roles, scale = len(vector), 1.0
    for role in range(roles):
        vector[role] = min(vector[role], max(0.0, float(signed(rows[1 + role]))))
    for number in range(len(rules.normals)):
        total, height = 0.0, max(0.0, float(signed(rows[number])))
        for role in range(roles):
            total += rules.normals[number, role] * vector[role]
        if total > height:
            scale = min(scale, height / total)
    if scale < 1.0:
        for role in range(roles):
            vector[role] *= scale * (1 - 1e-12)


@nopython
def excludes(
    rules: Rules, rows: Words, outer: NDArray[np.float64], bounds: NDArray[np.float64]
) -> bool:
    """Return whether a value among rows, not inside the outer bounds, cannot be inside the bounds.

    It is `ClassifierTest.excludes`.
    """
    is_covered = True
    for role in range(len(bounds)):
        is_covered &= outer[role] <= bounds[role]
    return bool(is_covered or not is_within(rules, rows, bounds))


@nopython
def restrict(rules: Rules, rows: Words, bounds: NDArray[np.float64]) -> None:
    """Remove the rows that are not inside the bounds from a set; others are."""
    if rules.numbers.classifier == TABLE:
        _note_ranks(rules, bounds)
        for word in range(len(rows)):
            rows[word] &= _above_ranks(rules, word)


@nopython
def add_within(rules: Rules, target: Words, rows: Words, bounds: NDArray[np.float64]) -> None:
    """Add the rows that are inside the bounds to a set; there are some."""
    if rules.numbers.classifier != TABLE:
        unite(rules, target, rows)
        return
    _note_ranks(rules, bounds)
    for word in range(len(rows)):
        target[word] |= rows[word] & _above_ranks(rules, word)


@nopython
def clear(rules: Rules, target: Words) -> None:
    """Make a set empty."""
    roles = len(rules.order)
    if not rules.numbers.at_leaves:
        target[:] = ~np.uint64(0)
        return
    target[:] = np.uint64(0)
    if rules.numbers.classifier == LINEAR:
        for role in range(roles):
            target[role] = np.uint64(BEYOND)
            target[roles + role] = np.uint64(-BEYOND)
        target[2 * roles] = np.uint64(-BEYOND)


@nopython
def unite(rules: Rules, target: Words, rows: Words) -> None:
    """Add rows to a set."""
    if not rules.numbers.at_leaves:
        for word in range(len(rows)):
            target[word] = np.uint64(max(signed(target[word]), signed(rows[word])))
        return
    if rules.numbers.classifier != LINEAR:
        for word in range(len(rows)):
            target[word] |= rows[word]
        return
    roles = len(rules.order)
    for word in range(len(rows)):
        old, new = signed(target[word]), signed(rows[word])
        target[word] = np.uint64(min(old, new) if word < roles else max(old, new))


@nopython
def add_value(rules: Rules, target: Words, vector: NDArray[np.float64]) -> None:
    """Add the row of a value to a set."""
    if rules.numbers.classifier != TABLE:
        unite(rules, target, rules.anything)
        return
    roles = len(vector)
    for role in range(roles):
        rules.values[role] = _rank(rules, role, vector[role])
    begin, end = 0, len(rules.vectors)
    while begin < end:
        middle, order = (begin + end) // 2, 0
        for role in range(roles):
            if order == 0:
                order = rules.vectors[middle, role] - rules.values[role]
        if order == 0:
            insert(target, middle)
            return
        if order < 0:
            begin = middle + 1
        else:
            end = middle
    insert(target, len(rules.vectors))


@nopython
def find_possible(
    game: Game, rules: Rules, arena: Words, block: int, lane: np.uint64, found: Words
) -> None:
    """Find the rows that leaves below the state in a lane can have: `MaxN.possible`."""
    slot, is_known = recall(game, rules.links, arena, block, lane)
    if not is_known:
        bits = rules.links.bits
        find_rows(rules.links, rules.numbers.is_literal)
        if rules.numbers.is_upper:
            _widen(rules, bits)
        _from_bits(rules, bits, rules.memo[slot])
    assign(found, rules.memo[slot])


@nopython
def _widen(rules: Rules, bits: Words) -> None:
    """Add the rows in which no role has more than in the best of the rows for it."""
    some_bits = rules.links.some_bits
    assign(some_bits, bits)
    assign(bits, rules.links.everything)
    for role in range(len(rules.order)):
        for row in range(rules.first_above[role], rules.first_above[role + 1]):
            some = np.uint64(0)
            for word in range(len(bits)):
                some |= some_bits[word] & rules.above[row, word]
            if not some:
                for word in range(len(bits)):
                    bits[word] &= ~rules.above[row, word]
                break


@nopython
def _from_bits(rules: Rules, bits: Words, target: Words) -> None:
    """Give a set of rows the form of the classifier."""
    roles, at_leaves = len(rules.order), rules.numbers.at_leaves
    if at_leaves and rules.numbers.classifier != LINEAR:
        assign(target, bits)
        return
    clear(rules, target)
    for word in range(len(bits)):
        left = bits[word]
        while left:
            row, total = 64 * word + lowest_bit(left), signed(0)
            left &= left - np.uint64(1)
            if not at_leaves:
                for number in range(len(target)):
                    height = max(signed(target[number]), rules.row_heights[row, number])
                    target[number] = np.uint64(height)
                continue
            for role in range(roles):
                rank = rules.vectors[row, role]
                total += rank
                target[role] = np.uint64(min(signed(target[role]), rank))
                target[roles + role] = np.uint64(max(signed(target[roles + role]), rank))
            target[2 * roles] = np.uint64(max(signed(target[2 * roles]), total))
