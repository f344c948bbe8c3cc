"""The engine's search: the interface of `ggp.search.Search`, the work done by compiled loops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from ggp.clock import Clock
from ggp.engine import loops
from ggp.engine.game import GameCode
from ggp.engine.lines import Line, Lines
from ggp.engine.memory import (
    FIRST_TABLE_BYTES,
    grown,
    is_filling,
    new_stack,
    new_table,
)
from ggp.errors import GameError, TooManyJointMoves
from ggp.reasoner import State
from ggp.reasoner.compiled.cache import Cache
from ggp.reasoner.compiled.reasoner import CompiledReasoner
from ggp.search import SearchResult, ValueVector
from ggp.search.role_search import RoleSearch
from ggp.search.table import Found

__all__ = ["EngineSearch"]

# Seconds that the loop may run before it is asked to look at the clock, and nodes to begin with.
_TURN, _FIRST_TURN = 0.003, 64

# Entries of a larger table that are cleared between two turns: half a megabyte.
_CLEARED = 1 << 14

# Seconds between two reports of progress.
_REPORT = 0.1

# Expansions that may be spent on finding a line again that the table has lost.
_PATCH = 100_000

# Nodes of a circuit beyond which its code is not compiled a second time.
_LARGE = 3000

_PRUNES = {"bounded": ("win", "lose"), "alphabeta": ("beta", "alpha"), "minimax": ("", "")}


class EngineSearch:
    """One of the searches for the goal of one role, over the machine code of a game.

    Value, move and whether it is exact are those of the reference; in the same order also all
    counts, as long as the table has room for everything. What the reference's docstrings say of
    games that need not end, and of using a search again, holds here too.

    **Order.** With `ordered`, below the root the move that the table names comes first, then moves
    that end the game well, then those that have cut off the most: what is proven does not depend
    on the order. The moves at the root keep their order, so that the first of equal ones is found.
    Estimates, too, are those of the reference wherever play cannot come to a state in different
    numbers of joint moves; else what an estimate rests on may have been found at another depth.
    """

    def __init__(
        self,
        reference: RoleSearch,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        ordered: bool,
        words: int | None,
        progress: Callable[[SearchResult], None] | None,
    ) -> None:
        """Prepare to search.

        Args:
            reference: says what to search for, and how.
            compiled: the machine code of its graph's game.
            table_bytes: as for `engine_search`, like all that follows.
            ordered: whether to try promising moves first.
            words: a pass makes 64 * words children.
            progress: called with the best so far.
        """
        self.graph, self.role = reference.graph, reference.role
        self.leaf_values = reference.leaf_values
        self.algorithm = reference.algorithm
        self._reference, self._compiled = reference, compiled
        self._progress = progress
        self._lines = Lines(compiled.kernel, chance=reference.chance)
        if words is None:
            words = _suitable_words(compiled)
        #: It must live as long as its addresses are in use.
        self._code = GameCode(compiled.circuit, words=words, cache=Cache())
        self._game = self._code.seen_by(reference, has_table=table_bytes > 0, ordered=ordered)
        self._table = new_table(min(table_bytes, FIRST_TABLE_BYTES))
        self._table_bytes = table_bytes
        #: The table that will take its place, and how many of its entries are cleared.
        self._larger: loops.Table | None = None
        self._cleared = 0
        self._stack = new_stack(
            roles=len(reference.graph.roles),
            moves=self._code.moves,
            room=2 * self._code.block + self._code.scratch,
        )
        self._clock, self._began, self._reported = Clock(), 0.0, 0.0
        self._turn, self._remaining = _FIRST_TURN, loops.ENDLESS
        self._load()

    def _load(self) -> None:
        """Load all code now: while a search goes on, it would keep whoever interrupts waiting."""
        self._compiled.prepare_to_answer()
        initial = self._compiled.kernel.initial()[0]
        loops.place_root(self._game, self._stack, initial, 0)
        loops.explore(self._game, self._stack, self._table, 0)
        loops.known(self._game, self._table, initial, 0, 0.0)
        loops.fill(new_table(0), new_table(0))

    def takes(self, node: int | None = None) -> bool:
        """Return whether the machine code knows all facts of a node; None for the root."""
        return self._packed(node) is not None

    def run(
        self,
        node: int | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        clock: Clock | None = None,
    ) -> SearchResult:
        """Search once, as `ggp.search.Search.run` does.

        Raises:
            ValueError: the node has facts that the machine code does not know, see `takes`.
            GameError: a role has no legal move in a state that is not terminal.
            TooManyJointMoves: a state has more joint moves than may be searched.
            ReasonerMemory: a line with all its siblings is too large.
        """
        state = self._begin(node, nodes, clock)
        return self._result(state, self._search(state, depth))

    def deepen(
        self,
        node: int | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        clock: Clock | None = None,
    ) -> Iterator[SearchResult]:
        """Search one joint move ahead, then two, as `ggp.search.Search.deepen` does.

        Raises as `run`.
        """
        state = self._begin(node, nodes, clock)
        result: SearchResult | None = None
        for horizon in count(1) if depth is None else range(1, depth + 1):
            found = self._search(state, horizon)
            if found is None and result is not None:
                yield replace(result, **self._costs())
                return
            result = self._result(state, found)
            yield result
            if found is None or found.sure or not self._stack.counters[loops.MET_HORIZON]:
                return

    def _begin(self, node: int | None, nodes: int | None, clock: Clock | None) -> State:
        state = self._packed(node)
        if state is None:
            raise ValueError("the state has facts that the machine code does not know")
        counters = self._stack.counters
        age, held = counters[loops.AGE] + 1, counters[loops.HELD]
        counters[:] = 0
        counters[loops.AGE], counters[loops.HELD] = age, held
        counters[loops.LIMIT] = np.iinfo(np.int64).max if nodes is None else nodes
        self._clock = Clock() if clock is None else clock
        self._began = self._reported = time.monotonic()
        return state

    def _search(self, state: State, depth: int | None) -> Found[float] | None:
        """Search a state; None if a limit ended it."""
        counters = self._stack.counters
        counters[loops.DEEPEST] = counters[loops.MET_HORIZON] = 0
        self._remaining = loops.ENDLESS if depth is None else min(depth, loops.ENDLESS - 1)
        return self._explored(state, self._remaining)

    def _explored(self, state: State, remaining: int) -> Found[float] | None:
        packed = np.frombuffer(state, np.uint64)
        self._stack.on_path[:] = 0
        loops.place_root(self._game, self._stack, packed, remaining)
        while not self._clock.is_over:
            began = time.perf_counter()
            counters = self._stack.counters
            pause = counters[loops.EXPANDED] + counters[loops.RESEARCHED] + self._turn
            match loops.explore(self._game, self._stack, self._table, int(pause)):
                case loops.FINISHED:
                    sure = bool(counters[loops.FOUND_SURE])
                    return Found(float(self._stack.found[0]), sure)
                case loops.SPENT:
                    return None
                case loops.FULL:
                    self._stack = grown(self._stack)
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
        """Let the table have all its memory when it fills, a little of it at a time.

        Memory that is new may take seconds to be had from the system.
        """
        counters, table = self._stack.counters, self._table
        if self._larger is None:
            if table.words.nbytes < self._table_bytes and is_filling(table, counters[loops.HELD]):
                self._larger, self._cleared = new_table(self._table_bytes), 0
            return
        self._larger.words[self._cleared : self._cleared + _CLEARED] = 0
        self._cleared += _CLEARED
        if self._cleared >= len(self._larger.words):
            self._table, self._larger = self._larger, None
            counters[loops.HELD] = loops.fill(self._table, table)

    def _adapt(self, seconds: float) -> None:
        """Let the loop's next turn take about `_TURN`."""
        factor = min(max(_TURN / max(seconds, 1e-9), 0.25), 4)
        self._turn = max(1, int(self._turn * factor))

    def _report(self, state: State) -> None:
        now = time.monotonic()
        if self._progress is not None and now - self._reported >= _REPORT:
            self._reported = now
            self._progress(self._result(state, None))

    def _result(self, state: State, found: Found[float] | None) -> SearchResult:
        stack, roles = self._stack, self.graph.roles
        counters = stack.counters
        is_exact = found is not None and self._reference.is_exact(found)
        numbers: list[int] = []
        if found is not None:
            value: float | None = found.value
            numbers = self._numbers()
        elif counters[loops.FRAME] > 0 and stack.frames[1, loops.BEST_LENGTH]:
            value = float(stack.values[1, loops.BEST])
            numbers = stack.lines[0, 1, : stack.frames[1, loops.BEST_LENGTH]].tolist()
        else:
            value = None
        line = self._lines.from_numbers(state, numbers)
        if found is not None:
            line = self._extended(line, found)
        goals: ValueVector = tuple(
            value if role == self.role else None for role in range(len(roles))
        )
        view = self._lines.view(line.states[-1])
        if value is not None and view.terminal:
            goals = tuple(goal or 0 for goal in view.goals)
        variation = line.joint_moves
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self._reference.classifier,
            roles=roles,
            role=self.role,
            value=_tidy(value),
            goals=tuple(map(_tidy, goals)),
            joint_move=variation[0] if variation else next(view.joint_moves, None),
            variation=variation,
            exact=is_exact,
            depth=int(counters[loops.DEEPEST]),
            engine="compiled",
            **self._costs(),
        )

    def _costs(self) -> dict[str, Any]:
        counters = self._stack.counters.tolist()
        prunes = dict(
            zip(
                _PRUNES[self.algorithm],
                (counters[loops.MAX_PRUNES], counters[loops.MIN_PRUNES]),
                strict=True,
            )
        )
        return {
            "expanded": counters[loops.EXPANDED],
            "generated": counters[loops.GENERATED],
            "researched": counters[loops.RESEARCHED],
            "prunes": {rule: times for rule, times in prunes.items() if times},
            "table_size": counters[loops.HELD],
            "table_hits": counters[loops.HITS],
            "seconds": time.monotonic() - self._began,
        }

    def _numbers(self) -> list[int]:
        """Return the line of the search that has finished, in numbers of joint moves."""
        counters = self._stack.counters
        numbers: list[int] = self._stack.lines[0, 1, : counters[loops.FOUND_LENGTH]].tolist()
        if not numbers and counters[loops.FOUND_MOVE] >= 0:
            return [int(counters[loops.FOUND_MOVE])]
        return numbers

    def _extended(self, line: Line, found: Found[float]) -> Line:
        """Follow a line to the end of the game, by what the table knows.

        What it has lost of a proven line is searched once more, which is not counted.
        """
        depth = self._remaining
        while not (line.is_open or line.is_round or self._lines.view(line.states[-1]).terminal):
            left = depth - len(line.joint_moves) * (depth != loops.ENDLESS)
            packed, number = np.frombuffer(line.states[-1], np.uint64), -1
            if self._table_bytes:
                number = loops.known(self._game, self._table, packed, left, found.value)
            numbers = [number] if number >= 0 else []
            if not numbers and found.sure:
                numbers = self._searched(line.states[-1], found.value)
            if not numbers:
                return line
            for number in numbers:
                line = self._lines.after(line, number)
        return line

    def _searched(self, state: State, value: float) -> list[int]:
        """Search a state again, and return its line; none if that takes long or is worth less."""
        before = self._stack.counters.copy()
        counters = self._stack.counters
        counters[loops.LIMIT] = counters[loops.EXPANDED] + counters[loops.RESEARCHED] + _PATCH
        found = self._explored(state, loops.ENDLESS)
        counters = self._stack.counters
        numbers = self._numbers() if found is not None and found.value == value else []
        before[loops.HELD] = counters[loops.HELD]
        counters[:] = before
        return numbers

    def _packed(self, node: int | None) -> State | None:
        """Return the state of a node as the machine code has it; None if it cannot."""
        reasoner, root = self.graph.reasoner, self.graph.root if node is None else node
        state = self.graph.state(root)
        if reasoner is not self._compiled:
            state = self._compiled.state_of(reasoner.facts(state))
        return state if len(state) == 8 * self._compiled.kernel.state_words else None

    def _stuck(self, state: State) -> GameError:
        """Return the error of the state that the search has come to."""
        frames = self._stack.frames
        path = frames[1 : self._stack.counters[loops.FRAME] + 1]
        terms = path[:, loops.OWN_TERM] + path[:, loops.ANSWER_TERM]
        numbers = terms + path[:, loops.AT_LUCK] * path[:, loops.LUCK_STRIDE]
        state = self._lines.end(state, numbers.tolist())
        roles = zip(self.graph.roles, self._lines.view(state).legal, strict=True)
        stuck = ", ".join(str(role) for role, moves in roles if not moves)
        facts = " ".join(map(str, self._compiled.facts(state)))
        return GameError(f"{stuck}: no legal move in a state that is not terminal: ( {facts} )")


def _suitable_words(compiled: CompiledReasoner) -> int:
    """Return how wide passes should be: as there are joint moves in the initial state.

    The code of a large circuit takes long to compile; then what the reasoner uses must do.
    """
    count = compiled.view(compiled.initial_state()).joint_move_count
    if len(compiled.circuit.gates) > _LARGE:
        return compiled.kernel.words
    return 1 if count <= 64 else 4 if count <= 256 else 8


def _tidy(value: float | None) -> float | None:
    """Write whole numbers as such: the mean of 0 and 100 is 50, not 50.0."""
    return int(value) if value is not None and value == int(value) else value
