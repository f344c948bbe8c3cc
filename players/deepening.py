"""What the searching players share: they look one joint move ahead, then two, then three."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ggp.clock import Clock
from ggp.errors import GameError, PlayerError, TooManyJointMoves
from ggp.graph import DEFAULT_MAX_STATES, GameGraph
from ggp.kif import Term
from ggp.match import Player, Seat
from ggp.reasoner import State
from ggp.search import GoalsAndMobility, LeafValueTable, Search

__all__ = ["Deepening"]


class Deepening(Player):
    """Searches by iterative deepening until the best move is proven or the clock runs out.

    The game graph and the transposition table are kept from move to move, and the start clock is
    spent on filling them. A subclass names its search.
    """

    #: The search that looks for the move.
    search_class: ClassVar[type[Search[Any]]]

    def __init__(self, *, depth: int | None = None, max_states: int = DEFAULT_MAX_STATES) -> None:
        """Configure the player.

        Args:
            depth: how many joint moves to look ahead at most; None for no limit.
            max_states: how many states to keep in memory, and entries in the transposition table.

        Raises:
            PlayerError: a limit is less than 1.
        """
        if max_states < 1 or (depth is not None and depth < 1):
            raise PlayerError("depth and max_states must be at least 1")
        self._depth = depth
        self._max_states = max_states
        self._search_options: dict[str, Any] = {}

    def start(self, seat: Seat, clock: Clock) -> None:
        """Search from the initial state, so that what is found is known when play begins."""
        super().start(seat, clock)
        self._graph = GameGraph(seat.reasoner, max_states=self._max_states)
        self._search = self.search_class(
            self._graph,
            role=seat.index,
            evaluation=GoalsAndMobility(LeafValueTable.of(seat.reasoner.description)),
            table_size=self._max_states,
            **self._search_options,
        )
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
            for result in self._search.deepen(node, depth=self._depth, clock=clock):
                # If all is lost against the best play, any move is as good as the last one; but
                # that one was not yet lost one joint move less ahead, and the others may err.
                is_lost = result.exact and result.value == 0
                if result.move is not None and not is_lost:
                    yield result.move
                if result.value == self._search.leaf_values.highest(self.seat.index):
                    return  # no estimate says as much: this is the shortest way to the best goal
        except (GameError, TooManyJointMoves):
            # Somewhere ahead the game breaks its rules or outgrows us: what was found stands.
            return
