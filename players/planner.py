"""Plays puzzles: games of one role, by a plan that is made before the first move if possible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import inf

from ggp import search
from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import PlayerError
from ggp.graph import DEFAULT_MAX_STATES, GameGraph
from ggp.kif import Term
from ggp.match import Player, PlayerContext, SearchInfo, flat_monte_carlo
from ggp.players.searching import SEARCH_ERRORS, Thinking
from ggp.reasoner import State
from ggp.search import Limit, Searcher, SearchResult
from ggp.search.puzzle import check_puzzle

__all__ = ["Planner"]

# The share of the start clock that may be spent on waiting for machine code.
_COMPILING = 0.5
# The share of the time for a move in which to plan; without any plan, playouts have the rest.
_PLANNING = 0.7


class Planner(Player):
    """Plays the best plan that it finds, and searches until no plan can be better.

    Args:
        memory: megabytes that the search may take.
        max_states: how many states the search remembers as long as there is no machine code.
    """

    def __init__(self, *, memory: int = 256, max_states: int = DEFAULT_MAX_STATES) -> None:
        if min(memory, max_states) < 1:
            raise PlayerError("memory and max_states must be at least 1")
        self._bytes, self._max_states = memory << 20, max_states

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Search from the initial state. Raises `PlayerError` if the game has several roles."""
        super().start(context, deadline)
        self._check_roles()
        self._graph = GameGraph(context.reasoner)
        self._search: Searcher = search.Planner(self._graph, table_size=self._max_states)
        self._has_engine = self._is_proven = False
        soon = deadline.part(_COMPILING)
        context.reasoner.warm_up(soon)
        self._take_engine(soon)
        self._thinking = Thinking(context.report)
        for _ in self._results(self._graph.root, deadline):
            pass
        self._thinking.end()

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the first move of the best plan, as soon as there is one.

        As long as there is none, the move is chosen by random playouts, if there is a clock.
        """
        self._check_roles()
        self._thinking = Thinking(self.context.report)
        try:
            yield from self._chosen(state, deadline)
        finally:
            self._thinking.end()

    def _chosen(self, state: State, deadline: Deadline) -> Iterator[Term]:
        node = self._graph.node(state)
        self._graph.set_root(node)
        legal, result = self.context.reasoner.legal_moves(state, self.context.role), None
        yield legal[0]
        if len(legal) == 1:
            return
        for result in self._results(node, deadline.part(_PLANNING)):
            if result.variation:
                yield result.variation[0][0]
        if result is not None and result.variation:
            for result in self._results(node, deadline):
                yield result.variation[0][0]
        elif deadline.remaining < inf:
            reasoner, report = self.context.reasoner, self._thinking.teller()
            yield from flat_monte_carlo(reasoner, 0, legal, lambda: state, deadline, report=report)

    def _check_roles(self) -> None:
        try:
            check_puzzle(self.context.reasoner.roles)
        except ValueError as error:
            raise PlayerError(str(error)) from None

    def _results(self, node: int, deadline: Deadline) -> Iterator[SearchResult]:
        """Search a node, and report and yield what is found."""
        if not self._is_proven:
            self._take_engine(Deadline(0.0))
        for result in self._found(node, deadline):
            self._thinking.tell(
                SearchInfo(
                    result.value,
                    result.variation,
                    is_proven=result.exact,
                    depth=result.depth,
                    classifier=result.classifier,
                    reasoner=self.context.reasoner.name,
                    simulations=result.simulations,
                )
            )
            self._is_proven = result.exact
            yield result

    def _found(self, node: int, deadline: Deadline) -> Iterator[SearchResult]:
        # a state ahead may break the rules or be too large: what was found until then stands
        with suppress(*SEARCH_ERRORS):
            yield from self._thinking.counted(self._search.deepen(node, Limit(deadline=deadline)))

    def _take_engine(self, deadline: Deadline) -> None:
        """Let the engine plan if it is ready by the deadline; the reference has no plan then."""
        if not self._has_engine:
            resources = Resources(table_bytes=self._bytes, deadline=deadline)
            engine = engine_search(self._graph, search.Planner, resources=resources)
            if engine is not None and engine.takes():
                self._search, self._has_engine = engine, True
