"""The stack of a search for the goal of one role."""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import COUNTERS, FRAME, FRAME_FIELDS, FRAME_VALUES, Stack
from ggp.engine.alphabeta.move_order import MANY
from ggp.engine.stack import FIRST_FRAMES, common_frames, copied, large_arena, more_frames

__all__ = ["grown", "new_stack"]


def new_stack(*, roles: int, moves: int, room: int) -> Stack:
    """Return a stack for a game of so many roles and moves, with an arena of so many words."""
    return Stack(
        **common_frames(fields=FRAME_FIELDS, counters=COUNTERS, roles=roles, room=room),
        values=np.zeros((FIRST_FRAMES, FRAME_VALUES)),
        lines=np.zeros((2, FIRST_FRAMES, FIRST_FRAMES), np.int32),
        scores=np.zeros(MANY, np.int64),
        history=np.zeros(moves, np.int64),
        found=np.zeros(1),
    )


def grown(stack: Stack) -> Stack:
    """Return the stack with more room, after the loop said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    if stack.counters[FRAME] + 2 >= len(stack.frames):
        stack = stack._replace(**more_frames(stack))
        size = len(stack.frames)
        stack = stack._replace(
            values=copied(stack.values, size), lines=copied(stack.lines, 2, size, size)
        )
    return stack._replace(arena=large_arena(stack))
