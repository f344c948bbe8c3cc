"""Beam search: of each layer, only the states that seem nearest to the goal go on.

(Bisiani 1987, "Beam search". What seems near is told by `RelaxedCost`.) A search with a narrow beam
is fast and often fails, so it is repeated with wider and wider beams. In some puzzles all states
seem to be as near, and the time is better spent on more of them: so each beam is tried twice, first
with states that are chosen by chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.engine.puzzle.effects import Effects, SharedEffects
from ggp.engine.puzzle.found import Progress
from ggp.engine.puzzle.layers import Explorer, Found, take
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.relaxed import UNREACHABLE, RelaxedCost
from ggp.native.numba_support import Words

__all__ = ["Beam"]

# The width of the first beam, and how many times as wide each one is as the one before.
_NARROWEST, _FACTOR = 16, 3
# Seconds that a step should take, and the states that are expanded in it at most.
_STEP_SECONDS, _STEP = 0.01, 1 << 12
# The layers of the first search, where the game goes on for longer; each search has twice as many.
_LAYERS = 200


#: What gives the costs of states.
_Estimate: TypeAlias = Callable[[Words], NDArray[np.int32]]


class _MemoryFull(Exception):
    """There is no memory for a wider beam."""


class Beam:
    """Searches with wider and wider beams for the highest goal that seems possible.

    Where a beam has left nothing out, the goal is impossible, and the next lower one is searched.
    """

    def __init__(
        self,
        puzzle: PackedPuzzle,
        start: Words,
        effects: SharedEffects,
        progress: Progress,
        *,
        max_bytes: int,
    ) -> None:
        """Prepare to search.

        Args:
            puzzle: the game.
            start: the state to begin from, not terminal: uint64[1, words].
            effects: what moves do.
            progress: what was found, which the search improves.
            max_bytes: the memory that it may take.
        """
        self._puzzle, self._start, self._effects = puzzle, start, effects
        self._progress = progress
        self._max_bytes = max_bytes
        self._random = np.random.default_rng(0)
        #: States that are expanded in a step.
        self._step = 16
        #: Whether no goal is possible that is higher than that of the best plan.
        self.is_finished = False

    def steps(self) -> Iterator[None]:
        """Search, with a break after each step."""
        effects = yield from self._effects.find()
        if effects is None:
            return
        with suppress(_MemoryFull):
            for goal in sorted(effects.goals, reverse=True):
                if not self._progress.is_better(goal):
                    break
                yield from self._reach(goal, effects)
            self.is_finished = True

    def _reach(self, goal: int, effects: Effects) -> Iterator[None]:
        """Search for a goal until it is reached or proven to be impossible."""
        target = effects.graph.both(effects.terminal, effects.goals[goal])
        cost = RelaxedCost(self._puzzle, effects, target)
        if cost(self._start)[0] == UNREACHABLE:
            return
        width = _NARROWEST
        for number in count():
            for estimate in (_nothing, cost):
                has_left_out = yield from self._search(width, number, estimate)
                if not has_left_out or not self._progress.is_better(goal):
                    return
            width *= _FACTOR

    def _search(self, width: int, number: int, cost: _Estimate) -> Generator[None, None, bool]:
        """Search with a beam of a width; return whether it has left out states."""
        explorer = Explorer(self._puzzle, self._start, self._progress, max_bytes=self._max_bytes)
        layer, has_left_out = explorer.first, False
        for _ in range(_LAYERS << number):
            explorer.begin_layer()
            beam = _Beam(width, self._random)
            while layer:
                began = time.perf_counter()
                part = take(layer, self._progress.allowed(self._step))
                found = explorer.expand(part, held=beam.bytes + sum(part.bytes for part in layer))
                if found is None:
                    raise _MemoryFull
                beam.add(found, cost(found.states))
                self._adapt(len(part.nodes), time.perf_counter() - began)
                yield
            if not beam.count:
                return has_left_out
            layer = [explorer.remember(beam.best())]
            has_left_out = has_left_out or beam.has_left_out
        return True

    def _adapt(self, expanded: int, seconds: float) -> None:
        """Let the next step take about as long as a step should."""
        suitable = int(expanded * _STEP_SECONDS / max(seconds, 1e-6))
        self._step = max(1, min(suitable, 4 * expanded, _STEP))


def _nothing(states: Words) -> NDArray[np.int32]:
    """Return that all states cost the same."""
    return np.zeros(len(states), np.int32)


class _Beam:
    """The states of a layer that cost the least; of equal ones some, by chance."""

    def __init__(self, width: int, random: np.random.Generator) -> None:
        self._width, self._random = width, random
        self._found: list[Found] = []
        self._costs: list[NDArray[np.float64]] = []
        self.count = self.bytes = 0
        self.has_left_out = False

    def add(self, found: Found, costs: NDArray[np.int32]) -> None:
        """Add states, but for those that lead nowhere."""
        is_possible = costs < UNREACHABLE
        found, costs = found.only(is_possible), costs[is_possible]
        if len(costs):
            self._found.append(found)
            self._costs.append(costs + self._random.random(len(costs)))
            self.count += len(costs)
            self.bytes += sum(array.nbytes for array in found)
        if self.count > 4 * self._width:
            self.best()

    def best(self) -> Found:
        """Return the states that cost the least, and leave out all others."""
        arrays = zip(*self._found, strict=True)
        found, costs = Found(*map(np.concatenate, arrays)), np.concatenate(self._costs)
        if len(costs) > self._width:
            self.has_left_out = True
            chosen = np.argpartition(costs, self._width)[: self._width]
            found, costs = found.only(chosen), costs[chosen]
        self._found, self._costs, self.count = [found], [costs], len(costs)
        self.bytes = sum(array.nbytes for array in found)
        return found
