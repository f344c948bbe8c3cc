"""The stack that a search of the engine works on, which grows as needed."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import KEY_WORDS, NEEDED, Frames
from ggp.errors import ReasonerMemory
from ggp.reasoner.compiled import Words, aligned_words
from ggp.recursion import MAX_PLIES

__all__ = [
    "FIRST_FRAMES",
    "MAX_STACK_BYTES",
    "CommonFrames",
    "check_size",
    "common_frames",
    "copied",
    "large_arena",
    "more_frames",
]

#: Bytes that the states on the way from the root, and their children, may take.
MAX_STACK_BYTES = 1 << 30

#: How many frames a stack begins with.
FIRST_FRAMES = 130
_MAX_FRAMES = MAX_PLIES + 3

# What tells that a state cannot be on the path looks at 10 bits of its hash.
_ON_PATH = 1 << 10


class CommonFrames(TypedDict):
    """The arrays of `ggp.engine.layout.Frames`."""

    frames: NDArray[np.int64]
    keys: Words
    turns: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: NDArray[np.int64]


def common_frames(*, fields: int, counters: int, roles: int, room: int) -> CommonFrames:
    """Return what every stack has, with so many fields a frame and an arena of so many words."""
    return CommonFrames(
        frames=np.zeros((FIRST_FRAMES, fields), np.int64),
        keys=np.zeros((FIRST_FRAMES, KEY_WORDS), np.uint64),
        turns=np.zeros((FIRST_FRAMES, 2, roles), np.int64),
        arena=aligned_words(room),
        on_path=np.zeros(_ON_PATH, np.uint16),
        counters=np.zeros(counters, np.int64),
    )


def more_frames(stack: Frames) -> dict[str, NDArray[Any]]:
    """Return more of what every stack has for each frame."""
    size = min(4 * len(stack.frames), _MAX_FRAMES)
    return {
        "frames": copied(stack.frames, size),
        "keys": copied(stack.keys, size),
        "turns": copied(stack.turns, size),
    }


def large_arena(stack: Frames) -> Words:
    """Return an arena with as much room as the loop needs, after it said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    needed, arena = int(stack.counters[NEEDED]), stack.arena
    if needed <= len(arena):
        return arena
    check_size(8 * needed)
    larger = aligned_words(min(2 * needed, MAX_STACK_BYTES // 8))
    larger[: len(arena)] = arena
    return larger


def check_size(size: int) -> None:
    """Raise `ReasonerMemory` if a part of the stack would be larger than it may be."""
    if size > MAX_STACK_BYTES:
        raise ReasonerMemory(
            f"the states between the root of the search and where it is, with their children, "
            f"take more than {MAX_STACK_BYTES >> 20} MB"
        )


def copied(array: NDArray[Any], *lengths: int) -> NDArray[Any]:
    """Return a copy whose first dimensions have these lengths: most of it is never written to."""
    larger = np.zeros((*lengths, *array.shape[len(lengths) :]), array.dtype)
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger
