"""The stack that a search of the engine works on, which grows as needed."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import (
    Counters,
    Frame,
    Records,
    SearchStack,
    new_record,
    records,
)
from ggp.errors import ReasonerMemory
from ggp.native.numba_support import Words, aligned_words, aligned_zeros
from ggp.recursion import MAX_PLIES

__all__ = [
    "FIRST_FRAMES",
    "MAX_STACK_BYTES",
    "CommonStack",
    "ExpansionStack",
    "check_size",
    "common_stack",
    "copied",
    "expansion_stack",
    "large_arena",
    "more_frames",
]

#: Bytes that the states on the way from the root, and their children, may take.
MAX_STACK_BYTES = 1 << 30

#: How many frames a stack begins with.
FIRST_FRAMES = 130
_MAX_FRAMES = MAX_PLIES + 3

# The test that a state cannot be on the path looks at 10 bits of its hash.
_ON_PATH = 1 << 10


class CommonStack(TypedDict):
    """The arrays of `ggp.engine.layout.SearchStack`."""

    frames: Any
    counts: NDArray[np.int64]
    strides: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]


def common_stack(frame: type[Frame], *, roles: int, room: int) -> CommonStack:
    """Return what every stack has.

    Args:
        frame: the type of its frames.
        roles: of the game.
        room: words of 64 bits in the arena.
    """
    return CommonStack(
        frames=records(frame, FIRST_FRAMES),
        counts=np.zeros((FIRST_FRAMES, roles), np.int64),
        strides=np.zeros((FIRST_FRAMES, roles), np.int64),
        arena=aligned_words(room),
        on_path=np.zeros(_ON_PATH, np.uint16),
    )


class ExpansionStack(NamedTuple):
    """What `ggp.engine.node.expand` needs for one expansion at a time."""

    #: [any]
    frames: Records[Frame]
    #: int64[frames, roles], both.
    counts: NDArray[np.int64]
    strides: NDArray[np.int64]
    #: uint64[room]
    arena: Words
    #: uint16[any power of 2]
    on_path: NDArray[np.uint16]
    counters: Counters


def expansion_stack(*, roles: int, room: int) -> ExpansionStack:
    """Return a stack for any number of single expansions.

    Args:
        roles: of the game.
        room: words of 64 bits in the arena.
    """
    stack = ExpansionStack(
        **common_stack(Frame, roles=roles, room=room), counters=new_record(Counters)
    )
    stack.counters.limit = np.iinfo(np.int64).max
    return stack


def more_frames(stack: SearchStack) -> dict[str, Any]:
    """Return larger copies of what every stack has for each frame."""
    size = min(4 * len(stack.frames), _MAX_FRAMES)
    by_frame = ("frames", "counts", "strides")
    return {name: copied(getattr(stack, name), size) for name in by_frame}


def large_arena(stack: SearchStack) -> Words:
    """Return an arena with as much room as the loop needs, after it said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    needed, arena = int(stack.counters.needed), stack.arena
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


def copied(array: Any, *lengths: int) -> Any:
    """Return a copy with these lengths of the first dimensions; what is new is 0."""
    larger = aligned_zeros(array.dtype, *lengths, *array.shape[len(lengths) :])
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger
