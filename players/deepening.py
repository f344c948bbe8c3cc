"""What the searching players share: they look one joint move ahead, then two, then three."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ggp.clock import Clock
from ggp.engine import KNOWN, engine_search
from ggp.errors import GameError, PlayerError, ReasonerMemory, TooManyJointMoves
from ggp.graph import DEFAULT_MAX_STATES, GameGraph
from ggp.kif import Term
from ggp.match import Player, Seat
from ggp.reasoner import State
from ggp.search import GoalsAndMobility, LeafValueTable, Search, SearchResult

if TYPE_CHECKING:  # it is loaded with the machine code
    from ggp.engine.search import EngineSearch

__all__ = ["Deepening"]


#: Megabytes of the engine's transposition table.
DEFAULT_MEMORY = 64


class Deepening(Player):
    """Searches by iterative deepening until the best move is proven or the clock runs out.

    The game graph and the transposition table are kept from move to move, and the start clock is
    spent on filling them. As soon as the reasoner has machine code, the engine takes over, if it
    knows the search. A subclass names the search.
    """

    #: The search that looks for the move.
    search_class: ClassVar[type[Search[Any]]]

    def __init__(
        self,
        *,
        depth: int | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        """Configure the player.

        Args:
            depth: how many joint moves to look ahead at most; None for no limit.
            max_states: how many states to keep in memory, and entries in the reference's
                transposition table.
            memory: megabytes of the engine's transposition table.

        Raises:
            PlayerError: a limit is less than 1.
        """
        if max_states < 1 or memory < 1 or (depth is not None and depth < 1):
            raise PlayerError("depth, max_states and memory must be at least 1")
        self._depth = depth
        self._max_states = max_states
        self._memory = memory
        self._search_options: dict[str, Any] = {}

    def start(self, seat: Seat, clock: Clock) -> None:
        """Search from the initial state, so that what is found is known when play begins."""
        super().start(seat, clock)
        self._graph = GameGraph(seat.reasoner, max_states=self._max_states)
        self._search_options |= {
            "role": seat.index,
            "evaluation": GoalsAndMobility(LeafValueTable.of(seat.reasoner.description)),
        }
        self._search = self.search_class(
            self._graph, table_size=self._max_states, **self._search_options
        )
        self._engine: EngineSearch | None = None
        for _ in self._results(self._graph.root, clock):
            pass

    def moves(self, state: State, clock: Clock) -> Iterator[Term]:
        """Yield the best move at each depth; only the one move where there is no choice."""
        node = self._graph.node(state)
        self._graph.set_root(node)
        legal = self._graph.expansion(node).legal[self.seat.index]
        yield legal[0]
        if len(legal) > 1:
            yield from self._results(node, clock)

    def _results(self, node: int, clock: Clock) -> Iterator[Term]:
        try:
            for result in self._deepened(node, clock):
                # If all is lost against the best play, any move is as good as the last one; but
                # that one was not yet lost one joint move less ahead, and the others may err.
                is_lost = result.exact and result.value == 0
                if result.move is not None and not is_lost:
                    yield result.move
                if result.value == self._search.leaf_values.highest(self.seat.index):
                    return  # no estimate says as much: this is the shortest way to the best goal
        except (GameError, TooManyJointMoves, ReasonerMemory):
            # Somewhere ahead the game breaks its rules or outgrows us: what was found stands.
            return

    def _deepened(self, node: int, clock: Clock) -> Iterator[SearchResult]:
        """Search by the reference until the engine can take over."""
        if not self._has_engine():
            until = _Handover(clock=clock, is_due=self._has_engine)
            yield from self._search.deepen(node, depth=self._depth, clock=until)
        if self._engine is not None and not clock.is_over:
            search = self._engine if self._engine.takes(node) else self._search
            yield from search.deepen(node, depth=self._depth, clock=clock)

    def _has_engine(self) -> bool:
        """Return whether there is machine code, and an engine that runs on it."""
        if self._engine is None and self._search.algorithm in KNOWN:
            self._engine = engine_search(
                self._graph,
                self._search.algorithm,
                table_bytes=self._memory << 20,
                **self._search_options,
            )
        return self._engine is not None


@dataclass(frozen=True, slots=True)
class _Handover(Clock):
    """Another clock that is also over as soon as somebody else is to go on."""

    clock: Clock = field(default_factory=Clock)
    is_due: Callable[[], bool] = bool

    @property
    def remaining(self) -> float:
        return 0.0 if self.is_over else self.clock.remaining

    @property
    def is_over(self) -> bool:
        return self.clock.is_over or self.is_due()
