"""The base of the reference searches: limits, counts, path, table, iterative deepening."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar, Generic, TypeVar

from ggp.deadline import TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import HIGHEST_GOAL, GoalVector
from ggp.graph import GameGraph, NodeExpansion
from ggp.reasoner import JointMove
from ggp.reasoner.stuck import no_legal_move
from ggp.recursion import MAX_PLIES, deep_recursion
from ggp.search.classifiers import Number
from ggp.search.leaf_values import Classifier
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.options import SearchOptions
from ggp.search.result import Costs, SearchResult, ValueVector, tidy
from ggp.search.transposition_table import Bound, Entry, Found, Line, TranspositionTable
from ggp.search.tree.observer import Cut, Observer, Source

__all__ = ["DEFAULT_TABLE_SIZE", "Search", "SearchStats"]

#: Entries of the transposition table; this many take a few hundred megabytes.
DEFAULT_TABLE_SIZE = 1_000_000

Value = TypeVar("Value")


@dataclass(slots=True)
class SearchStats:
    """The limit of a search and the counts of what it does; meanings as in `SearchResult`."""

    limit: Limit = NO_LIMIT
    expanded: int = 0
    generated: int = 0
    researched: int = 0
    table_hits: int = 0
    prunes: Counter[str] = field(default_factory=Counter)
    _started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self._started

    def count_expansion(self, *, again: bool) -> None:
        """Count an expansion. Raises `TimeUp` if no more may be made."""
        if self.expanded + self.researched == self.limit.nodes:
            raise TimeUp
        if again:
            self.researched += 1
        else:
            self.expanded += 1


class Search(ABC, Generic[Value]):
    """A search of a game graph for the value and the best move of a node.

    An algorithm is a subclass: `explore` recurses over the graph and calls

    - `leaf` and `probe` first at every node: the value may be there without looking further,
    - `expanding` around the loop over the children,
    - `improve` when the best move so far changes, `prune` when the rest is skipped,
    - `store` with what was found.

    **Games that need not end.** A play without end gives every role 0: a state that is met again on
    the way down counts as 0, and a value that rests on it is not `exact`. For the minimax family it
    is then a value that the role can guarantee; it may be able to get more.

    **Reuse.** A search object may search many nodes of its graph, and keeps its table between them.
    """

    #: The name of the algorithm, and what it is asked for.
    algorithm: ClassVar[str]
    options: ClassVar[type[SearchOptions]] = SearchOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = DEFAULT_TABLE_SIZE,
        observer: Observer | None = None,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            options: what to search for; None for the defaults.
            table_size: how many entries the transposition table may have; 0 for no table.
            observer: what is told each step.

        Raises:
            ValueError: the options are of another algorithm, or as `SearchOptions.resolve`.
        """
        self.graph = graph
        #: The options, resolved for this game.
        self.settings = self.options.of(options).resolve(graph, self.algorithm)
        self.chance, self.role = self.settings.chance, self.settings.role
        self.leaf_values, self.evaluation = self.settings.leaf_values, self.settings.evaluation
        self.table = TranspositionTable[Value](table_size) if table_size else None
        self.observer = observer
        self._stats = SearchStats()
        #: The nodes from the root of the search to where it is.
        self._path: set[int] = set()
        self._deepest = 0
        self._met_horizon = False
        #: Whether the present search has no horizon.
        self.is_endless = True
        self._is_researching = False
        self._best_so_far: Found[Value] | None = None
        self._first_joint_move: JointMove | None = None
        self.prepare()

    def prepare(self) -> None:
        """Make what the algorithm needs, besides what all have, once its settings are known."""

    def takes(self, node: int | None = None) -> bool:  # noqa: ARG002 - it takes every node
        """Return True: the reference can search every node."""
        return True

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> SearchResult:
        """Search once; see `Searcher.run`."""
        self._stats = SearchStats(limit)
        root = self.graph.root if node is None else node
        found = self._search(root, inf if limit.depth is None else limit.depth)
        return self._result(found, limit.depth)

    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        """Search `first` joint moves ahead, then one more, and so on; see `Searcher.deepen`.

        It ends when the value is proven, when a deeper search cannot change it, or at a limit. In
        the last case the last result repeats that of the last completed search, with the cost of
        all.
        """
        self._stats = SearchStats(limit)
        root = self.graph.root if node is None else node
        result: SearchResult | None = None
        for horizon in limit.horizons(first):
            found = self._search(root, horizon)
            if found is None and result is not None:
                yield replace(result, **self._costs())
                return
            result = self._result(found, horizon)
            yield result
            if found is None or found.proven or not self._met_horizon:
                return

    # Defined by an algorithm

    @abstractmethod
    def explore(self, root: int, remaining: float) -> Found[Value]:
        """Search the root `remaining` joint moves ahead (inf for the end of the game)."""

    @abstractmethod
    def utility(self, goals: GoalVector) -> Value:
        """Return the value of a terminal state; a missing goal counts as 0."""

    @abstractmethod
    def estimate(self, node: int) -> Value:
        """Return the value of a node at the horizon."""

    @abstractmethod
    def goals_of(self, value: Value) -> ValueVector:
        """Return the goals that the value implies, None where it says nothing."""

    @property
    def classifier(self) -> Classifier:
        """The classifier that decides in the present search."""
        return self.settings.classifier

    def is_exact(self, found: Found[Value]) -> bool:
        """Return whether what was found at the root is the true value."""
        return found.proven

    # Called by an algorithm

    def leaf(self, node: int, remaining: float) -> Found[Value] | None:
        """Return the value of a node below which there is nothing to search, else None."""
        found = self._leaf(node, remaining)
        if self.observer is not None:
            self.observer.visit(node, again=self._is_researching)
        if found is not None:
            self.tell(found, "estimate" if found.goals is None else "leaf")
        return found

    def _leaf(self, node: int, remaining: float) -> Found[Value] | None:
        self._stats.limit.deadline.check()
        ply = len(self._path)
        self._stats.generated += ply > 0
        self._deepest = max(self._deepest, ply)
        if node in self._path:
            return Found(self.utility((None,) * len(self.graph.roles)), proven=False)
        expansion = self.graph.expansion(node)
        if expansion.terminal:
            goals = tuple(goal or 0 for goal in expansion.goals)
            # Goals that break the rules of GDL prove nothing: what prunes relies on the range.
            keeps_range = all(0 <= goal <= HIGHEST_GOAL for goal in goals)
            return Found(self.utility(expansion.goals), proven=keeps_range, goals=goals)
        if remaining <= 0 or ply >= MAX_PLIES:
            self._met_horizon = True
            return Found(self.estimate(node), proven=False)
        return None

    def evaluate(self, node: int, role: int) -> float:
        """Return the evaluation of a node, limited to goals that the role can get."""
        estimate = self.evaluation(self.graph, node, role)
        return min(max(estimate, 0), self.leaf_values.highest(role))

    @contextmanager
    def expanding(self, node: int) -> Iterator[NodeExpansion]:
        """Put the node on the path, and yield its expansion."""
        self._stats.count_expansion(again=self._is_researching or self.is_known(node))
        self._path.add(node)
        try:
            with self.graph.held(node) as expansion:
                if not expansion.children:
                    raise no_legal_move(self.graph.roles, expansion.legal, self.graph.facts(node))
                if self.observer is not None:
                    self.observer.expand(expansion)
                yield expansion
        finally:
            self._path.discard(node)

    @contextmanager
    def researching(self) -> Iterator[None]:
        """Count expansions inside the block as repeated ones."""
        before, self._is_researching = self._is_researching, True
        try:
            yield
        finally:
            self._is_researching = before

    def probe(self, node: int, remaining: float) -> Entry[Value] | None:
        """Return the table's entry of the node, if it is valid for a search to this depth."""
        if self.table is None:
            return None
        entry = self.table.get(self.key(node))
        if entry is None or not (entry.found.proven or entry.remaining == remaining):
            return None
        return entry

    def answered(self, entry: Entry[Value]) -> Found[Value]:
        """Return the value of an entry, which saves a search."""
        self._stats.table_hits += 1
        if not entry.found.proven:
            self._met_horizon = True
        return self.tell(entry.found, "table", entry.bound)

    def store(self, node: int, entry: Entry[Value]) -> Found[Value]:
        """Store what was found in the table, and return it."""
        if self.table is not None:
            self.keep(self.table, node, entry)
        return self.tell(entry.found, "searched", entry.bound)

    def key(self, node: int) -> Hashable:
        """Return the key of a node in the table."""
        return self.graph.state(node)

    def is_known(self, node: int) -> bool:
        """Return whether the table has an entry for a node."""
        return self.table is not None and self.key(node) in self.table

    def keep(self, table: TranspositionTable[Value], node: int, entry: Entry[Value]) -> None:
        """Put what was found of a node into the table."""
        table.put(self.key(node), entry)

    def tell(self, found: Found[Value], source: Source, bound: Bound = Bound.EXACT) -> Found[Value]:
        """Tell the observer the value of the node that was visited, and return it."""
        if self.observer is not None:
            self.observer.found(found, source, bound)
        return found

    def improve(self, found: Found[Value]) -> None:
        """Record the best so far, if the node is the root."""
        if len(self._path) == 1:
            self._best_so_far = found

    def hold(self, role: int, value: Number, *, at_most: bool = False) -> None:
        """Tell the observer what a role now holds in the node that was expanded last."""
        if self.observer is not None:
            self.observer.hold(role, value, at_most=at_most)

    def prune(self, rule: str, *, skipped: int, **why: Any) -> None:
        """Count that a rule ended a loop, if that skipped any joint move.

        Args:
            rule: its name.
            skipped: how many joint moves it skipped.
            **why: the other fields of a `Cut`, for the observer.
        """
        if skipped:
            self._stats.prunes[rule] += 1
            if self.observer is not None:
                self.observer.prune(Cut(rule, **why), skipped)

    # Called in this module only

    def _search(self, root: int, remaining: float) -> Found[Value] | None:
        """Search the root; return None if a limit ended the search."""
        self._deepest = 0
        self._met_horizon = False
        self.is_endless = remaining == inf
        self._is_researching = False
        self._best_so_far = None
        self._first_joint_move = None
        frames_per_ply = len(self.graph.roles) + 5
        try:
            with self.graph.held(root) as expansion, deep_recursion(MAX_PLIES * frames_per_ply):
                self._first_joint_move = next(iter(expansion.joint_moves), None)
                return self.explore(root, remaining)
        except TimeUp:
            return None
        except ReasonerError:
            # A caller that cancels the deadline may close the reasoner in the middle of a question.
            if not self._stats.limit.deadline.is_over:
                raise
            return None

    def _result(self, found: Found[Value] | None, horizon: int | None) -> SearchResult:
        best = found or self._best_so_far
        unknown: ValueVector = (None,) * len(self.graph.roles)
        value = unknown if best is None else self.goals_of(best.value)
        goals = value if best is None or best.goals is None else best.goals
        variation = () if best is None else tuple(_unroll(best.line))
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=tidy(value[self.role]),
            goals=tuple(map(tidy, goals)),
            joint_move=variation[0] if variation else self._first_joint_move,
            variation=variation,
            exact=found is not None and self.is_exact(found),
            depth=self._deepest,
            horizon=None if found is None else horizon,
            completed=found is not None,
            **self._costs(),
        )

    def _costs(self) -> Costs:
        effort = self._stats
        return {
            "expanded": effort.expanded,
            "generated": effort.generated,
            "researched": effort.researched,
            "prunes": dict(effort.prunes),
            "table_size": 0 if self.table is None else len(self.table),
            "table_hits": effort.table_hits,
            "seconds": effort.seconds,
        }


def _unroll(line: Line) -> Iterator[JointMove]:
    while line is not None:
        joint_move, line = line
        yield joint_move
