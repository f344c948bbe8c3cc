"""The engine's searches: the interface of `ggp.search.Search`, the work done by compiled loops."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.symmetry import Symmetry
from ggp.deadline import Deadline
from ggp.engine.game import GameCode
from ggp.engine.layout import (
    ENDLESS,
    FINISHED,
    FULL,
    SPENT,
    STUCK,
    TOO_MANY,
    SearchStack,
    assign_record,
    copy_record,
)
from ggp.engine.lines import Line, Lines
from ggp.engine.resources import Resources
from ggp.engine.transposition_table import ResizableTable
from ggp.engine.turns import REPORT, TURN, Turns, find_packed, packed_state
from ggp.errors import TooManyJointMoves
from ggp.graph import GameGraph
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, words_of
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from ggp.reasoner.stuck import no_legal_move
from ggp.search import SearchResult, ValueVector
from ggp.search.leaf_values import Classifier
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.result import Costs
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Found

__all__ = ["EngineSearch"]

# The most expansions to find a line again that the table has lost.
_PATCH = 100_000


class EngineSearch(ABC):
    """A search over the machine code of a game, in turns of a compiled loop.

    It finds the value and the move of the reference, and whether the value is exact; with the moves
    in the same order also the same counts, as long as the table has room for all states. What
    `ggp.search.Search` says of games that need not end, and of reuse, applies here too.
    """

    _stack: SearchStack

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
        *,
        value_words: int,
        symmetries: Sequence[Symmetry] = (),
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            settings: what to search for, and how; the evaluation is an `Evaluation`.
            compiled: the machine code of the graph's game.
            resources: memory, threads and time.
            value_words: how many words a value has in the table.
            symmetries: of the game, for which the search looks.
        """
        self.graph, self.settings = graph, settings
        self.role, self.algorithm = settings.role, settings.algorithm
        self.leaf_values = settings.leaf_values
        self._compiled, self._progress = compiled, resources.progress
        self._lines = Lines(compiled.kernel, chance=settings.chance)
        words, table_bytes = resources.words or compiled.search_words, resources.table_bytes
        #: Kept, because its addresses are in use.
        self._code = GameCode(compiled.circuit, words=words, cache=Cache())
        self._game = self._code.new_game(
            settings, has_table=table_bytes > 0, ordered=resources.ordered, symmetries=symmetries
        )
        self._table_bytes = table_bytes
        self._memory = ResizableTable(
            table_bytes, value_words=value_words, whole=resources.whole_table
        )
        self._deadline, self._began, self._reported = Deadline(), 0.0, 0.0
        self._turns, self._remaining = Turns(), ENDLESS
        #: Seconds that a single expansion takes, where that is more than a turn may take.
        self._expansion = 0.0
        #: The result of the last completed depth, which is reported until the next one is done.
        self._deepened: SearchResult | None = None

    def takes(self, node: int | None = None) -> bool:
        """Return whether the machine code knows all facts of a node; None for the root."""
        return find_packed(self._compiled, self.graph, node) is not None

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> SearchResult:
        """Search once, as `ggp.search.Search.run` does.

        Raises:
            ValueError: the node has facts that the machine code does not know, see `takes`.
            NoLegalMove: a role has no legal move in a state that is not terminal.
            TooManyJointMoves: a state has more joint moves than may be searched.
            ReasonerMemory: a line with all its siblings is too large.
        """
        state = self._begin(node, limit)
        return self._result(state, self._search(state, limit.depth))

    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        """Search one joint move ahead, then two, as `ggp.search.Search.deepen` does.

        Raises as `run`.
        """
        state = self._begin(node, limit)
        for horizon in limit.horizons(first):
            found = self._search(state, horizon)
            if found is None and self._deepened is not None:
                yield replace(self._deepened, **self._costs())
                return
            self._deepened = self._result(state, found)
            yield self._deepened
            if found is None or found.proven or not self._stack.counters.met_horizon:
                return

    # What each kind of search defines

    @abstractmethod
    def _place(self, state: Words, remaining: int) -> None:
        """Begin to search a packed state, `remaining` joint moves ahead."""

    @abstractmethod
    def _explore(self, pause: int) -> int:
        """Run the loop until `pause` nodes are expanded at most; return why it ended."""

    @abstractmethod
    def _grow(self) -> None:
        """Give the stack more room, after the loop said that it is FULL."""

    @abstractmethod
    def _found(self) -> Found[Any]:
        """Return what the loop has found, once it has FINISHED."""

    def _classifier(self) -> Classifier:
        """Return the classifier that decides in the present search."""
        return self.settings.classifier

    def _is_exact(self, found: Found[Any]) -> bool:
        """Return whether what was found is the true value."""
        return found.proven

    @abstractmethod
    def _best_so_far(self) -> tuple[Found[Any] | None, int]:
        """Return the value of the best move of the root so far, and the length of its line."""

    def _progress_made(self) -> float:
        """Return about how much of the search is done that a limit has ended, 0 if not known."""
        return 0.0

    @abstractmethod
    def _line(self) -> NDArray[np.int32]:
        """Return the line of the root."""

    @abstractmethod
    def _table_move(self, state: Words, remaining: int, value: Any) -> int:
        """Return the move that the table has for a packed state of that value, or -1."""

    @abstractmethod
    def _path(self) -> list[int]:
        """Return the numbers of the joint moves from the root to the last frame."""

    @abstractmethod
    def _goals_of(self, value: Any) -> ValueVector:
        """Return the goal of each role, as far as the value tells."""

    @abstractmethod
    def _prunes(self) -> Mapping[str, int]:
        """Return how often each rule has pruned."""

    def load_all(self) -> None:
        """Load the code that a search of any game may need."""
        self._load()

    # What all share

    def _load(self) -> None:
        """Load all code now: during a search, loading would delay an interruption."""
        self._compiled.prepare_to_answer()
        initial = self._compiled.kernel.initial()[0]
        self._place(initial, 0)
        self._explore(0)
        self._table_move(initial, 0, self._found().value)
        self._memory.load(self._stack.counters)

    def _begin(self, node: int | None, limit: Limit) -> State:
        state = packed_state(self._compiled, self.graph, node)
        counters = self._stack.counters
        age, entries = counters.age + 1, counters.entries
        assign_record(counters)
        counters.age, counters.entries = age, entries
        counters.limit = np.iinfo(np.int64).max if limit.nodes is None else limit.nodes
        self._deadline = limit.deadline
        self._turns.begin(limit.deadline)
        # one of the search before may have been slow only because the processors were busy
        self._expansion = 0.0
        self._memory.restart(counters)
        self._deepened = None
        self._began = self._reported = time.monotonic()
        return state

    def _search(self, state: State, depth: int | None) -> Found[Any] | None:
        """Search a state; None if a limit ended it."""
        counters = self._stack.counters
        counters.deepest = counters.met_horizon = 0
        self._remaining = ENDLESS if depth is None else min(depth, ENDLESS - 1)
        return self._valued(state)

    def _valued(self, state: State) -> Found[Any] | None:
        """Find the value of a state and its line; None if a limit ended it."""
        return self._explored(state, self._remaining)

    def _explored(self, state: State, remaining: int) -> Found[Any] | None:
        if self._deepened is not None and self._deadline.is_over:
            return None  # in the largest games even the beginning takes long
        self._stack.on_path[:] = 0
        self._place(words_of(state), remaining)
        while self._deadline.remaining > self._expansion:
            began = time.perf_counter()
            whole_turn = self._worked() + self._turns.size
            what = self._explore(min(whole_turn, self._memory.due))
            if what == FINISHED:
                return self._found()
            if what == SPENT:
                return None
            if what == STUCK:
                end = self._lines.end(state, self._path())
                legal, facts = self._lines.view(end).legal, self._compiled.facts(end)
                raise no_legal_move(self.graph.roles, legal, facts)
            if what == TOO_MANY:
                raise TooManyJointMoves("a state has too many joint moves to be searched")
            if what == FULL:
                self._grow()
            else:
                if whole_turn <= self._memory.due:
                    self._adapt(time.perf_counter() - began)
                self._memory.grow(self._stack.counters, self._worked())
                self._report(state)
        return None

    def _expanded(self) -> int:
        counters = self._stack.counters
        return int(counters.expanded + counters.researched)

    def _worked(self) -> int:
        """Return what a pause of the loop counts: expansions, and states of random playouts."""
        return self._expanded() + int(self._stack.counters.played_out)

    def _adapt(self, seconds: float) -> None:
        """Choose the size of the next turn by the seconds that the last one took."""
        self._expansion = seconds if self._turns.size == 1 and seconds > TURN else 0.0
        self._turns.adapt(seconds)

    def _report(self, state: State) -> None:
        now = time.monotonic()
        if self._progress is not None and now - self._reported >= REPORT:
            self._reported = now
            if self._deepened is None:
                self._progress(self._result(state, None))
            else:
                self._progress(replace(self._deepened, **self._costs()))

    def _result(self, state: State, found: Found[Any] | None) -> SearchResult:
        if found is not None:
            best: Found[Any] | None = found
            line = self._extended(self._line_of(state, self._numbers()), found)
        else:
            best, length = self._best_so_far()
            line = self._line_of(state, self._line()[:length].tolist())
        goals: ValueVector = (None,) * len(self.graph.roles)
        if best is not None:
            goals = self._goals_of(best.value)
        value, variation = goals[self.role], line.joint_moves
        chosen = variation[0] if variation else None
        if not line.is_open:
            end = self._lines.view(line.states[-1])
            if best is not None and end.terminal:
                goals = tuple(goal or 0 for goal in end.goals)
            chosen = chosen or next(iter(end.joint_moves), None)
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self._classifier(),
            roles=self.graph.roles,
            role=self.role,
            value=value,
            goals=goals,
            joint_move=chosen,
            variation=variation,
            exact=found is not None and self._is_exact(found),
            depth=int(self._stack.counters.deepest),
            engine="compiled",
            horizon=None if found is None or self._remaining == ENDLESS else self._remaining,
            completed=found is not None,
            progress=self._progress_made() if found is None else 0.0,
            **self._costs(),
        )

    def _line_of(self, state: State, numbers: list[int]) -> Line:
        return self._lines.after(Line((), (state,)), numbers, deadline=self._deadline)

    def _costs(self) -> Costs:
        return {
            "expanded": self._total("expanded"),
            "generated": self._total("generated"),
            "researched": self._total("researched"),
            "prunes": {rule: times for rule, times in self._prunes().items() if times},
            "table_size": int(self._stack.counters.entries),
            "table_hits": self._total("table_hits"),
            "seconds": time.monotonic() - self._began,
        }

    def _total(self, name: str) -> int:
        """Return a count of the present search."""
        return int(getattr(self._stack.counters, name))

    def _numbers(self) -> list[int]:
        """Return the line of the search that has finished, in numbers of joint moves."""
        counters = self._stack.counters
        numbers: list[int] = self._line()[: counters.found_length].tolist()
        if not numbers and counters.found_move >= 0:
            return [int(counters.found_move)]
        return numbers

    def _extended(self, line: Line, found: Found[Any]) -> Line:
        """Follow a line to the end of the game by the moves of the table, while there is time.

        A part of a proven line that the table has lost is searched again, which is not counted.
        """
        depth = self._remaining
        while not (line.is_open or line.is_round or self._deadline.is_over):
            if self._lines.view(line.states[-1]).terminal:
                return line
            left = depth - len(line.joint_moves) * (depth != ENDLESS)
            packed, number = words_of(line.states[-1]), -1
            if self._table_bytes:
                number = self._table_move(packed, left, found.value)
            numbers = [number] if number >= 0 else []
            if not numbers and found.proven:
                numbers = self._searched(line.states[-1], found.value)
            if not numbers:
                return line
            line = self._lines.after(line, numbers, deadline=self._deadline)
        return line

    def _searched(self, state: State, value: Any) -> list[int]:
        """Search a state again and return its line; none if it takes long or the value differs."""
        before = copy_record(self._stack.counters)
        self._stack.counters.limit = self._expanded() + _PATCH
        found = self._explored(state, ENDLESS)
        numbers = self._numbers() if found is not None and found.value == value else []
        before.entries = self._stack.counters.entries
        assign_record(self._stack.counters, before)
        return numbers
