"""Breadth-first search on packed states: a shortest plan, or the proof that none is better."""

from __future__ import annotations

from collections.abc import Iterator

from ggp.engine.puzzle.found import Progress
from ggp.engine.puzzle.layers import Explorer, Part, take
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.native.numba_support import Words

__all__ = ["BreadthFirst"]

# Children that are made in one step, about.
_STEP = 1 << 14


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
        self._explorer = Explorer(puzzle, start, progress, max_bytes=max_bytes)
        self._progress, self._depth = progress, depth
        #: Whether all states to the given depth have been seen, and whether there are others.
        self.is_complete = self.is_cut = False

    @property
    def is_finished(self) -> bool:
        """Whether no plan is better than the best one so far."""
        return self.is_complete and not self.is_cut

    @property
    def size(self) -> int:
        """The states that are remembered."""
        return self._explorer.size

    def steps(self) -> Iterator[None]:
        """Search, with a break after each step."""
        layer, ply, size = self._explorer.first, 0, 1
        while layer:
            if ply == self._depth:
                self.is_cut = True
                break
            ply += 1
            self._explorer.begin_layer()
            following: list[Part] = []
            held = sum(part.bytes for part in layer)
            while layer:
                part = take(layer, self._progress.allowed(size))
                generated = self._progress.generated
                found = self._explorer.expand(part, held=held)
                if found is None:
                    return
                if len(found.states):
                    following.append(self._explorer.remember(found))
                    held += following[-1].bytes
                held -= part.bytes
                expanded = len(part.nodes)
                suitable = _STEP * expanded // max(1, self._progress.generated - generated)
                size = max(1, min(suitable, 4 * expanded))
                yield
            layer = following[::-1]
        self.is_complete = True
