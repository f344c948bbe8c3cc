"""The loops of training, compiled by numba, run without the GIL."""

from __future__ import annotations

from math import exp, log1p

import numpy as np
from numpy.typing import NDArray

from ggp.learning.partners import Partners, holds
from ggp.learning.vectors import (
    UNITS,
    add,
    add_rows,
    add_scaled,
    add_to_rows,
    copy,
    cut,
    dot,
    leak,
)
from ggp.native.numba_support import Words, lowest_bit, nopython, prefetch, signed

__all__ = ["add_slopes", "descend"]

#: The factor of a slope that leads a hidden unit's sum back to the range from 0 to 1. Slopes that
#: lead further away are dropped: the output does not change there, so nothing would limit the
#: growth. A larger factor keeps more units within the range, where the network is linear.
_LEAK = np.float32(0.005)

#: How many samples ahead memory is asked for the next ones.
_AHEAD = 8

#: Adam's (Kingma & Ba 2015) rates of decay, and what it adds to a root.
_FIRST, _SECOND, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


@nopython
def _look(
    state: Words,
    partners: Partners,
    places: NDArray[np.int32],
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
    scratch: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> int:
    """Fill the first row of `scratch` with a state's sums, the second with its hidden units.

    Returns:
        How many inputs count, facts and pairs; `rows` has where their weights begin.
    """
    hidden, count = len(bias), 0
    for column in range(len(state)):
        left = state[column]
        while left:
            fact = 64 * column + lowest_bit(left)
            left &= left - np.uint64(1)
            rows[count] = places[fact] * hidden
            count += 1
            for pair in range(partners.first[fact], partners.first[fact + 1]):
                other = signed(partners.others[pair])
                if other < fact and holds(state, other):
                    rows[count] = places[partners.rows[pair]] * hidden
                    count += 1
    for unit in range(0, hidden, UNITS):
        copy(scratch, unit, bias, unit)
        add_rows(scratch, unit, weights, unit, rows, count)
        cut(scratch, hidden + unit, scratch, unit)
    return count


@nopython
def _output(
    scratch: NDArray[np.float32], outputs: NDArray[np.float32], role: int, bias: np.float32
) -> np.float32:
    """Return what the logistic function is taken of."""
    hidden = len(scratch) // 3
    total = bias
    for unit in range(0, hidden, UNITS):
        total += dot(scratch, hidden + unit, outputs, role * hidden + unit)
    return total


@nopython
def add_slopes(
    samples: NDArray[np.int64],
    images: NDArray[np.int64],
    symmetries: NDArray[np.int32],
    kept: Words,
    targets: NDArray[np.float32],
    partners: Partners,
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
    outputs: NDArray[np.float32],
    output_bias: NDArray[np.float32],
    weight_slopes: NDArray[np.float32],
    bias_slopes: NDArray[np.float32],
    output_slopes: NDArray[np.float32],
    output_bias_slopes: NDArray[np.float32],
    scratch: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> tuple[float, float]:
    """Add the slopes of the mean cross entropy over some samples.

    Arrays:
        samples: the numbers of the samples.
        images: for each, the number of the symmetry whose image of it is learned.
        symmetries: int32[symmetries, rows]: the fact or pair that each one becomes.
        weights: float32[rows * hidden], and so on, as of `Layers`; the slopes are like them.
        scratch: float32[3 * hidden], and `rows`, int64[rows].

    Returns:
        The mean cross entropy, and how many inputs count in a sample on average.
    """
    hidden, roles, loss, inputs = len(bias), len(output_bias), 0.0, 0
    slopes = 2 * hidden
    for number in range(len(samples)):
        ahead = samples[min(number + _AHEAD, len(samples) - 1)]
        prefetch(kept, ahead * kept.shape[1])
        prefetch(targets, ahead * roles)
        sample, places = samples[number], symmetries[images[number]]
        count = _look(kept[sample], partners, places, weights, bias, scratch, rows)
        inputs += count
        for unit in range(hidden):
            scratch[slopes + unit] = np.float32(0)
        for role in range(roles):
            output = _output(scratch, outputs, role, output_bias[role])
            target = targets[sample, role]
            small = exp(-abs(output))
            value = (1.0 if output > 0 else small) / (1.0 + small)
            loss += max(output, 0.0) - target * output + log1p(small)
            slope = np.float32((value - target) / len(samples))
            output_bias_slopes[role] += slope
            for unit in range(0, hidden, UNITS):
                add_scaled(output_slopes, role * hidden + unit, scratch, hidden + unit, slope)
                add_scaled(scratch, slopes + unit, outputs, role * hidden + unit, slope)
        for unit in range(0, hidden, UNITS):
            leak(scratch, slopes + unit, scratch, unit, _LEAK)
            add(bias_slopes, unit, scratch, slopes + unit)
            add_to_rows(weight_slopes, unit, scratch, slopes + unit, rows, count)
    return loss / (len(samples) * roles), inputs / len(samples)


@nopython
def descend(
    values: NDArray[np.float32],
    slopes: NDArray[np.float32],
    means: NDArray[np.float32],
    squares: NDArray[np.float32],
    rate: float,
    step: int,
) -> None:
    """Take a step of Adam, the first of which has the number 1, and set the slopes to 0."""
    one = np.float32(1)
    length = np.float32(rate / (1 - 0.9**step))
    scale = np.float32(1 / (1 - 0.999**step))
    for place in range(len(values)):
        slope = slopes[place]
        means[place] = _FIRST * means[place] + (one - _FIRST) * slope
        squares[place] = _SECOND * squares[place] + (one - _SECOND) * slope * slope
        values[place] -= length * means[place] / (np.sqrt(squares[place] * scale) + _TINY)
        slopes[place] = np.float32(0)
