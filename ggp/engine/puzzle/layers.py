"""What searches by layers share: how states are expanded, and what is remembered of them.

The facts of a clock (`FactKinds`) are the same in all states of a layer. As long as they have
values that they have never had before, no state of a layer was met in an earlier one, and the set
of states that were met holds this layer's alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.engine.puzzle.found import Nodes, Progress
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.states import StateSet
from ggp.native.numba_support import Words

__all__ = ["Explorer", "Found", "Part", "take"]


class Part(NamedTuple):
    """States of a layer that are not terminal, their legal moves, and their nodes."""

    states: Words
    legal: Words
    nodes: NDArray[np.int64]

    @property
    def bytes(self) -> int:
        """The memory that they take."""
        return self.states.nbytes + self.legal.nbytes + self.nodes.nbytes

    def cut(self, begin: int, end: int | None = None) -> Part:
        """Return those of the states from `begin` on, up to `end`."""
        return Part(self.states[begin:end], self.legal[begin:end], self.nodes[begin:end])


class Found(NamedTuple):
    """States of the next layer, met for the first time and not terminal."""

    states: Words
    legal: Words
    #: The node that each one follows, and by which move.
    parents: NDArray[np.int64]
    moves: NDArray[np.int32]

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Found:
        """Return some of the states."""
        return Found(
            self.states[chosen], self.legal[chosen], self.parents[chosen], self.moves[chosen]
        )


class Explorer:
    """Expands states, and remembers those that were met, and the ways to some of them."""

    def __init__(
        self, puzzle: PackedPuzzle, start: Words, progress: Progress, *, max_bytes: int
    ) -> None:
        """Begin from a state that is not terminal, uint64[1, words].

        Args:
            puzzle: the game.
            start: the state.
            progress: what was found, which is improved.
            max_bytes: the memory that may be taken.
        """
        self._puzzle, self._progress, self._max_bytes = puzzle, progress, max_bytes
        self._met, self._nodes = StateSet(puzzle.clock | puzzle.others), Nodes()
        self._met.add(start)
        self._clocks = {(start & puzzle.clock).tobytes()}
        #: The layer that holds the state alone.
        self.first = [Part(start, puzzle.look(start).legal, np.zeros(1, np.int64))]
        self._ply = 0
        self._is_begun = False

    @property
    def size(self) -> int:
        """The states that are remembered."""
        return len(self._met)

    def begin_layer(self) -> None:
        """Expand the states of the next layer from now on."""
        self._ply += 1
        self._is_begun = False
        self._progress.depth = max(self._progress.depth, self._ply)

    def expand(self, part: Part, *, held: int) -> Found | None:
        """Return what follows some states of a layer and was not met before.

        Terminal states are left out, and improve what was found.

        Args:
            part: the states.
            held: the bytes that the caller takes.

        Returns:
            The states; None if there is not enough memory.
        """
        progress = self._progress
        children = self._puzzle.children(part.states, part.legal)
        progress.expanded += len(part.states)
        progress.generated += len(children.states)
        if not self._is_begun and len(children.states):
            self._is_begun = True
            self._forget_layers(children.states[0])
        taken = self._nodes.bytes + self._met.bytes_with(len(children.states)) + held
        if taken > self._max_bytes:
            return None
        new = self._met.add(children.states)
        states, moves = children.states[new], children.moves[new]
        progress.met_again += len(new) - len(states)
        look = self._puzzle.look(states)
        found = Found(states, look.legal, part.nodes[children.parents[new]], moves)
        ends = np.flatnonzero(look.terminal)
        if len(ends):
            best = ends[look.goals[ends].argmax()]
            if progress.is_better(goal := int(look.goals[best])):
                line = self._nodes.line(int(found.parents[best]))
                progress.improve(goal, [*line, int(moves[best])])
        return found.only(~look.terminal & look.legal.any(axis=1))

    def remember(self, found: Found) -> Part:
        """Return states as a part of their layer, and remember the ways to them."""
        return Part(found.states, found.legal, self._nodes.add(found.parents, found.moves))

    def _forget_layers(self, state: Words) -> None:
        """Forget the layers before if the clock tells that none of their states can return."""
        clock = (state & self._puzzle.clock).tobytes()
        if clock not in self._clocks:
            self._clocks.add(clock)
            self._met.clear()


def take(layer: list[Part], count: int) -> Part:
    """Take the last `count` states of a layer, or all if it has fewer."""
    taken = [layer.pop()]
    total = len(taken[0].nodes)
    while layer and total < count:
        taken.append(layer.pop())
        total += len(taken[-1].nodes)
    part = taken[0] if len(taken) == 1 else _joined(taken)
    if total > count:
        layer.append(part.cut(count))
        part = part.cut(0, count)
    return part


def _joined(parts: Sequence[Part]) -> Part:
    return Part(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.legal for part in parts]),
        np.concatenate([part.nodes for part in parts]),
    )
