"""What one thread of a tree search has to itself: machine code, its buffers, and lanes."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.playout import assemble_passes
from ggp.engine.game import GameCode
from ggp.engine.layout import FULL
from ggp.engine.mcts import loop
from ggp.engine.mcts.layout import Tree
from ggp.engine.mcts.memory import WORDS, new_lanes
from ggp.engine.stack import expansion_stack, large_arena
from ggp.native.cache import Cache
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.settings import SearchSettings

__all__ = ["Worker"]


class Worker:
    """Explores a tree, perhaps beside others; one thread at a time uses it."""

    def __init__(
        self,
        compiled: CompiledReasoner,
        settings: SearchSettings,
        tree: Tree,
        *,
        words: int,
        seed: int,
    ) -> None:
        """Prepare to explore.

        Args:
            compiled: the machine code of the game.
            settings: what to search for.
            tree: the tree as this worker sees it.
            words: a pass makes 64 * words children; 1, 4 or 8.
            seed: of the playouts.
        """
        self.tree = tree
        circuit = compiled.circuit
        #: Kept, because their addresses are in use.
        self._code = GameCode(circuit, words=words, cache=Cache())
        self._passes = assemble_passes(circuit, words=WORDS, cache=Cache())
        self._game = self._code.new_game(settings, has_table=False)
        self._lanes = new_lanes(circuit, self._passes, seed=seed)
        self._stack = expansion_stack(roles=len(circuit.roles), room=self._code.room)
        #: The processor time of `explore`.
        self._seconds = 0.0

    @property
    def playouts(self) -> int:
        """How many playouts have ended."""
        return int(self._lanes.numbers.simulations)

    @property
    def effort(self) -> NDArray[np.float64]:
        """The seconds of processor time, the visits and the playouts so far."""
        return np.array([self._seconds, self.tree.own.visits, self.playouts])

    def begin(self) -> None:
        """Count visits from 0."""
        own = self.tree.own
        own.visits = own.counted = own.expanded = own.transpositions = own.deepest = 0

    def explore(self, turns: int) -> int:
        """Search for some turns of the loop; return why it ended. Raises `ReasonerMemory`."""
        began = time.thread_time()
        what = loop.explore(self._game, self._stack, self.tree, self._lanes, turns)
        self._seconds += time.thread_time() - began
        if what == FULL:
            self._stack = self._stack._replace(arena=large_arena(self._stack))
        return what

    def abandon(self) -> None:
        """Take back the visits that are under way."""
        loop.abandon(self.tree, self._lanes)
