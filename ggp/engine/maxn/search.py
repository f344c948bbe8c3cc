"""The engine's max-n, and its prunings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ggp.engine import layout
from ggp.engine.layout import ENDLESS
from ggp.engine.maxn import layout as maxn_layout
from ggp.engine.maxn import loop as maxn_loops
from ggp.engine.maxn.rules import new_rules, stored_words
from ggp.engine.maxn.stack import grown, new_stack
from ggp.engine.search import EngineSearch, tidy
from ggp.reasoner.compiled import CompiledReasoner, Words
from ggp.search import MaxN, SearchResult, ValueVector
from ggp.search.leaf_values import RowFilter
from ggp.search.transposition_table import Found

__all__ = ["MaxNEngine"]


class MaxNEngine(EngineSearch):
    """Max-n, or one of its prunings, over the machine code of a game.

    Without a table it finds and counts what the reference does; but means over chance, which there
    are fractions, are rounded at the ninth digit after the point, if they are not multiples of 1 /
    60^5. With a table value and move are those of plain max-n. The moves are never sorted: of
    equally good ones the first is taken, so that another order would mean another game.
    """

    _stack: maxn_layout.Stack

    def __init__(
        self,
        reference: MaxN,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        whole_table: bool = False,
        words: int | None,
        progress: Callable[[SearchResult], None] | None,
        row_filter: RowFilter = "exact",
        discrete: bool = False,
    ) -> None:
        """Prepare to search.

        Args:
            reference: says what to search for, and how.
            compiled: the machine code of its graph's game.
            table_bytes: as for `engine_search`.
            whole_table: see there.
            words: a pass makes 64 * words children.
            progress: called with the best so far.
            row_filter: as for `MaxN`, like `discrete`.
            discrete: see there.
        """
        super().__init__(
            reference,
            compiled,
            table_bytes=table_bytes,
            whole_table=whole_table,
            value_words=len(reference.graph.roles) + stored_words(reference),
            ordered=False,
            words=words,
            progress=progress,
        )
        self._plain, self._row_filter, self._is_discrete = reference, row_filter, discrete
        self._rules = self._new_rules(at_leaves=False)
        self._stack = new_stack(self._rules, room=self._code.room)
        self._load()

    def _new_rules(self, *, at_leaves: bool) -> maxn_layout.Rules:
        return new_rules(
            self._plain,
            self._compiled.circuit,
            at_leaves=at_leaves,
            row_filter=self._row_filter,
            discrete=self._is_discrete,
        )

    def _place(self, state: Words, remaining: int) -> None:
        at_leaves = remaining == ENDLESS and self._plain.chance is None
        if at_leaves != self._rules.numbers[maxn_layout.AT_LEAVES]:
            self._rules = self._new_rules(at_leaves=at_leaves)
            counters, stack = self._stack.counters, new_stack(self._rules, room=self._code.room)
            self._stack = stack._replace(counters=counters)
        maxn_loops.place_root(self._game, self._rules, self._stack, state, remaining)

    def _explore(self, pause: int) -> int:
        return maxn_loops.explore(self._game, self._rules, self._stack, self._memory.table, pause)

    def _grow(self) -> None:
        self._stack = grown(self._stack, self._rules)

    def _found(self) -> Found[tuple[float, ...]]:
        if self._stack.counters[maxn_layout.IS_OUTSIDE]:
            raise AssertionError("no row of the leaf-value table is what the game is worth")
        sure = bool(self._stack.counters[layout.FOUND_SURE])
        return Found(tuple(self._stack.value.tolist()), sure)

    def _best_so_far(self) -> tuple[Found[tuple[float, ...]] | None, int]:
        first = self._stack.choices[1]
        if first[maxn_layout.CHOOSER] != self.role or first[maxn_layout.BEST_OPTION] < 0:
            return None, 0
        best = tuple(self._stack.best[1].tolist())
        return Found(best, proven=False), int(first[maxn_layout.LENGTH])

    def _line(self) -> NDArray[np.int32]:
        line: NDArray[np.int32] = self._stack.lines[1]
        return line

    def _known(self, state: Words, remaining: int, value: tuple[float, ...]) -> int:
        vector = np.array(value, np.float64)
        return maxn_loops.known(self._game, self._memory.table, state, remaining, vector)

    def _path(self) -> list[int]:
        choices = self._stack.choices[1 : self._stack.counters[maxn_layout.CHOICE] + 1]
        last = choices[choices[:, maxn_layout.NEXT_PLACE] == len(self._rules.order)]
        at_last = last[:, maxn_layout.AT] * last[:, maxn_layout.STRIDE]
        numbers: list[int] = (last[:, maxn_layout.CHOSEN] + at_last).tolist()
        return numbers

    def _goals_of(self, value: tuple[float, ...]) -> ValueVector:
        return tuple(map(tidy, value))

    def _prunes(self) -> Mapping[str, int]:
        counters = self._stack.counters.tolist()
        prunes = Counter(
            {
                "immediate": counters[maxn_layout.IMMEDIATE],
                "shallow": counters[maxn_layout.SHALLOW],
                "branch-and-bound": counters[maxn_layout.BRANCH_AND_BOUND],
            }
        )
        prunes[self.algorithm] += counters[maxn_layout.OWN_RULE]
        return prunes
