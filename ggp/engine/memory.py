"""What a search of the engine works in: a stack that grows as needed, and a table of fixed size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.engine import loops
from ggp.errors import ReasonerMemory
from ggp.reasoner.compiled.loops import aligned_words
from ggp.search.recursion import MAX_PLIES

__all__ = [
    "FIRST_TABLE_BYTES",
    "MAX_STACK_BYTES",
    "grown",
    "is_filling",
    "new_stack",
    "new_table",
]

#: Bytes that the states on the way from the root, and their children, may take.
MAX_STACK_BYTES = 1 << 30

_FIRST_FRAMES, _MAX_FRAMES = 130, MAX_PLIES + 3

# What tells that a state cannot be on the path looks at 12 bits of its hash.
_ON_PATH = 1 << 12


#: Bytes that the table begins with: small searches need no more, and are quicker with less.
FIRST_TABLE_BYTES = 2 << 20


def new_table(size: int) -> loops.Table:
    """Return an empty table of so many bytes, but of one bucket at least."""
    per_bucket = 8 * loops.ENTRIES * loops.ENTRY_WORDS
    buckets = max(1, size // per_bucket)
    words = np.zeros((buckets * loops.ENTRIES, loops.ENTRY_WORDS), np.uint64)
    return loops.Table(words, words.view(np.float64))


def is_filling(table: loops.Table, held: int) -> bool:
    """Return whether entries are about to replace each other."""
    return held > len(table.words) // 8


def new_stack(*, roles: int, moves: int, room: int) -> loops.Stack:
    """Return a stack for a game of so many roles and moves, with an arena of so many words."""
    return loops.Stack(
        frames=np.zeros((_FIRST_FRAMES, loops.FRAME_FIELDS), np.int64),
        values=np.zeros((_FIRST_FRAMES, loops.FRAME_VALUES)),
        keys=np.zeros((_FIRST_FRAMES, 2), np.uint64),
        turns=np.zeros((_FIRST_FRAMES, 2, roles), np.int64),
        lines=np.empty((2, _FIRST_FRAMES, _FIRST_FRAMES), np.int32),
        arena=aligned_words(room),
        scores=np.zeros(loops.MANY, np.int64),
        history=np.zeros(moves, np.int64),
        on_path=np.zeros(_ON_PATH, np.uint16),
        counters=np.zeros(loops.COUNTERS, np.int64),
        found=np.zeros(1),
    )


def grown(stack: loops.Stack) -> loops.Stack:
    """Return the stack with more room, after the loop said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    counters = stack.counters
    if counters[loops.FRAME] + 2 >= len(stack.frames):
        size = min(4 * len(stack.frames), _MAX_FRAMES)
        stack = stack._replace(
            frames=_copied(stack.frames, size),
            values=_copied(stack.values, size),
            keys=_copied(stack.keys, size),
            turns=_copied(stack.turns, size),
            lines=_copied_lines(stack.lines, size),
        )
    needed = int(counters[loops.NEEDED])
    if needed > len(stack.arena):
        if 8 * needed > MAX_STACK_BYTES:
            raise ReasonerMemory(
                f"the states between the root of the search and where it is, with their children, "
                f"take more than {MAX_STACK_BYTES >> 20} MB"
            )
        arena = aligned_words(min(2 * needed, MAX_STACK_BYTES // 8))
        arena[: len(stack.arena)] = stack.arena
        stack = stack._replace(arena=arena)
    return stack


def _copied(array: NDArray[Any], rows: int) -> NDArray[Any]:
    larger = np.zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _copied_lines(lines: NDArray[np.int32], frames: int) -> NDArray[np.int32]:
    # Most of it is never written to, and takes no memory.
    larger = np.empty((2, frames, frames), np.int32)
    larger[:, : lines.shape[1], : lines.shape[2]] = lines
    return larger
