"""An evaluation as the engine's loops want it: weights, ranges of goals, and code that plays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine import horizon_layout
from ggp.engine.horizon_layout import Horizon
from ggp.reasoner.compiled import (
    EXTRA_BITS,
    LARGEST_CODE,
    Assembly,
    Cache,
    Circuit,
    aligned_words,
    assemble_passes,
    layout,
)
from ggp.search import Evaluation

__all__ = ["EvaluationCode"]

# Words in a pass's row, as in the reasoner's own playouts: so both have the same code in the cache.
_LANES = 8

# States whose playouts are remembered: a power of 2.
_REMEMBERED = 1 << 17

# Nanoseconds that the playouts of a batch of states may take, and what a pass takes, roughly: for
# each gate, and for each move, among which is to be chosen; and how many times longer from a table.
_PATIENCE, _PER_GATE, _PER_MOVE, _FROM_A_TABLE = 4e6, 0.7, 2.0, 8

# Nanoseconds that an expansion takes where playouts do, roughly.
_AN_EXPANSION = 10_000

# Playouts that may take no more joint moves than this tell nothing.
_FEWEST_STEPS = 4


class EvaluationCode:
    """The machine code and the memory of an evaluation. Of one thread at a time."""

    def __init__(self, evaluation: Evaluation, circuit: Circuit, *, cache: Cache | None) -> None:
        """Compile the playouts, if there are any, or take their code from the cache.

        Where they would take too long they are cut shorter than the evaluation says; where next to
        nothing would be left of them, the engine does without, and goals and mobility decide.
        """
        steps = min(evaluation.steps, int(_PATIENCE / _nanoseconds(circuit)))
        if steps < min(_FEWEST_STEPS, evaluation.steps):
            evaluation = evaluation.without_playouts
        #: It must live as long as its addresses are in use.
        self._code = (
            assemble_passes(circuit, words=_LANES, cache=cache) if evaluation.playouts else None
        )
        numbers, entries, batch = np.zeros(horizon_layout.NUMBERS, np.int64), 1, 1
        if self._code is not None:
            _address(self._code, circuit, numbers)
            share = min(_LANES, -(-evaluation.count // 64))
            numbers[horizon_layout.SHARE], numbers[horizon_layout.STEPS] = share, steps
            cost = 1 + int(steps * _nanoseconds(circuit) / _AN_EXPANSION)
            numbers[horizon_layout.COST] = cost
            entries, batch = _REMEMBERED, _LANES // share
        roles = range(len(circuit.roles))
        lowest, highest = np.array([evaluation.range_of(role) for role in roles], np.float64).T
        self.horizon = Horizon(
            weights=np.array(evaluation.shares),
            goals=np.array([lowest, highest - lowest]),
            values=np.array([evaluation.limits_of(role) for role in roles], np.float64).T.copy(),
            numbers=numbers,
            buffer=aligned_words(1) if self._code is None else self._code.buffer,
            keys=np.full((entries, 2), ~np.uint64(0)),
            means=np.zeros((entries, len(roles))),
            batch=np.zeros(batch, np.int64),
        )


def _address(code: Assembly, circuit: Circuit, numbers: NDArray[np.int64]) -> None:
    """Write where the functions of a pass are, and the rows of its buffer."""
    rows = layout(circuit, EXTRA_BITS)
    numbers[horizon_layout.BEGIN] = code.addresses["begin"]
    numbers[horizon_layout.RUN] = code.addresses["run"]
    numbers[horizon_layout.LANES] = _LANES
    numbers[horizon_layout.BUDGET] = rows.budget
    numbers[horizon_layout.ACTIVE] = rows.active
    numbers[horizon_layout.ENDED] = rows.ended
    numbers[horizon_layout.FORCED] = rows.forced
    numbers[horizon_layout.STUCK] = rows.stuck
    numbers[horizon_layout.STARTS] = rows.starts
    numbers[horizon_layout.GENERATOR] = rows.generator.start
    numbers[horizon_layout.STATE] = rows.state.start
    numbers[horizon_layout.SCORES] = rows.scores.start


def _nanoseconds(circuit: Circuit) -> float:
    """Return how long a pass takes, roughly."""
    gates, moves = len(circuit.gates), sum(map(len, circuit.moves))
    nanoseconds = _PER_GATE * gates + _PER_MOVE * moves + 1
    return nanoseconds * _FROM_A_TABLE if gates > LARGEST_CODE else nanoseconds
