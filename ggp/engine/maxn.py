"""The engine's max-n: the interface of `ggp.search.Search`, the work done by a compiled loop."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.clock import Clock
from ggp.engine import loops, maxn_loops
from ggp.engine.lines import Line, Lines
from ggp.engine.maxn_memory import grown, new_stack, new_table
from ggp.engine.maxn_rules import MaxNCode, new_rules, stored_words
from ggp.engine.memory import FIRST_TABLE_BYTES, is_filling
from ggp.engine.search import _FIRST_TURN, _PATCH, EngineSearch, _suitable_words, _tidy
from ggp.errors import GameError, TooManyJointMoves
from ggp.reasoner import State
from ggp.reasoner.compiled.cache import Cache
from ggp.reasoner.compiled.reasoner import CompiledReasoner
from ggp.search import MaxN, SearchResult, ValueVector
from ggp.search.leaf_values import Form
from ggp.search.table import Found

__all__ = ["MaxNEngine"]


class MaxNEngine(EngineSearch):
    """Max-n, or one of its prunings, over the machine code of a game without chance.

    Without a table it finds and counts what the reference does. With one, value and move are those
    of plain max-n. The moves are never sorted: of equally good ones the first is taken, so that
    another order would mean another game.
    """

    # Those of `maxn_loops`, which the methods of the base class know only by their counters.
    _stack: Any
    _table: Any

    def __init__(
        self,
        reference: MaxN,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        words: int | None,
        progress: Callable[[SearchResult], None] | None,
        form: Form = "exact",
        discrete: bool = False,
    ) -> None:
        """Prepare to search.

        Args:
            reference: says what to search for, and how.
            compiled: the machine code of its graph's game.
            table_bytes: as for `engine_search`, like `words` and `progress`.
            words: a pass makes 64 * words children.
            progress: called with the best so far.
            form: as for `MaxN`, like `discrete`.
            discrete: see there.

        Raises:
            ValueError: the game has a role that nature plays.
        """
        if reference.chance is not None:
            raise ValueError("the engine's max-n does not know chance")
        self.graph, self.role = reference.graph, reference.role
        self.leaf_values = reference.leaf_values
        self.algorithm = reference.algorithm
        self._plain, self._compiled, self._progress = reference, compiled, progress
        self._lines = Lines(compiled.kernel, chance=None)
        if words is None:
            words = _suitable_words(compiled)
        #: It must live as long as its addresses are in use.
        self._code = MaxNCode(compiled.circuit, words=words, cache=Cache())
        self._game = self._code.seen_by_all(reference, has_table=table_bytes > 0)
        self._form, self._is_discrete = form, discrete
        self._table_bytes = table_bytes
        self._table = self._new_table(min(table_bytes, FIRST_TABLE_BYTES))
        self._may_grow = table_bytes > FIRST_TABLE_BYTES
        self._prepare(at_leaves=False)
        self._clock, self._began, self._reported = Clock(), 0.0, 0.0
        self._turn, self._remaining = _FIRST_TURN, loops.ENDLESS
        self._load()

    def _load(self) -> None:
        """Load all code now: while a search goes on, it would keep whoever interrupts waiting."""
        self._compiled.prepare_to_answer()
        initial = np.frombuffer(self._compiled.kernel.initial()[0].tobytes(), np.uint64)
        maxn_loops.place_root(self._game, self._rules, self._stack, initial, 0)
        maxn_loops.explore(self._game, self._rules, self._stack, self._table, 0)
        maxn_loops.known(self._game, self._table, initial, 0, self._stack.value)
        maxn_loops.fill(self._new_table(0), self._new_table(0))

    def _prepare(self, *, at_leaves: bool) -> None:
        """Make rules and stack, for searches to the leaves or to a depth; the counts go on."""
        rules = new_rules(
            self._plain,
            self._compiled.circuit,
            at_leaves=at_leaves,
            form=self._form,
            discrete=self._is_discrete,
        )
        stack = new_stack(rules, room=2 * self._code.block + self._code.scratch)
        if hasattr(self, "_rules"):
            stack = stack._replace(counters=self._stack.counters)
        self._rules, self._stack = rules, stack

    def _explored(self, state: State, remaining: int) -> Found[float] | None:
        at_leaves = remaining == loops.ENDLESS
        if at_leaves != self._rules.numbers[maxn_loops.AT_LEAVES]:
            self._prepare(at_leaves=at_leaves)
        self._stack.on_path[:] = 0
        packed = np.frombuffer(state, np.uint64)
        maxn_loops.place_root(self._game, self._rules, self._stack, packed, remaining)
        while not self._clock.is_over:
            began = time.perf_counter()
            counters = self._stack.counters
            pause = int(counters[loops.EXPANDED] + counters[loops.RESEARCHED] + self._turn)
            match maxn_loops.explore(self._game, self._rules, self._stack, self._table, pause):
                case loops.FINISHED:
                    sure = bool(counters[loops.FOUND_SURE])
                    return Found(float(self._stack.value[self.role]), sure)
                case loops.SPENT:
                    return None
                case loops.FULL:
                    self._stack = grown(self._stack, self._rules)
                case loops.STUCK:
                    raise self._stuck(state)
                case loops.TOO_MANY:
                    raise TooManyJointMoves("a state has too many joint moves to be searched")
                case _:
                    self._adapt(time.perf_counter() - began)
                    self._make_room()
                    self._report(state)
        return None

    def _make_room(self) -> None:
        """Let the table have all its memory when it fills."""
        counters, table = self._stack.counters, self._table
        if self._may_grow and is_filling(table, counters[loops.HELD]):
            self._may_grow = False
            self._table = self._new_table(self._table_bytes)
            counters[loops.HELD] = maxn_loops.fill(self._table, table)

    def _new_table(self, size: int) -> loops.Table:
        roles = len(self.graph.roles)
        return new_table(size, roles=roles, stored=stored_words(self._plain))

    def _result(self, state: State, found: Found[float] | None) -> SearchResult:
        stack, counters = self._stack, self._stack.counters
        first = stack.choices[1]
        vector: NDArray[np.float64] | None = None
        numbers: list[int] = []
        if found is not None:
            vector, numbers = stack.value.copy(), self._numbers()
        elif first[maxn_loops.CHOOSER] == self.role and first[maxn_loops.BEST_OPTION] >= 0:
            vector = stack.best[1].copy()
            numbers = stack.lines[1, : first[maxn_loops.LENGTH]].tolist()
        line = self._lines.from_numbers(state, numbers)
        if found is not None:
            line = self._extended_by(line, stack.value.copy(), is_sure=found.sure)
        goals: ValueVector = (None,) * len(self.graph.roles)
        if vector is not None:
            goals = tuple(map(_tidy, vector.tolist()))
        variation = line.joint_moves
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self._plain.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=goals[self.role],
            goals=goals,
            joint_move=variation[0]
            if variation
            else next(self._lines.view(state).joint_moves, None),
            variation=variation,
            exact=found is not None and found.sure,
            depth=int(counters[loops.DEEPEST]),
            engine="compiled",
            **self._costs(),
        )

    def _costs(self) -> dict[str, Any]:
        counters = self._stack.counters.tolist()
        prunes = Counter(
            {
                "immediate": counters[maxn_loops.IMMEDIATE],
                "shallow": counters[maxn_loops.SHALLOW],
                "branch-and-bound": counters[maxn_loops.BRANCH_AND_BOUND],
            }
        )
        prunes[self.algorithm] += counters[maxn_loops.OWN_RULE]
        return {
            "expanded": counters[loops.EXPANDED],
            "generated": counters[loops.GENERATED],
            "researched": counters[loops.RESEARCHED],
            "prunes": dict(+prunes),
            "table_size": counters[loops.HELD],
            "table_hits": counters[loops.HITS],
            "seconds": time.monotonic() - self._began,
        }

    def _numbers(self) -> list[int]:
        """Return the line of the search that has finished, in numbers of joint moves."""
        counters = self._stack.counters
        numbers: list[int] = self._stack.lines[1, : counters[loops.FOUND_LENGTH]].tolist()
        if not numbers and counters[loops.FOUND_MOVE] >= 0:
            return [int(counters[loops.FOUND_MOVE])]
        return numbers

    def _extended_by(self, line: Line, vector: NDArray[np.float64], *, is_sure: bool) -> Line:
        """Follow a line to the end of the game, by what the table knows.

        What it has lost of a proven line is searched once more, which is not counted.
        """
        depth = self._remaining
        while not (line.is_round or self._lines.view(line.states[-1]).terminal):
            left = depth - len(line.joint_moves) * (depth != loops.ENDLESS)
            packed, number = np.frombuffer(line.states[-1], np.uint64), -1
            if self._table_bytes:
                number = maxn_loops.known(self._game, self._table, packed, left, vector)
            numbers = [number] if number >= 0 else []
            if not numbers and is_sure:
                numbers = self._searched_again(line.states[-1], vector)
            if not numbers:
                return line
            for number in numbers:
                line = self._lines.after(line, number)
        return line

    def _searched_again(self, state: State, vector: NDArray[np.float64]) -> list[int]:
        """Search a state again, and return its line; none if that takes long or is worth less."""
        before = self._stack.counters.copy()
        counters = self._stack.counters
        counters[loops.LIMIT] = counters[loops.EXPANDED] + counters[loops.RESEARCHED] + _PATCH
        found = self._explored(state, loops.ENDLESS)
        is_same = found is not None and np.array_equal(self._stack.value, vector)
        numbers = self._numbers() if is_same else []
        counters = self._stack.counters
        before[loops.HELD] = counters[loops.HELD]
        counters[:] = before
        return numbers

    def _stuck(self, state: State) -> GameError:
        """Return the error of the state that the search has come to."""
        choices = self._stack.choices[1 : self._stack.counters[maxn_loops.CHOICE] + 1]
        last = choices[choices[:, maxn_loops.NEXT_PLACE] == len(self.graph.roles)]
        numbers = last[:, maxn_loops.CHOSEN] + last[:, maxn_loops.AT] * last[:, maxn_loops.STRIDE]
        state = self._lines.end(state, numbers.tolist())
        roles = zip(self.graph.roles, self._lines.view(state).legal, strict=True)
        stuck = ", ".join(str(role) for role, moves in roles if not moves)
        facts = " ".join(map(str, self._compiled.facts(state)))
        return GameError(f"{stuck}: no legal move in a state that is not terminal: ( {facts} )")
