"""How threads share a search: each leaves for later what another one has begun.

All threads search the same tree with the same transposition table. Near the root, a thread
announces the node that it searches. Another one that comes to it tries the other moves of the
parent first, except for the first move, which all search. When it comes back, the table usually has
the value (Weill 1996, "The ABDADA distributed minimax search algorithm", with the announcements
apart from the table).
"""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import Stack
from ggp.native.numba_support import inlined, signed

__all__ = ["ANNOUNCEMENTS", "LATER", "announce", "is_left_for_later", "withdraw"]

#: What becomes of a child that is tried again after its siblings.
LATER = 8

#: How many nodes can be announced: a power of 2.
ANNOUNCEMENTS = 1 << 12

# Frames below this one are not announced: what they take is less than what it costs to share them.
_NEAR = 16


@inlined
def announce(stack: Stack, frame: int, mixed: np.uint64) -> None:
    """Tell the other threads that this one searches the node of a hash."""
    if len(stack.announced) > 1 and frame < _NEAR:
        stack.announced[mixed & np.uint64(len(stack.announced) - 1)] = mixed


@inlined
def withdraw(stack: Stack, frame: int, mixed: np.uint64) -> None:
    """Tell the other threads that the search of a node has ended."""
    if len(stack.announced) > 1 and frame < _NEAR:
        place = mixed & np.uint64(len(stack.announced) - 1)
        if stack.announced[place] == mixed:
            stack.announced[place] = np.uint64(0)


@inlined
def is_left_for_later(stack: Stack, frame: int, mixed: np.uint64) -> bool:
    """Return whether the present child of a frame now comes after its siblings.

    It does if another thread searches it, unless it comes first, or has been left before.
    """
    if len(stack.announced) == 1 or frame == 0 or frame + 1 >= _NEAR:
        return False
    row, arena = stack.frames[frame], stack.arena
    place, count = max(row.own_at, row.reply_at), max(row.own_count, row.reply_count)
    if row.order == 0 or place == 0 or place >= count - 1 - row.later:
        return False
    if stack.announced[mixed & np.uint64(len(stack.announced) - 1)] != mixed:
        return False
    at, last = row.order + 2 * signed(place), row.order + 2 * signed(count - 1)
    child, move = arena[at], arena[at + 1]
    while at < last:
        arena[at], arena[at + 1] = arena[at + 2], arena[at + 3]
        at += 2
    arena[last], arena[last + 1] = child, move
    row.later += 1
    return True
