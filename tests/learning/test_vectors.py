"""Operations on rows of units, inside compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from ggp.learning.vectors import UNITS, add, leak, subtract
from ggp.native.numba_support import nopython

LIMITS = np.iinfo(np.int16)
#: Units of int16, of which sums are often beyond the limits.
SHORTS = arrays(
    np.int16,
    UNITS,
    elements=st.one_of(
        st.integers(int(LIMITS.min), int(LIMITS.max)),
        st.sampled_from([int(LIMITS.min), int(LIMITS.max)]),
    ),
)
#: Units of float32 on both sides of 0 and of 1.
FLOATS = arrays(np.float32, UNITS, elements=st.sampled_from([-9, -1, -0.5, 0, 0.5, 1, 1.5, 9]))


@nopython
def added(target: NDArray[Any], source: NDArray[np.int16]) -> None:
    add(target, 0, source, 0)


@nopython
def subtracted(target: NDArray[Any], source: NDArray[np.int16]) -> None:
    subtract(target, 0, source, 0)


@nopython
def leaked(slopes: NDArray[np.float32], sums: NDArray[np.float32]) -> None:
    leak(slopes, 0, sums, 0, np.float32(0.25))


@given(SHORTS, SHORTS)
def test_sums_of_shorts_stop_at_the_limits(
    first: NDArray[np.int16], second: NDArray[np.int16]
) -> None:
    for function, exact in (
        (added, first.astype(int) + second),
        (subtracted, first.astype(int) - second),
    ):
        target = first.copy()
        function(target, second)
        assert (target == np.clip(exact, LIMITS.min, LIMITS.max)).all()


@given(SHORTS, SHORTS)
def test_sums_of_ints_are_exact(first: NDArray[np.int16], second: NDArray[np.int16]) -> None:
    for function, exact in (
        (added, first.astype(np.int32) + second),
        (subtracted, first.astype(np.int32) - second),
    ):
        target = first.astype(np.int32)
        function(target, second)
        assert (target == exact).all()


@given(FLOATS, FLOATS)
def test_outside_of_0_to_1_only_slopes_that_lead_back_are_left(
    slopes: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    found = slopes.copy()
    leaked(found, sums)
    for given_slope, total, slope in zip(slopes, sums, found, strict=True):
        if 0 <= total <= 1:
            assert slope == given_slope
        elif (total > 1) == (given_slope > 0):  # a descent along it lowers what is above
            assert slope == given_slope * np.float32(0.25)
        else:
            assert slope == 0
