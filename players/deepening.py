"""The common base of the players that search by iterative deepening."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.players.searching import SEARCH_ERRORS, Searching
from ggp.recursion import MAX_PLIES
from ggp.search import Evaluation, LeafValueTable, Limit, Searcher, SearchResult

__all__ = ["Deepening"]

# The share of the time for a move in which a search must reach the depth of the previous one.
_CATCHING_UP = 0.25
# The share of the time for a move in which a search to the end of the game may prove it.
_SOLVING = 0.2
# How many states the search for a shorter way to a proven goal may expand: as a multiple of those
# of the proof, and at least.
_SHORTENING, _LEAST_SHORTENING = 4, 20_000


class Deepening(Searching):
    """Searches by iterative deepening until the best move is proven or the clock runs out.

    A search that prunes by the leaf-value table has a share of the time to solve the game first:
    the table decides where every value is one of a leaf, and not at a horizon.

    An `Evaluation` estimates the states at the horizon. Playouts are part of it only if they are
    compiled: with Prolog, a playout costs as much as a search that is several moves deeper.
    """

    def __init__(
        self,
        *,
        depth: int | None = None,
        goals: float = 0.09,
        mobility: float = 0.01,
        playouts: float = 0.9,
        count: int = 256,
        **options: Any,
    ) -> None:
        """Configure the player.

        Args:
            depth: how many joint moves to look ahead at most; None for no limit.
            goals: the weight of the present goals of a state at the horizon.
            mobility: the weight of the role's share of the legal moves.
            playouts: the weight of the mean goals of random playouts.
            count: how many playouts, as for `Evaluation`.
            **options: as for `Searching`.

        Raises:
            PlayerError: a limit is less than 1, or the weights make no sense.
        """
        super().__init__(**options)
        if count < 1 or (depth is not None and depth < 1):
            raise PlayerError("depth and count must be at least 1")
        if not Evaluation.are_weights(goals, mobility, playouts):
            raise PlayerError("goals, mobility and playouts must be at least 0, and not all 0")
        self._depth = depth
        self._weights: dict[str, Any] = {
            "goals": goals, "mobility": mobility, "playouts": playouts, "count": count,
        }  # fmt: skip

    def _evaluation_of(self, leaf_values: LeafValueTable) -> Evaluation:
        if self._net is not None:
            return super()._evaluation_of(leaf_values)
        return Evaluation(leaf_values=leaf_values, **self._weights)

    def _depth_of(self, result: SearchResult) -> int:
        return max(result.depth, self._horizon - self._turn)

    def _use(self, leaf_values: LeafValueTable) -> None:
        super()._use(leaf_values)
        #: Up to which joint move the engine has searched.
        self._horizon = 0
        #: Whether the reference has proven a value before there was an engine.
        self._is_solved = False

    def _searched(
        self, node: int, deadline: Deadline, *, is_urgent: bool
    ) -> Iterator[SearchResult]:
        """Search by the reference until the engine can take over.

        The engine's table holds the results of earlier turns, so the search continues at the depth
        that was reached then. If too many results are missing because the others made unexpected
        moves, it starts again at depth 1. If a move is urgent, it first looks one joint move ahead.
        """
        if self._engine is None and (yield from self._by_reference(node, deadline)):
            return
        if self._engine is None or deadline.is_over:
            return
        search = self._engine if self._engine.takes(node) else self._search
        if is_urgent:
            yield self._thinking.count(search.run(node, Limit(depth=1, deadline=deadline)))
        solved = self._solved(search, node, deadline.part(_SOLVING))
        if solved is not None:
            yield solved
            return
        first = max(1, min(self._horizon - self._turn, self._depth or MAX_PLIES))
        if first > 1:
            soon = deadline.part(_CATCHING_UP)
            result = self._thinking.count(search.run(node, Limit(depth=first, deadline=soon)))
            if soon.is_over:
                first = 1
            else:
                yield result
                if result.exact:
                    return
        results = search.deepen(node, Limit(depth=self._depth, deadline=deadline), first=first)
        for result in self._thinking.counted(results):
            if result.horizon is not None:
                self._horizon = self._turn + result.horizon
            yield result

    def _by_reference(self, node: int, deadline: Deadline) -> Generator[SearchResult, None, bool]:
        """Search by the reference until the engine can take over; return whether that proves it."""
        if self._is_solved:
            # The reference's table has the proof, unless the others made unexpected moves.
            until = deadline.part(_CATCHING_UP)
        elif self._has_engine():
            return False
        else:
            until = deadline.until(self._has_engine)
        was_solved, self._is_solved = self._is_solved, False
        solving = deadline.part(_SOLVING).until(lambda: until.is_over)
        solved = self._solved(self._search, node, solving)
        if solved is not None:
            self._is_solved = True
            yield solved
            return True
        results = self._search.deepen(node, Limit(depth=self._depth, deadline=until))
        for result in self._thinking.counted(results):
            self._is_solved = result.exact
            yield result
            if result.exact:
                return True
        if was_solved:
            return (yield from self._by_reference(node, deadline))
        return False

    def _solved(self, search: Searcher, node: int, deadline: Deadline) -> SearchResult | None:
        """Search to the end of the game; return the result if it is proven.

        It is not tried with a depth limit, nor where the leaf-value table would not prune.
        """
        if self._depth is None and self.algorithm.enumerates:
            # What is too large or breaks the rules may lie beyond every horizon.
            with suppress(*SEARCH_ERRORS):
                result = self._thinking.count(search.run(node, Limit(deadline=deadline)))
                return self._soonest(search, result, node, deadline) if result.exact else None
        return None

    def _soonest(
        self, solver: Searcher, proven: SearchResult, node: int, deadline: Deadline
    ) -> SearchResult:
        """Return a result by the shortest way to the best goal that is found in time.

        The search for it takes a few times as many states as the proof: far from the end of the
        game, where nothing prunes, it could take all the time.
        """
        best, length = self._best, len(proven.variation)
        if proven.value != best or length < 2:
            return proven
        # the table has proofs of longer ways
        search = self._new_search(node)
        most = max(_SHORTENING * proven.expanded, _LEAST_SHORTENING)
        limit = Limit(depth=length - 1, nodes=most, deadline=deadline)
        for result in self._thinking.counted(search.deepen(node, limit)):
            if result.value == best and self._is_sure(solver, result, node, deadline):
                return replace(proven, joint_move=result.joint_move, variation=result.variation)
        return proven

    def _is_sure(
        self, solver: Searcher, result: SearchResult, node: int, deadline: Deadline
    ) -> bool:
        """Return whether the move of a result is proven to get its value.

        Max-n may have found the value by what others seem to prefer at a horizon.
        """
        if result.exact or result.joint_move is None:
            return result.exact
        expansion = self._graph.expansion(node)
        if len(expansion.children) > len(expansion.legal[self.context.index]):
            return False  # others choose at the same time
        child = expansion.children[expansion.joint_moves.index(result.joint_move)]
        after = self._graph.expansion(child)
        if after.terminal:
            return after.goals[self.context.index] == result.value
        found = self._thinking.count(solver.run(child, Limit(deadline=deadline)))
        return found.exact and found.value == result.value
