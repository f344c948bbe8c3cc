"""The stack of a max-n search of the engine."""

from __future__ import annotations

import numpy as np

from ggp.engine.maxn.layout import (
    CHOICE,
    CHOICE_FIELDS,
    COUNTERS,
    FRAME_FIELDS,
    NEEDED_SLOTS,
    NODE,
    RULE,
    SPECULATIVE,
    Rules,
    Stack,
)
from ggp.engine.stack import (
    FIRST_FRAMES,
    check_size,
    common_frames,
    copied,
    large_arena,
    more_frames,
)

__all__ = ["grown", "new_stack"]

_FIRST_SLOTS = 1024


def new_stack(rules: Rules, *, room: int) -> Stack:
    """Return a stack for searches by these rules, with an arena of so many words."""
    roles, words = len(rules.highest), len(rules.everything)
    frames, choices = FIRST_FRAMES, 2 * FIRST_FRAMES
    entries = max(1, roles - 1) if rules.numbers[RULE] == SPECULATIVE else 1
    return Stack(
        **common_frames(fields=FRAME_FIELDS, counters=COUNTERS, roles=roles, room=room),
        possible=np.tile(rules.everything, (frames, 1)),
        choices=np.zeros((choices, CHOICE_FIELDS), np.int64),
        boxes=np.zeros((choices, roles)),
        best=np.zeros((choices, roles)),
        held=np.zeros(choices),
        path_roles=np.zeros((choices, entries), np.int64),
        path_held=np.zeros((choices, entries)),
        lines=np.zeros((choices, frames), np.int32),
        slots=np.zeros(_FIRST_SLOTS, np.int8),
        slot_rows=np.zeros((_FIRST_SLOTS, words), np.uint64),
        slot_boxes=np.zeros((_FIRST_SLOTS, roles)),
        value=np.zeros(roles),
        rows=np.zeros(words, np.uint64),
        box=np.zeros(roles),
        some_box=np.zeros(roles),
    )


def grown(stack: Stack, rules: Rules) -> Stack:
    """Return the stack with more room, after the loop said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    counters, roles = stack.counters, len(rules.highest)
    choice = int(counters[CHOICE])
    if stack.choices[choice, NODE] + 2 >= len(stack.frames):
        stack = stack._replace(**more_frames(stack))
        size = len(stack.frames)
        possible = np.tile(rules.everything, (size, 1))
        possible[: len(stack.possible)] = stack.possible
        stack = stack._replace(possible=possible, lines=copied(stack.lines, len(stack.lines), size))
    if choice + roles + 3 > len(stack.choices):
        size = 4 * len(stack.choices) + roles
        by_choice = ("choices", "boxes", "best", "held", "path_roles", "path_held", "lines")
        stack = stack._replace(**{name: copied(getattr(stack, name), size) for name in by_choice})
    needed = int(counters[NEEDED_SLOTS])
    if needed > len(stack.slots):
        check_size(needed * (stack.slot_rows.itemsize * stack.slot_rows.shape[1] + 8 * roles))
        by_slot = ("slots", "slot_rows", "slot_boxes")
        stack = stack._replace(
            **{name: copied(getattr(stack, name), 2 * needed) for name in by_slot}
        )
    return stack._replace(arena=large_arena(stack))
