"""Where the compiled loops find how states at the horizon are estimated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled import Words

__all__ = ["NUMBERS", "OF_GOALS", "OF_MOBILITY", "OF_PLAYOUTS", "Horizon"]

# Places in `Horizon.numbers`: addresses of code, words in a row of the buffer, words for a state,
# joint moves of a playout at most, what a batch costs in expansions, roughly; and rows of the
# buffer (see `ggp.reasoner.compiled.runtime.pass_program.Rows`).
(BEGIN, RUN, LANES, SHARE, STEPS, COST, BUDGET, ACTIVE, ENDED, FORCED, STUCK, STARTS, GENERATOR,
 STATE, SCORES, NUMBERS) = range(16)  # fmt: skip
# Places in `Horizon.weights`.
OF_GOALS, OF_MOBILITY, OF_PLAYOUTS = range(3)


class Horizon(NamedTuple):
    """An evaluation, and what it found of the states that were estimated lately."""

    #: float64[3]: the weights, which add up to 1; see the names above.
    weights: NDArray[np.float64]
    #: float64[2, roles]: each role's lowest goal, and how much more its highest is; the same of the
    #: estimates, which stay strictly between the two.
    goals: NDArray[np.float64]
    values: NDArray[np.float64]
    #: int64[NUMBERS]: see the names above; all 0 without playouts.
    numbers: NDArray[np.int64]
    #: What the passes work in.
    buffer: Words
    #: uint64[any power of 2, 2] and float64[as many, roles]: the keys of states, and for each role
    #: the mean progress from its lowest goal to its highest at the end of playouts from there.
    keys: Words
    means: NDArray[np.float64]
    #: int64[any]: the children that are played out together.
    batch: NDArray[np.int64]
