"""Breadth-first search on packed states: a shortest plan, or the proof that there is no better one.

The facts of a clock (`FactKinds`) are the same in all states of a layer. As long as they have
values that they have never had before, no state of a layer was met in an earlier one, and the
set of states that were met holds this layer's alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.puzzle.found import Nodes, Progress
from ggp.engine.puzzle.packed import Children, PackedPuzzle
from ggp.engine.puzzle.states import StateSet
from ggp.reasoner.compiled import Words

__all__ = ["BreadthFirst"]

# Children that are made in one step, about.
_STEP = 1 << 14


class _Part(NamedTuple):
    """States of a layer that are not terminal, their legal moves, and their nodes."""

    states: Words
    legal: Words
    nodes: NDArray[np.int64]

    @property
    def bytes(self) -> int:
        return self.states.nbytes + self.legal.nbytes + self.nodes.nbytes

    def cut(self, begin: int, end: int | None = None) -> _Part:
        """Return those of the states from `begin` on, up to `end`."""
        return _Part(self.states[begin:end], self.legal[begin:end], self.nodes[begin:end])


class BreadthFirst:
    """Expands all states that are one move from the beginning, then all that are two, and so on."""

    def __init__(
        self,
        puzzle: PackedPuzzle,
        start: Words,
        progress: Progress,
        *,
        max_bytes: int,
        depth: int | None = None,
    ) -> None:
        """Prepare to search.

        Args:
            puzzle: the game.
            start: the state to begin from, not terminal: uint64[1, words].
            progress: what was found, which the search improves.
            max_bytes: the memory that it may take; it gives up where that is not enough.
            depth: how many moves to look ahead; None for the end of the game.
        """
        self._puzzle, self._start, self._progress = puzzle, start, progress
        self._max_bytes, self._depth = max_bytes, depth
        self._met, self._nodes = StateSet(puzzle.clock | puzzle.others), Nodes()
        self._clocks = {(start & puzzle.clock).tobytes()}
        self._size = 1
        #: Whether all states to the given depth have been seen, and whether there are others.
        self.is_finished = self.is_cut = False

    @property
    def size(self) -> int:
        """The states that are remembered."""
        return len(self._met)

    def steps(self) -> Iterator[None]:
        """Search, with a break after each step."""
        layer = [_Part(self._start, self._puzzle.look(self._start).legal, np.zeros(1, np.int64))]
        self._met.add(self._start)
        ply = 0
        while layer:
            if ply == self._depth:
                self.is_cut = True
                break
            ply += 1
            following: list[_Part] = []
            is_begun, held = False, sum(part.bytes for part in layer)
            while layer:
                part = _take(layer, self._progress.allowed(self._size))
                children = self._puzzle.children(part.states, part.legal)
                self._note(len(part.states), len(children.states), ply)
                if not is_begun and len(children.states):
                    is_begun = True
                    self._begin_layer(children.states[0])
                added = len(children.states)
                if held + self._nodes.bytes + self._met.bytes_with(added) > self._max_bytes:
                    return
                new = self._expand(part, children)
                held += new.bytes - part.bytes
                if len(new.nodes):
                    following.append(new)
                yield
            layer = following[::-1]
        self.is_finished = True

    def _begin_layer(self, state: Words) -> None:
        """Forget the layers before if the clock tells that none of their states can return."""
        clock = (state & self._puzzle.clock).tobytes()
        if clock not in self._clocks:
            self._clocks.add(clock)
            self._met.clear()

    def _expand(self, part: _Part, children: Children) -> _Part:
        """Return those of the children that are new and not terminal."""
        new = self._met.add(children.states)
        self._progress.met_again += len(new) - int(new.sum())
        states = children.states[new]
        nodes = self._nodes.add(part.nodes[children.parents[new]], children.moves[new])
        look = self._puzzle.look(states)
        ends = np.flatnonzero(look.terminal)
        if len(ends):
            best = ends[look.goals[ends].argmax()]
            if self._progress.is_better(goal := int(look.goals[best])):
                self._progress.improve(goal, self._nodes.line(int(nodes[best])))
        going_on = ~look.terminal & look.legal.any(axis=1)
        return _Part(states[going_on], look.legal[going_on], nodes[going_on])

    def _note(self, expanded: int, generated: int, ply: int) -> None:
        """Count, and let the next step make about as many children as a step should."""
        progress = self._progress
        progress.expanded += expanded
        progress.generated += generated
        progress.depth = max(progress.depth, ply)
        suitable = _STEP * expanded // max(1, generated)
        self._size = max(1, min(suitable, 4 * expanded))


def _take(layer: list[_Part], count: int) -> _Part:
    """Take about so many of the last states of a layer, and at least one."""
    taken = [layer.pop()]
    total = len(taken[0].nodes)
    while layer and total < count:
        taken.append(layer.pop())
        total += len(taken[-1].nodes)
    part = taken[0]
    if len(taken) > 1:
        part = _Part(
            np.concatenate([part.states for part in taken]),
            np.concatenate([part.legal for part in taken]),
            np.concatenate([part.nodes for part in taken]),
        )
    if total > count:
        layer.append(part.cut(count))
        part = part.cut(0, count)
    return part
