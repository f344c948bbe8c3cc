"""What a max-n search of the engine works in: a stack that grows, and a table of fixed size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.engine import loops, maxn_loops
from ggp.engine.memory import MAX_STACK_BYTES
from ggp.errors import ReasonerMemory
from ggp.reasoner.compiled.loops import Words, aligned_words
from ggp.search.recursion import MAX_PLIES

__all__ = ["grown", "new_stack", "new_table"]

_FIRST_FRAMES, _MAX_FRAMES = 130, MAX_PLIES + 3
_FIRST_SLOTS = 1024

# What tells that a state cannot be on the path looks at 12 bits of its hash.
_ON_PATH = 1 << 12


def new_table(size: int, *, roles: int, stored: int) -> loops.Table:
    """Return an empty table of so many bytes, but of one bucket at least.

    Args:
        size: bytes.
        roles: how many there are.
        stored: how many words of a set are kept.
    """
    per_entry = 3 + roles + stored
    buckets = max(1, size // (8 * loops.ENTRIES * per_entry))
    words = np.zeros((buckets * loops.ENTRIES, per_entry), np.uint64)
    return loops.Table(words, words.view(np.float64))


def new_stack(rules: maxn_loops.Rules, *, room: int) -> maxn_loops.Stack:
    """Return a stack for searches by these rules, with an arena of so many words."""
    roles, words = len(rules.order), len(rules.everything)
    frames, choices = _FIRST_FRAMES, 2 * _FIRST_FRAMES
    is_speculative = rules.numbers[maxn_loops.RULE] == maxn_loops.SPECULATIVE
    entries = max(1, roles - 1) if is_speculative else 1
    return maxn_loops.Stack(
        frames=np.zeros((frames, loops.FRAME_FIELDS), np.int64),
        keys=np.zeros((frames, 2), np.uint64),
        turns=np.zeros((frames, 2, roles), np.int64),
        arena=aligned_words(room),
        on_path=np.zeros(_ON_PATH, np.uint16),
        counters=np.zeros(maxn_loops.ALL_COUNTERS, np.int64),
        possible=_repeated(rules.everything, frames),
        choices=np.zeros((choices, maxn_loops.CHOICE_FIELDS), np.int64),
        boxes=np.zeros((choices, roles)),
        best=np.zeros((choices, roles)),
        held=np.zeros(choices),
        path_roles=np.zeros((choices, entries), np.int64),
        path_held=np.zeros((choices, entries)),
        lines=np.empty((choices, frames), np.int32),
        slots=np.zeros(_FIRST_SLOTS, np.int8),
        slot_rows=np.empty((_FIRST_SLOTS, words), np.uint64),
        slot_boxes=np.empty((_FIRST_SLOTS, roles)),
        value=np.zeros(roles),
        rows=np.zeros(words, np.uint64),
        box=np.zeros(roles),
        some_box=np.zeros(roles),
    )


def grown(stack: maxn_loops.Stack, rules: maxn_loops.Rules) -> maxn_loops.Stack:
    """Return the stack with more room, after the loop said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    counters, roles = stack.counters, len(rules.order)
    choice = int(counters[maxn_loops.CHOICE])
    if stack.choices[choice, maxn_loops.NODE] + 2 >= len(stack.frames):
        size = min(4 * len(stack.frames), _MAX_FRAMES)
        possible = _repeated(rules.everything, size)
        possible[: len(stack.possible)] = stack.possible
        lines = np.empty((len(stack.choices), size), np.int32)
        lines[:, : stack.lines.shape[1]] = stack.lines
        stack = stack._replace(
            frames=_copied(stack.frames, size),
            keys=_copied(stack.keys, size),
            turns=_copied(stack.turns, size),
            possible=possible,
            lines=lines,
        )
    if choice + roles + 3 > len(stack.choices):
        size = 4 * len(stack.choices) + roles
        stack = stack._replace(
            choices=_copied(stack.choices, size),
            boxes=_copied(stack.boxes, size),
            best=_copied(stack.best, size),
            held=_copied(stack.held, size),
            path_roles=_copied(stack.path_roles, size),
            path_held=_copied(stack.path_held, size),
            lines=_copied(stack.lines, size),
        )
    needed = int(counters[maxn_loops.NEEDED_SLOTS])
    if needed > len(stack.slots):
        _check(needed * (stack.slot_rows.itemsize * stack.slot_rows.shape[1] + 8 * roles))
        stack = stack._replace(
            slots=_copied(stack.slots, 2 * needed),
            slot_rows=_copied(stack.slot_rows, 2 * needed),
            slot_boxes=_copied(stack.slot_boxes, 2 * needed),
        )
    needed = int(counters[loops.NEEDED])
    if needed > len(stack.arena):
        _check(8 * needed)
        arena = aligned_words(min(2 * needed, MAX_STACK_BYTES // 8))
        arena[: len(stack.arena)] = stack.arena
        stack = stack._replace(arena=arena)
    return stack


def _check(size: int) -> None:
    if size > MAX_STACK_BYTES:
        raise ReasonerMemory(
            f"the states between the root of the search and where it is, with their children, "
            f"take more than {MAX_STACK_BYTES >> 20} MB"
        )


def _repeated(row: Words, count: int) -> Words:
    return np.tile(row, (count, 1))


def _copied(array: NDArray[Any], rows: int) -> NDArray[Any]:
    # Most of it is never written to, and takes no memory.
    larger = np.zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
