"""What the searches of the engine share that grow a tree: tree search, and best-first minimax."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, TypedDict

from ggp.deadline import Deadline
from ggp.engine.layout import STUCK, TOO_MANY
from ggp.engine.lines import Line, Lines
from ggp.engine.resources import Resources
from ggp.engine.turns import REPORT, Turns, find_packed, packed_state
from ggp.errors import NoLegalMove, TooManyJointMoves
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.native.numba_support import Words, words_of
from ggp.reasoner import JointMove, State
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.result import SearchResult, ValueVector
from ggp.search.searcher import WithoutHorizon
from ggp.search.settings import SearchSettings

__all__ = ["GrowingEngine", "TreeCosts"]


class TreeCosts(TypedDict):
    """The fields of a `SearchResult` that say how large a tree is, and what it cost."""

    depth: int
    expanded: int
    generated: int
    researched: int
    table_size: int
    table_hits: int
    simulations: int | None


class GrowingEngine(WithoutHorizon):
    """A search whose tree grows, in turns of a compiled loop, until its root is proven.

    The tree is kept from one search to the next, in fixed memory.
    """

    algorithm: ClassVar[str]
    #: How much the loop does at a time; each kind of search begins with a size of its own.
    _turns: Turns

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            settings: what to search for.
            compiled: the machine code of the graph's game.
            resources: memory, threads and time.
        """
        self.graph, self.settings, self.leaf_values = graph, settings, settings.leaf_values
        self.role = settings.role
        self._compiled, self._progress = compiled, resources.progress
        self._lines = Lines(compiled.kernel, chance=settings.chance)
        self._root_state: State = b""

    def takes(self, node: int | None = None) -> bool:
        """Return whether the machine code knows all facts of a node; None for the root."""
        return find_packed(self._compiled, self.graph, node) is not None

    def deepen(
        self,
        node: int | None = None,
        limit: Limit = NO_LIMIT,
        *,
        first: int = 1,  # noqa: ARG002 - there is no horizon
    ) -> Iterator[SearchResult]:
        """Search, and yield a result whenever the best move changes, and the last one.

        Raises:
            ValueError: the node has facts that the machine code does not know, see `takes`.
            NoLegalMove: a role has no legal move in a state that is not terminal.
            TooManyJointMoves: a state has more joint moves than may be searched.
        """
        state = packed_state(self._compiled, self.graph, node)
        began = reported = time.monotonic()
        view = self._lines.view(state)
        if view.terminal:
            goals = tuple(goal or 0 for goal in view.goals)
            yield self._made(goals, None, (), began, exact=True)
            return
        self._root_state = state
        self._turns.begin(limit.deadline)
        self._begin(words_of(state), limit.nodes)
        shown: JointMove | None = None
        is_over = False
        with self._working():
            while not is_over:
                is_over = limit.deadline.is_over or self._turned()
                now = time.monotonic()
                if is_over or now - reported >= REPORT:
                    reported = now
                    self._rest()
                    result = self._result(began)
                    if self._progress is not None:
                        self._progress(result)
                    if is_over or result.joint_move != shown:
                        shown = result.joint_move
                        yield result

    # What each kind of search defines

    @abstractmethod
    def _begin(self, state: Words, nodes: int | None) -> None:
        """Make a packed state the root, of a search with a limit if `nodes` is one."""

    @abstractmethod
    def _turned(self) -> bool:
        """Run the loop for a turn; return whether the search is over."""

    def _working(self) -> AbstractContextManager[None]:
        """Return what surrounds all turns of a search."""
        return nullcontext()

    def _rest(self) -> None:
        """Wait until the tree does not change."""

    @property
    @abstractmethod
    def _root(self) -> int:
        """The node of the root."""

    @abstractmethod
    def _best_edge(self, node: int) -> int:
        """Return the number of the joint move to make in a node, -1 if none is known."""

    @abstractmethod
    def _child(self, node: int, number: int) -> int:
        """Return the node to which a joint move leads, or a negative number if it has none."""

    @abstractmethod
    def _found(self) -> tuple[ValueVector, bool]:
        """Return what the roles get at the root, and whether that is proven for the role."""

    @abstractmethod
    def _costs(self) -> TreeCosts:
        """Return what the search has cost."""

    # What they have in common

    @staticmethod
    def _check(reasons: Collection[int]) -> None:
        """Raise the errors that ended the loop."""
        if STUCK in reasons:
            raise NoLegalMove
        if TOO_MANY in reasons:
            raise TooManyJointMoves("a state has too many joint moves to be searched")

    def _legal(self) -> tuple[tuple[Term, ...], ...]:
        """Return the legal moves of all roles at the root of the last search."""
        return self._lines.view(self._root_state).legal

    def _line(self) -> Line:
        numbers, node = [], self._root
        seen = {node}
        while (number := self._best_edge(node)) >= 0:
            numbers.append(number)
            node = self._child(node, number)
            if node < 0 or node in seen:
                break
            seen.add(node)
        return self._lines.after(Line((), (self._root_state,)), numbers, deadline=Deadline())

    def _result(self, began: float) -> SearchResult:
        variation, every = self._line().joint_moves, self._lines.view(self._root_state).joint_moves
        chosen = variation[0] if variation else next(iter(every), None)
        goals, is_exact = self._found()
        return self._made(goals, chosen, variation, began, exact=is_exact)

    def _made(
        self,
        goals: ValueVector,
        chosen: JointMove | None,
        variation: tuple[JointMove, ...],
        began: float,
        *,
        exact: bool,
    ) -> SearchResult:
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self.settings.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=goals[self.role],
            goals=goals,
            joint_move=chosen,
            variation=variation,
            exact=exact,
            prunes={},
            seconds=time.monotonic() - began,
            engine="compiled",
            **self._costs(),
        )
