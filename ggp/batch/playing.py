"""Random playouts from many states at once.

Each lane of a pass belongs to one state. It plays a number of playouts that is fixed beforehand,
each to its end, so that the means favour neither short games nor long ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ggp.batch.loops import ALL_ENDED, NO_LEGAL_MOVE, play_states
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.loops import to_rows
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.playout import assemble_passes, limit_steps
from ggp.compiler.runtime.turns import Turns, find_turns, no_turns
from ggp.errors import GameError
from ggp.native.cache import Cache
from ggp.native.numba_support import Words

__all__ = ["StatePlayouts"]

# Words in a row of a pass, as in the playouts of the reasoner: both use the same cached code.
_WORDS = 8
_LANES = 64 * _WORDS

# Passes between two moments at which Ctrl-C can end the playouts.
_STRETCH = 1 << 14

_ALL = np.uint64(2**64 - 1)
# Lanes start anew as long as this number of starts is not spent.
_MANY = np.uint64(1 << 62)


class StatePlayouts:
    """Plays at random. It holds a buffer, so one thread at a time uses it."""

    def __init__(
        self,
        circuit: Circuit,
        *,
        cache: Cache | None,
        turns: Callable[[Circuit], Turns] = find_turns,
    ) -> None:
        """Compile the passes of a circuit, or take their code from the cache.

        Args:
            circuit: what to play.
            cache: where compiled code is kept; None compiles anew.
            turns: finds the facts that are certain at each turn.
        """
        self._circuit, self._cache = circuit, cache
        self._turns = turns(circuit)
        self._code = assemble_passes(circuit, words=_WORDS, cache=cache, turns=turns)
        self._rows = PassRows.of(circuit)
        self._matrix = self._code.buffer.reshape(-1, _WORDS)
        self._places = self._rows.places(_WORDS)
        self._first_goal = circuit.first_goal
        values = [goal for goals in circuit.goals for goal, _ in goals]
        self._goals = np.array(values, np.float64)

    def means(
        self, states: Words, *, count: int, generator: np.random.Generator, max_steps: int | None
    ) -> NDArray[np.float32]:
        """Play from each state, uint64[n, words], `count` times; see `Game.playouts`."""
        if not self._turns.has(states).all():
            return self._anywhere.means(
                states, count=count, generator=generator, max_steps=max_steps
            )
        sums = np.zeros((len(states), len(self._first_goal) - 1))
        share = max(1, min(count, _LANES // max(1, len(states))))
        quotas = count // share + (np.arange(share) < count % share)
        owners = np.repeat(np.arange(len(states)), share)
        left = np.tile(quotas - 1, len(states))
        for begin in range(0, len(owners), _LANES):
            part = slice(begin, begin + _LANES)
            self._prepare(states, owners[part], generator, max_steps)
            self._play(owners[part], left[part], sums)
        return (sums / count).astype(np.float32)

    @cached_property
    def _anywhere(self) -> StatePlayouts:
        """Playouts from states that are not in the cycle: only states that no game reaches."""
        return StatePlayouts(self._circuit, cache=self._cache, turns=no_turns)

    def _prepare(
        self,
        states: Words,
        owners: NDArray[np.int64],
        generator: np.random.Generator,
        max_steps: int | None,
    ) -> None:
        rows, matrix = self._rows, self._matrix
        matrix[rows.counters] = 0
        matrix[rows.scores.start : rows.scores.stop] = 0
        if max_steps == 0:
            matrix[rows.forced] = _ALL
        elif max_steps is not None:
            limit_steps(matrix, rows, max_steps)
        used = np.arange(_LANES) < len(owners)
        matrix[rows.active] = np.packbits(used, bitorder="little").view(np.uint64)
        matrix[rows.starts], matrix[rows.watched] = _MANY, _ALL
        to_rows(states, owners, len(rows.start), self._code.buffer, _WORDS, rows.start.start)
        size = (len(rows.generator), _WORDS)
        matrix[rows.generator.start : rows.generator.stop] = generator.integers(
            0, 2**64, size, np.uint64
        )

    def _play(
        self, owners: NDArray[np.int64], left: NDArray[np.int64], sums: NDArray[np.float64]
    ) -> None:
        code, is_new = self._code, True
        while True:
            status = play_states(
                code.addresses["begin"], code.addresses["run"], code.buffer, _WORDS, self._places,
                _STRETCH, is_new, self._first_goal, self._goals, owners, left, sums,
            )  # fmt: skip
            if status == NO_LEGAL_MOVE:
                raise GameError("a role has no legal move in a state that is not terminal")
            if status == ALL_ENDED:
                return
            is_new = False
