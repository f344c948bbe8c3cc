"""An evaluation in the form that the engine's loops read: weights, ranges, code that plays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import LARGEST_CODE
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.playout import assemble_passes
from ggp.engine.layout import GoalRange, Horizon, HorizonNumbers, Net, new_record, records
from ggp.learning.partners import Partners
from ggp.learning.vectors import UNITS, aligned
from ggp.native.cache import Cache
from ggp.native.numba_support import aligned_words
from ggp.search import Evaluation, ValueNet

__all__ = ["EvaluationCode", "nanoseconds"]

# Words in a row of a pass, as in the playouts of the reasoner: both use the same cached code.
_ROW_WORDS = 8

# How many states to remember the playouts of: a power of 2.
_REMEMBERED = 1 << 17

# Nanoseconds that the playouts of a batch of states may take, and roughly those of a pass: for each
# gate, and for each move to choose among; and how many times longer a pass from a table takes.
_PATIENCE, _PER_GATE, _PER_MOVE, _FROM_A_TABLE = 4e6, 0.7, 2.0, 2

# Roughly the nanoseconds of an expansion, by which the cost of playouts is counted.
_AN_EXPANSION = 10_000

# Playouts that are cut after fewer joint moves say too little.
_FEWEST_STEPS = 4


class EvaluationCode:
    """The machine code and the memory of an evaluation; for one thread at a time."""

    def __init__(self, evaluation: Evaluation, circuit: Circuit, *, cache: Cache | None) -> None:
        """Compile the playouts, if there are any, or take their code from the cache.

        Playouts that would take too long are cut shorter than the evaluation says; if next to
        nothing would be left of them, the engine plays none, and goals and mobility decide. A
        network needs none.
        """
        if evaluation.net is not None:
            evaluation = evaluation.without_playouts
        steps = min(evaluation.steps, int(_PATIENCE / nanoseconds(circuit)))
        if steps < min(_FEWEST_STEPS, evaluation.steps):
            evaluation = evaluation.without_playouts
        #: Kept, because its addresses are in use.
        self._code = (
            assemble_passes(circuit, words=_ROW_WORDS, cache=cache) if evaluation.playouts else None
        )
        numbers, entries, batch = new_record(HorizonNumbers), 1, 1
        numbers.of_goals, numbers.of_mobility, numbers.of_playouts = evaluation.shares
        if self._code is not None:
            numbers.begin_code = self._code.addresses["begin"]
            numbers.run_code = self._code.addresses["run"]
            numbers.examine_code = self._code.addresses["examine"]
            numbers.row_words = _ROW_WORDS
            numbers.share, numbers.steps = min(_ROW_WORDS, -(-evaluation.count // 64)), steps
            numbers.cost = 1 + int(steps * nanoseconds(circuit) / _AN_EXPANSION)
            entries, batch = _REMEMBERED, _ROW_WORDS // numbers.share
        roles = len(circuit.roles)
        ranges = records(GoalRange, roles)
        for role, goals in enumerate(ranges):
            lowest, highest = evaluation.range_of(role)
            goals.lowest, goals.span = lowest, highest - lowest
            goals.lowest_estimate, goals.estimate_span = evaluation.limits_of(role)
        self.horizon = Horizon(
            numbers=numbers,
            ranges=ranges,
            buffer=aligned_words(1) if self._code is None else self._code.buffer,
            places=PassRows.of(circuit).places(_ROW_WORDS),
            keys=np.full((entries, 2), ~np.uint64(0)),
            means=np.zeros((entries, roles)),
            batch=np.zeros(batch, np.int64),
            net=_net(evaluation.net, circuit),
        )
        numbers.hidden = len(self.horizon.net.sums)


def _net(net: ValueNet | None, circuit: Circuit) -> Net:
    """Return a network that looks at the state without facts; one without hidden units for None."""
    facts, roles = len(circuit.facts), len(circuit.roles)
    if net is None:
        net = ValueNet.of_layers(
            circuit.roles, (), weights=np.zeros((0, 0)), bias=np.zeros(0),
            outputs=np.zeros((roles, 0)), output_bias=np.zeros(roles),
        )  # fmt: skip
    missing = -len(net.bias) % UNITS
    weights, pairs = net.rows_of(circuit.facts)

    def filled(rows: NDArray[np.int16]) -> NDArray[np.int16]:
        return aligned(np.pad(rows, ((0, 0), (0, missing))).reshape(-1))

    return Net(
        weights=filled(weights),
        partners=Partners.of(pairs, facts=facts, begin=facts),
        outputs=filled(net.outputs),
        output_bias=net.output_bias,
        state=np.zeros(-(-facts // 64), np.uint64),
        sums=aligned(np.pad(net.bias, (0, missing))),
    )


def nanoseconds(circuit: Circuit) -> float:
    """Return roughly how long a pass takes, of 512 lanes."""
    gates, moves = len(circuit.gates), len(circuit.legal)
    nanoseconds = _PER_GATE * gates + _PER_MOVE * moves + 1
    return nanoseconds * _FROM_A_TABLE if gates > LARGEST_CODE else nanoseconds
