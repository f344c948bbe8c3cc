"""One thread's part of a search for one role: the game's code, limits, and a stack of its own."""

from __future__ import annotations

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.engine.alphabeta import loop
from ggp.engine.alphabeta.layout import RoleCounters, RoleFrame, Stack
from ggp.engine.alphabeta.limits import new_limits
from ggp.engine.alphabeta.move_order import EFFECTS, MANY
from ggp.engine.game import GameCode
from ggp.engine.layout import Game, new_record
from ggp.engine.stack import FIRST_FRAMES, common_stack, copied, large_arena, more_frames
from ggp.engine.transposition_table import Table
from ggp.native.numba_support import Words
from ggp.search.settings import SearchSettings

__all__ = ["Explorer"]


class Explorer:
    """Runs the compiled loop over a stack; for one thread at a time."""

    def __init__(
        self,
        code: GameCode,
        game: Game,
        settings: SearchSettings,
        circuit: Circuit,
        *,
        announced: Words,
    ) -> None:
        """Prepare to search.

        Args:
            code: the machine code of the game, with the buffers of this thread.
            game: the game as the search sees it, of this code.
            settings: what to search for.
            circuit: the game.
            announced: what the threads tell each other, see `sharing`.
        """
        #: Kept, because its addresses are in use.
        self._code = code
        self.game = game
        self.limits = new_limits(settings, circuit)
        self.stack = Stack(
            **common_stack(RoleFrame, roles=len(circuit.roles), room=code.room),
            counters=new_record(RoleCounters),
            lines=np.zeros((2, FIRST_FRAMES, FIRST_FRAMES), np.int32),
            scores=np.zeros(MANY, np.int64),
            history=np.zeros(code.moves + EFFECTS, np.int64),
            found=np.zeros(1),
            announced=announced,
        )

    def place(self, state: Words, remaining: int) -> None:
        """Begin to search a packed state, `remaining` joint moves ahead."""
        loop.place_root(self.game, self.limits, self.stack, state, remaining)

    def explore(self, table: Table, pause: int) -> int:
        """Run the loop until `pause` nodes are expanded at most; return why it ended."""
        explore = loop.explore_within if len(self.limits.goals) else loop.explore
        return explore(self.game, self.limits, self.stack, table, pause)

    def grow(self) -> None:
        """Give the stack more room, after the loop said that it is FULL."""
        stack = self.stack
        if stack.counters.frame + 2 >= len(stack.frames):
            stack = stack._replace(**more_frames(stack))
            size = len(stack.frames)
            stack = stack._replace(lines=copied(stack.lines, 2, size, size))
        self.stack = stack._replace(arena=large_arena(stack))

    def adopt(self, other: Explorer) -> None:
        """Take what another thread has found as the end of this one's search."""
        stack, counters, found = self.stack, self.stack.counters, other.stack.counters
        counters.frame = 0
        counters.found_proven, counters.found_move = found.found_proven, found.found_move
        counters.found_length = found.found_length
        counters.deepest = max(counters.deepest, found.deepest)
        counters.met_horizon |= found.met_horizon
        stack.found[:] = other.stack.found
        if other.stack.lines.shape > stack.lines.shape:
            self.stack = stack = stack._replace(lines=other.stack.lines.copy())
        stack.lines[0, 1, : found.found_length] = other.stack.lines[0, 1, : found.found_length]
