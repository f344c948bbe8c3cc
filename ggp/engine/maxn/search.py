"""The engine's max-n, and its prunings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ggp.engine.layout import ENDLESS, Frame, new_record, records
from ggp.engine.maxn import loop
from ggp.engine.maxn.layout import SPECULATIVE, Choice, MaxNCounters, Rules, Stack
from ggp.engine.maxn.rules import new_rules, stored_words
from ggp.engine.resources import Resources
from ggp.engine.search import EngineSearch
from ggp.engine.stack import (
    FIRST_FRAMES,
    check_size,
    common_stack,
    copied,
    large_arena,
    more_frames,
)
from ggp.graph import GameGraph
from ggp.native.numba_support import Words
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import ValueVector
from ggp.search.classifiers import decisive
from ggp.search.leaf_values import Classifier
from ggp.search.result import tidy
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Found

__all__ = ["MaxNEngine"]

# The options of all choices on the path for which a stack has room at first.
_FIRST_SLOTS = 1024


class MaxNEngine(EngineSearch):
    """Max-n, or one of its prunings, over the machine code of a game.

    Without a table it finds and counts what the reference does, with one difference: means over
    chance, which are fractions in the reference, are rounded at the ninth digit after the point
    unless they are multiples of 1 / 60^5. With a table value and move are those of plain max-n. The
    moves are never sorted: of equally good ones the first is taken, so that another order would
    change the result.
    """

    _stack: Stack

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search; the arguments are those of `EngineSearch`."""
        super().__init__(
            graph,
            settings,
            compiled,
            replace(resources, ordered=False),
            value_words=len(graph.roles) + stored_words(settings),
        )
        self._rules = self._new_rules(at_leaves=False)
        self._stack = _new_stack(self._rules, room=self._code.room)
        self._load()

    def _new_rules(self, *, at_leaves: bool) -> Rules:
        return new_rules(self.settings, self._compiled.circuit, at_leaves=at_leaves)

    def _place(self, state: Words, remaining: int) -> None:
        at_leaves = self.settings.asks_leaves(is_endless=remaining == ENDLESS)
        if at_leaves != self._rules.numbers.at_leaves:
            self._rules = self._new_rules(at_leaves=at_leaves)
            counters, stack = self._stack.counters, _new_stack(self._rules, room=self._code.room)
            self._stack = stack._replace(counters=counters)
        loop.place_root(self._game, self._rules, self._stack, state, remaining)

    def _explore(self, pause: int) -> int:
        return loop.explore(self._game, self._rules, self._stack, self._memory.table, pause)

    def _grow(self) -> None:
        self._stack = _grown(self._stack, self._rules)

    def _classifier(self) -> Classifier:
        at_leaves = bool(self._rules.numbers.at_leaves)
        return decisive(self.leaf_values, self.settings.classifier, at_leaves=at_leaves)

    def _found(self) -> Found[tuple[float, ...]]:
        counters = self._stack.counters
        if counters.is_pruned:
            raise AssertionError("the root is searched without bounds, and cannot be pruned")
        return Found(tuple(self._stack.value.tolist()), bool(counters.found_proven))

    def _best_so_far(self) -> tuple[Found[tuple[float, ...]] | None, int]:
        first = self._stack.choices[1]
        if first.chooser != self.role or first.best_option < 0:
            return None, 0
        best = tuple(self._stack.best[1].tolist())
        return Found(best, proven=False), int(first.length)

    def _line(self) -> NDArray[np.int32]:
        line: NDArray[np.int32] = self._stack.lines[1]
        return line

    def _table_move(self, state: Words, remaining: int, value: tuple[float, ...]) -> int:
        vector = np.array(value, np.float64)
        return loop.table_move(self._game, self._memory.table, state, remaining, vector)

    def _path(self) -> list[int]:
        rows = map(self._stack.choices.__getitem__, range(1, self._stack.counters.choice + 1))
        return [
            int(row.chosen + row.at * row.stride)
            for row in rows
            if row.next_place == len(self._rules.order)
        ]

    def _goals_of(self, value: tuple[float, ...]) -> ValueVector:
        return tuple(map(tidy, value))

    def _prunes(self) -> Mapping[str, int]:
        counters = self._stack.counters
        prunes = Counter(
            {
                "immediate": int(counters.immediate),
                "shallow": int(counters.shallow),
                "branch-and-bound": int(counters.branch_and_bound),
            }
        )
        prunes[self.algorithm] += int(counters.own_rule)
        return prunes


def _new_stack(rules: Rules, *, room: int) -> Stack:
    """Return a stack for searches by these rules, with an arena of `room` words."""
    roles, words = len(rules.order), len(rules.everything)
    frames, choices = FIRST_FRAMES, 2 * FIRST_FRAMES
    entries = max(1, roles - 1) if rules.numbers.rule == SPECULATIVE else 1
    return Stack(
        **common_stack(Frame, roles=roles, room=room),
        counters=new_record(MaxNCounters),
        possible=np.tile(rules.everything, (frames, 1)),
        choices=records(Choice, choices),
        bounds=np.zeros((choices, roles)),
        best=np.zeros((choices, roles)),
        path_roles=np.zeros((choices, entries), np.int64),
        path_held=np.zeros((choices, entries)),
        lines=np.zeros((choices, frames), np.int32),
        slots=np.zeros(_FIRST_SLOTS, np.int8),
        slot_rows=np.zeros((_FIRST_SLOTS, words), np.uint64),
        slot_bounds=np.zeros((_FIRST_SLOTS, roles)),
        value=np.zeros(roles),
        rows=np.zeros(words, np.uint64),
        value_bounds=np.zeros(roles),
        some_bounds=np.zeros(roles),
    )


def _grown(stack: Stack, rules: Rules) -> Stack:
    """Return the stack with more room, after the loop said that it is FULL.

    Raises:
        ReasonerMemory: that would be more than `MAX_STACK_BYTES`.
    """
    counters, roles = stack.counters, len(rules.order)
    choice = int(counters.choice)
    if stack.choices[choice].frame + 2 >= len(stack.frames):
        stack = stack._replace(**more_frames(stack))
        size = len(stack.frames)
        possible = np.tile(rules.everything, (size, 1))
        possible[: len(stack.possible)] = stack.possible
        stack = stack._replace(possible=possible, lines=copied(stack.lines, len(stack.lines), size))
    if choice + roles + 3 > len(stack.choices):
        size = 4 * len(stack.choices) + roles
        by_choice = ("choices", "bounds", "best", "path_roles", "path_held", "lines")
        stack = stack._replace(**{name: copied(getattr(stack, name), size) for name in by_choice})
    needed = int(counters.needed_slots)
    if needed > len(stack.slots):
        check_size(needed * (stack.slot_rows.itemsize * stack.slot_rows.shape[1] + 8 * roles))
        by_slot = ("slots", "slot_rows", "slot_bounds")
        stack = stack._replace(
            **{name: copied(getattr(stack, name), 2 * needed) for name in by_slot}
        )
    return stack._replace(arena=large_arena(stack))
