"""The common base of the players that search by iterative deepening."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ggp.deadline import Deadline
from ggp.engine import engine_search
from ggp.errors import GameError, PlayerError, ReasonerMemory, TooManyJointMoves
from ggp.graph import DEFAULT_MAX_STATES, GameGraph
from ggp.kif import Term
from ggp.match import Player, PlayerContext, PossibleStates, SearchInfo, flat_monte_carlo
from ggp.players.defence import best_defence
from ggp.reasoner import JointMove, State
from ggp.recursion import MAX_PLIES
from ggp.search import (
    Evaluation,
    LeafValueTable,
    SearchAlgorithm,
    Searcher,
    SearchResult,
)
from ggp.search.leaf_values import DEFAULT_TIME_LIMIT, Enumeration

__all__ = ["Deepening"]


#: Megabytes of the engine's transposition table.
DEFAULT_MEMORY = 64

# The share of the start clock that enumerating the leaf values may take.
_LEAF_VALUES = 0.25
# The share of the time for a move in which a search must reach the depth of the previous one.
_CATCHING_UP = 0.25
# The share of the time for a move in which a search to the end of the game may prove it.
_SOLVING = 0.2
# The share of the time for a move that the defence of a position takes if its loss is not proven.
_DEFENDING = 0.5
# Megabytes of the transposition table of the defence.
_DEFENCE_MEMORY = 16

# The errors that end a search because of states ahead.
_OUTGROWN = (GameError, TooManyJointMoves, ReasonerMemory)


class Deepening(Player):
    """Searches by iterative deepening until the best move is proven or the clock runs out.

    A search that prunes by the leaf-value table has a share of the time to solve the game first:
    the table decides where every value is one of a leaf, and not at a horizon.

    The game graph and the transposition table are kept from move to move, and the start clock is
    spent on filling them. As soon as the reasoner has machine code, the engine takes over, if it
    knows the search. A subclass names the search.

    An `Evaluation` estimates the states at the horizon. Playouts are part of it only if they are
    compiled: with Prolog, a playout costs as much as a search that is several moves deeper.
    """

    #: The search that finds the move.
    search_class: SearchAlgorithm

    def __init__(
        self,
        *,
        depth: int | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        memory: int = DEFAULT_MEMORY,
        ponder: bool = False,
        goals: float = 0.09,
        mobility: float = 0.01,
        playouts: float = 0.9,
        count: int = 256,
    ) -> None:
        """Configure the player.

        Args:
            depth: how many joint moves to look ahead at most; None for no limit.
            max_states: how many states to keep in memory; also the number of entries of the
                reference search's transposition table.
            memory: megabytes of the engine's transposition table.
            ponder: whether to go on searching while the other players think.
            goals: the weight of the present goals of a state at the horizon.
            mobility: the weight of the role's share of the legal moves.
            playouts: the weight of the mean goals of random playouts.
            count: how many playouts, as for `Evaluation`.

        Raises:
            PlayerError: a limit is less than 1, or the weights make no sense.
        """
        if min(max_states, memory, count) < 1 or (depth is not None and depth < 1):
            raise PlayerError("depth, max_states, memory and count must be at least 1")
        if not Evaluation.are_weights(goals, mobility, playouts):
            raise PlayerError("goals, mobility and playouts must be at least 0, and not all 0")
        self._depth = depth
        self._max_states = max_states
        self._memory = memory
        self._ponders = ponder
        self._weights: dict[str, Any] = {
            "goals": goals, "mobility": mobility, "playouts": playouts, "count": count,
        }  # fmt: skip
        self._search_options: dict[str, Any] = {}

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Search from the initial state, so that the results are known when play begins."""
        super().start(context, deadline)
        self._graph = GameGraph(context.reasoner, max_states=self._max_states)
        self._search_options["role"] = context.index
        self._enumeration: Enumeration | None = None
        self._use(self._leaf_values(deadline))
        #: The node of the last search, and how the game goes on from there.
        self._last: tuple[int, tuple[JointMove, ...]] = self._graph.root, ()
        #: How many joint moves have been made, and up to which one the engine has searched.
        self._turn = self._horizon = 0
        self._is_asked = False
        for _ in self._results(self._graph.root, deadline):
            pass

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        """End the process that enumerates the leaf values."""
        super().stop(goals)
        if self._enumeration is not None:
            self._enumeration.close()

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the best move at each depth; the only move at once if there is no choice.

        Until the search has found a move, that is the move which the last search expected here.
        """
        self._turn += self._is_asked
        self._is_asked = True
        node = self._graph.node(state)
        expected = self._expected(node)
        self._graph.set_root(node)
        try:
            legal = self._graph.expansion(node).legal[self.context.index]
        except TooManyJointMoves:
            legal = self.context.reasoner.legal_moves(state, self.context.role)
        yield expected or legal[0]
        if len(legal) == 1:
            return
        is_found = False
        for move in self._best_moves(node, deadline, is_urgent=expected is None):
            is_found = True
            yield move
        if not is_found:
            yield from self._sampled(legal, lambda: state, deadline)

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield the move that does best on average over the possible states."""
        yield from self._sampled(possible.legal, lambda: possible.sample(1)[0], deadline)

    def _sampled(
        self, legal: Sequence[Term], draw: Callable[[], State], deadline: Deadline
    ) -> Iterator[Term]:
        context = self.context
        return flat_monte_carlo(
            context.reasoner, context.index, legal, draw, deadline, report=context.report
        )

    def _best_moves(self, node: int, deadline: Deadline, *, is_urgent: bool) -> Iterator[Term]:
        """Yield the best move at each depth.

        If every move seems to get the lowest goal, the search prefers none of them. Then the best
        defence is chosen, since the other players may make mistakes.
        """
        lowest, is_lost = self._evaluation.range_of(self.context.index)[0], False
        for result in self._results(node, deadline, is_urgent=is_urgent):
            if result.value is None:
                continue  # the time was too short to find anything
            if result.value != lowest:
                is_lost = False
                if result.move is not None:
                    yield result.move
            elif not is_lost:
                is_lost = True
                time = deadline if result.exact else deadline.part(_DEFENDING)
                with suppress(*_OUTGROWN):
                    yield from best_defence(
                        self._graph,
                        self._new_search(node),
                        node,
                        self.context.index,
                        lowest=lowest,
                        deadline=time,
                    )

    def _expected(self, node: int) -> Term | None:
        """Return the role's move in a node on the variation of the last search, if it is there."""
        at, variation = self._last
        for joint_move in variation[:2]:
            if at == node:
                return joint_move[self.context.index]
            with suppress(KeyError, *_OUTGROWN):
                expansion = self._graph.expansion(at)
                known = zip(expansion.joint_moves, expansion.children, strict=True)
                at = next((child for made, child in known if made == joint_move), -1)
        return None

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        """Search on from the state after the move, or from the same state if others choose, too."""
        if not self._ponders:
            return
        node = self._graph.node(state)
        with suppress(TooManyJointMoves), self._graph.held(node) as expansion:
            own, turn = expansion.legal[self.context.index], self._turn
            if len(own) > 1 and len(expansion.children) == len(own):
                # no other role has a choice
                node = expansion.children[own.index(move)]
                self._turn += 1
            try:
                for _ in self._results(node, deadline):
                    pass
            finally:
                self._turn = turn

    def _leaf_values(self, deadline: Deadline) -> LeafValueTable:
        """Return the table of the goals that the roles can get together.

        It is enumerated in the background, unless no classifier uses it or there is no time to
        prepare. A part of the start clock is waited for it.
        """
        description = self.context.reasoner.description
        if self._search_options.get("classifier") == "none" or deadline.is_over:
            return LeafValueTable.of(description)
        self._enumeration = Enumeration(description)
        self._enumeration.wait(min(_LEAF_VALUES * deadline.remaining, DEFAULT_TIME_LIMIT))
        return self._enumeration.table

    def _use(self, leaf_values: LeafValueTable) -> None:
        """Begin anew with a table."""
        self._evaluation = Evaluation(leaf_values=leaf_values, **self._weights)
        self._search_options["leaf_values"] = leaf_values
        self._search = self._new_reference()
        self._engine: Searcher | None = None
        #: Whether the reference has proven a value before there was an engine.
        self._is_solved = False

    def _better_table(self) -> LeafValueTable | None:
        """Return the table that has been enumerated meanwhile, if there is one."""
        enumeration = self._enumeration
        if enumeration is None or not enumeration.is_over:
            return None
        is_new = enumeration.table is not self._search_options["leaf_values"]
        return enumeration.table if is_new else None

    def _has_better_table(self) -> bool:
        return self._better_table() is not None

    def _results(
        self, node: int, deadline: Deadline, *, is_urgent: bool = False
    ) -> Iterator[SearchResult]:
        """Search deeper and deeper, and report and yield what is found.

        As soon as the table has been enumerated, the search begins anew with it.
        """
        # A state ahead may break the rules or be too large: what was found until then stands.
        with suppress(*_OUTGROWN):
            is_proven = False
            while True:
                if (table := self._better_table()) is not None:
                    self._horizon = self._turn
                    self._use(table)
                sooner = _Sooner(deadline=deadline, is_due=self._has_better_table)
                for result in self._deepened(node, sooner, is_urgent=is_urgent):
                    self._report(node, result)
                    yield result
                    is_proven = result.exact
                    if is_proven and result.value == self._best:
                        return  # a search that is less deep did not find it: no way is shorter
                if is_proven or deadline.is_over or not self._has_better_table():
                    return

    def _report(self, node: int, result: SearchResult) -> None:
        """Report a result, and note it as the last one."""
        self._last = node, result.variation
        self.context.report(
            SearchInfo(
                result.value,
                result.variation,
                is_proven=result.exact,
                depth=max(result.depth, self._horizon - self._turn),
                nodes=result.expanded,
                seconds=result.seconds,
                classifier=None if result.classifier == "none" else result.classifier,
                prunes=result.prunes,
                reasoner=self.context.reasoner.name,
            )
        )

    def _deepened(
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
            yield search.run(node, depth=1, deadline=deadline)
        solved = self._solved(search, node, deadline.part(_SOLVING))
        if solved is not None:
            yield solved
            return
        first = max(1, min(self._horizon - self._turn, self._depth or MAX_PLIES))
        if first > 1:
            soon = deadline.part(_CATCHING_UP)
            result = search.run(node, depth=first, deadline=soon)
            if soon.is_over:
                first = 1
            else:
                yield result
                if result.exact:
                    return
        for result in search.deepen(node, first=first, depth=self._depth, deadline=deadline):
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
            until = _Sooner(deadline=deadline, is_due=self._has_engine)
        was_solved, self._is_solved = self._is_solved, False
        sooner = _Sooner(deadline=deadline.part(_SOLVING), is_due=lambda: until.is_over)
        solved = self._solved(self._search, node, sooner)
        if solved is not None:
            self._is_solved = True
            yield solved
            return True
        for result in self._search.deepen(node, depth=self._depth, deadline=until):
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
        if self._depth is None and self.search_class.enumerates:
            # What is too large or breaks the rules may lie beyond every horizon.
            with suppress(*_OUTGROWN):
                result = search.run(node, deadline=deadline)
                return self._soonest(search, result, node, deadline) if result.exact else None
        return None

    def _soonest(
        self, solver: Searcher, proven: SearchResult, node: int, deadline: Deadline
    ) -> SearchResult:
        """Return a result by the shortest way to the best goal that is found in time."""
        best, length = self._best, len(proven.variation)
        if proven.value != best or length < 2:
            return proven
        # the table has proofs of longer ways
        search = self._new_search(node)
        for result in search.deepen(node, depth=length - 1, deadline=deadline):
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
        child = expansion.children[list(expansion.joint_moves).index(result.joint_move)]
        after = self._graph.expansion(child)
        if after.terminal:
            return after.goals[self.context.index] == result.value
        found = solver.run(child, deadline=deadline)
        return found.exact and found.value == result.value

    @property
    def _best(self) -> int:
        """The highest goal that the role can get."""
        return self._search.leaf_values.highest(self.context.index)

    def _has_engine(self) -> bool:
        """Return whether there is machine code, and an engine that runs on it."""
        if self._engine is None:
            self._engine = self._new_engine(self._memory)
        return self._engine is not None

    def _new_engine(self, memory: int) -> Searcher | None:
        return engine_search(
            self._graph,
            self.search_class,
            table_bytes=memory << 20,
            deadline=Deadline(0.0),  # a move must not wait for a compiler
            evaluation=self._evaluation,
            **self._search_options,
        )

    def _new_reference(self) -> Searcher:
        return self.search_class(
            self._graph,
            table_size=self._max_states,
            evaluation=self._evaluation.without_playouts,
            **self._search_options,
        )

    def _new_search(self, node: int) -> Searcher:
        """Return a search with an empty table that takes the children of a node."""
        engine = None
        if self._engine is not None:
            # another evaluation would need code that has not been compiled yet
            engine = self._new_engine(_DEFENCE_MEMORY)
        children = self._graph.expansion(node).children
        if engine is not None and all(map(engine.takes, children)):
            return engine
        return self._new_reference()


@dataclass(frozen=True, slots=True)
class _Sooner(Deadline):
    """A deadline that is also over as soon as a condition holds."""

    deadline: Deadline = field(default_factory=Deadline)
    is_due: Callable[[], bool] = bool

    @property
    def remaining(self) -> float:
        return 0.0 if self.is_over else self.deadline.remaining

    @property
    def is_over(self) -> bool:
        return self.deadline.is_over or self.is_due()
