"""The common base of the players that search: what they prepare, keep and report."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import GameError, GgpError, PlayerError, ReasonerMemory, TooManyJointMoves
from ggp.graph import DEFAULT_MAX_STATES, GameGraph
from ggp.kif import Term
from ggp.match import Player, PlayerContext, PossibleStates, SearchInfo, flat_monte_carlo
from ggp.players.defence import best_defence
from ggp.players.information_sets import best_in_information_sets
from ggp.reasoner import JointMove, State
from ggp.search import (
    Algorithm,
    Evaluation,
    LeafValueTable,
    Limit,
    Searcher,
    SearchResult,
    ValueNet,
)
from ggp.search.leaf_values import Enumeration
from ggp.workers.cores import available, free, limited

__all__ = ["SEARCH_ERRORS", "Searching", "Thinking"]

#: The number of joint moves of a state from which Prolog takes too long for a player's clock.
_MAX_INTERPRETED = 5_000
#: Megabytes of the engine's memory.
DEFAULT_MEMORY = 64

# The share of the start clock that enumerating the leaf values may take, and seconds at most.
_LEAF_VALUES, _MOST_LEAF_VALUES = 0.25, 10.0
# The share of the time for a move that the defence of a position takes if its loss is not proven.
_DEFENDING = 0.5
# Megabytes of the transposition table of the defence.
_DEFENCE_MEMORY = 16

#: The errors that end a search because of states ahead.
SEARCH_ERRORS = (GameError, TooManyJointMoves, ReasonerMemory)


class Thinking:
    """Reports what a player thinks, with the nodes, prunes and seconds of all searches in the turn.

    A player may search several times in a turn, by several searches, and often the last one finds
    nothing new. Each search counts for itself; the record of a match tells what the turn cost.
    """

    def __init__(self, report: Callable[[SearchInfo], None]) -> None:
        """Begin a turn.

        Args:
            report: takes what the player thinks, as `PlayerContext.report`.
        """
        #: States that have been searched.
        self.nodes = 0
        #: How often each rule has pruned.
        self.prunes: Counter[str] = Counter()
        self._report = report
        self._began = time.monotonic()
        self._told: SearchInfo | None = None

    def count(self, result: SearchResult) -> SearchResult:
        """Count a search that is over, and return its result."""
        self.nodes += result.expanded
        self.prunes.update(result.prunes)
        return result

    def counted(self, results: Iterable[SearchResult]) -> Iterator[SearchResult]:
        """Yield the results of a search, whose counts add up, and count it as it goes on."""
        counted, pruned = 0, Counter[str]()
        for result in results:
            self.nodes += result.expanded - counted
            before, counted, pruned = pruned, result.expanded, Counter(result.prunes)
            self.prunes.update(pruned - before)
            yield result

    def tell(self, info: SearchInfo) -> None:
        """Report what the player thinks, with the nodes, prunes and seconds of the turn."""
        self._told = info
        seconds, prunes = time.monotonic() - self._began, dict(self.prunes)
        self._report(replace(info, nodes=self.nodes, prunes=prunes, seconds=seconds))

    def teller(self) -> Callable[[SearchInfo], None]:
        """Return what takes the reports of a search that counts its own nodes in them."""
        counted = 0

        def tell(info: SearchInfo) -> None:
            nonlocal counted
            self.nodes += info.nodes - counted
            counted = info.nodes
            self.tell(info)

        return tell

    def end(self) -> None:
        """Report once more what the player thought last, if anything: the turn is over."""
        if self._told is not None:
            self.tell(self._told)


class Searching(Player):
    """Searches until the best move is proven or the clock runs out.

    The game graph and the memory of the search are kept from move to move, and the start clock is
    spent on filling them. As soon as the reasoner has machine code, the engine takes over, if it
    knows the search. A subclass names the search and says how it goes on in a turn.
    """

    #: The search that finds the move.
    algorithm: Algorithm
    #: The search, by iterative deepening, that finds the best defence of a lost position; None for
    #: `algorithm`.
    defence: Algorithm | None = None

    def __init__(
        self,
        *,
        max_states: int = DEFAULT_MAX_STATES,
        memory: int = DEFAULT_MEMORY,
        ponder: bool | None = False,
        net: str | None = None,
    ) -> None:
        """Configure the player.

        Args:
            max_states: how many states to keep in memory; also the size of the memory of the
                reference search, in entries.
            memory: megabytes of the engine's memory.
            ponder: whether to go on searching while the other players think; None to do so on half
                of the cores that are free then.
            net: the file of a value network (`ggp.search.ValueNet`), which estimates states in
                place of playouts or of another evaluation.

        Raises:
            PlayerError: a limit is less than 1, or the file cannot be used.
        """
        if min(max_states, memory) < 1:
            raise PlayerError("max_states and memory must be at least 1")
        self._max_states = max_states
        self._memory = memory
        self._ponders = ponder
        try:
            self._net = None if net is None else ValueNet.load(net)
        except GgpError as error:
            raise PlayerError(f"option 'net': {error}") from None
        #: What the search is asked for, and how many threads of the engine share it.
        self._options = self.algorithm.options()
        self._threads: int | None = 1
        self._enumeration: Enumeration | None = None

    def use(self, net: ValueNet, *, after: Searching | None = None) -> None:
        """Estimate states by a network; call it before `start`.

        Args:
            net: of the game.
            after: a player that was started, in the place of which this one plays: its leaf values
                are taken, and need not be enumerated again.
        """
        self._net = net
        if after is not None:
            self._enumeration = after._enumeration

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Search from the initial state, so that the results are known when play begins.

        Raises:
            PlayerError: the search is not for such games, or the network is of another game.
        """
        super().start(context, deadline)
        try:
            self._options.check(context.reasoner.roles)
        except ValueError as error:
            raise PlayerError(str(error)) from None
        if self._net is not None:
            reasoner = context.reasoner
            try:
                self._net.check_game(reasoner.roles, reasoner.facts(reasoner.initial_state()))
            except GgpError as error:
                raise PlayerError(f"option 'net': {error}") from None
        self._graph = GameGraph(
            context.reasoner, max_states=self._max_states, max_interpreted=_MAX_INTERPRETED
        )
        self._options = replace(self._options, role=context.index)
        self._use(self._leaf_values(deadline))
        #: The node of the last search, and how the game goes on from there.
        self._last: tuple[int, tuple[JointMove, ...]] = self._graph.root, ()
        #: How many joint moves have been made.
        self._turn = 0
        self._is_asked = False
        self.prepare(deadline)

    def prepare(self, deadline: Deadline) -> None:
        """Search on from the initial state, between `start` and the first turn."""
        with self._thinking_anew():
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
        self._begin_turn()
        with self._thinking_anew():
            yield from self._chosen(state, deadline)

    def _begin_turn(self) -> None:
        self._turn += self._is_asked
        self._is_asked = True

    def _chosen(self, state: State, deadline: Deadline) -> Iterator[Term]:
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
        """Yield the move that a search of information sets makes most often.

        Until there is machine code, it is the move that does best in random playouts of the
        possible states.
        """
        self._begin_turn()
        with self._thinking_anew():
            yield from self._best_among(possible, deadline)

    def _best_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        return self._in_information_sets(possible, Limit(deadline=deadline))

    def _in_information_sets(
        self, possible: PossibleStates, limit: Limit, *, seed: int | None = None
    ) -> Iterator[Term]:
        reasoner, deadline, is_found = self.context.reasoner, limit.deadline, False
        if reasoner.lanes == 1:
            yield from self._sampled_among(possible, deadline.until(lambda: reasoner.lanes > 1))
        if reasoner.lanes > 1 and not deadline.is_over:
            with suppress(*SEARCH_ERRORS):
                tell = self._thinking.teller()
                for move in best_in_information_sets(self.context, possible, limit, tell, seed):
                    is_found = True
                    yield move
            if not is_found:
                yield from self._sampled_among(possible, deadline)

    def _sampled_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        return self._sampled(possible.legal, lambda: possible.sample(1)[0], deadline)

    @property
    def leaf_values(self) -> LeafValueTable:
        """The table of goals, after `start`; the best that has been found so far."""
        return self._better_table() or self._table

    @contextmanager
    def _thinking_anew(self) -> Iterator[None]:
        """Begin to count what a turn costs, and report it at its end, even if that comes early."""
        self._thinking = Thinking(self.context.report)
        try:
            yield
        finally:
            self._thinking.end()

    def _sampled(
        self, legal: Sequence[Term], draw: Callable[[], State], deadline: Deadline
    ) -> Iterator[Term]:
        context, report = self.context, self._thinking.teller()
        return flat_monte_carlo(
            context.reasoner, context.index, legal, draw, deadline, report=report
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
            if not self._is_lost(result, lowest):
                is_lost = False
                if result.move is not None:
                    yield result.move
            elif not is_lost:
                is_lost = True
                limit = deadline if result.exact else deadline.part(_DEFENDING)
                with suppress(*SEARCH_ERRORS):
                    yield from best_defence(
                        self._graph,
                        self._counting(self._new_search(node)),
                        node,
                        self.context.index,
                        lowest=lowest,
                        deadline=limit,
                    )

    def _expected(self, node: int) -> Term | None:
        """Return the role's move in a node on the variation of the last search, if it is there."""
        at, variation = self._last
        for joint_move in variation[:2]:
            if at == node:
                return joint_move[self.context.index]
            with suppress(KeyError, *SEARCH_ERRORS):
                expansion = self._graph.expansion(at)
                known = zip(expansion.joint_moves, expansion.children, strict=True)
                at = next((child for made, child in known if made == joint_move), -1)
        return None

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        """Search on from the state after the move, or from the same state if others choose, too."""
        cores = free() // 2 if self._ponders is None else available()
        if self._ponders is False or cores == 0:
            return
        with limited(cores), self._thinking_anew():
            self._think_on(state, move, deadline)

    def _think_on(self, state: State, move: Term, deadline: Deadline) -> None:
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
        if self._enumeration is not None:
            return self._enumeration.table
        description = self.context.reasoner.description
        if self._options.classifier == "none" or deadline.is_over:
            return LeafValueTable.of(description)
        self._enumeration = Enumeration(description)
        self._enumeration.wait(min(_LEAF_VALUES * deadline.remaining, _MOST_LEAF_VALUES))
        return self._enumeration.table

    def _evaluation_of(self, leaf_values: LeafValueTable) -> Evaluation:
        """Return what a state at a horizon is worth."""
        return Evaluation(leaf_values=leaf_values, net=self._net)

    def _is_lost(self, result: SearchResult, lowest: float) -> bool:
        """Return whether every move seems to get the lowest goal."""
        return result.value == lowest

    def _depth_of(self, result: SearchResult) -> int:
        """Return how many joint moves a result looks ahead."""
        return result.depth

    @abstractmethod
    def _searched(
        self, node: int, deadline: Deadline, *, is_urgent: bool
    ) -> Iterator[SearchResult]:
        """Yield better and better results for a node; the first one soon if a move is urgent."""

    def _use(self, leaf_values: LeafValueTable) -> None:
        """Begin anew with a table."""
        self._evaluation = self._evaluation_of(leaf_values)
        self._table = leaf_values
        self._options = replace(self._options, leaf_values=leaf_values)
        self._search = self._new_reference(self.algorithm)
        self._engine: Searcher | None = None

    def _better_table(self) -> LeafValueTable | None:
        """Return the table that has been enumerated meanwhile, if there is one."""
        enumeration = self._enumeration
        if enumeration is None or not enumeration.is_over:
            return None
        is_new = enumeration.table is not self._table
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
        with suppress(*SEARCH_ERRORS):
            is_proven = False
            while True:
                if (table := self._better_table()) is not None:
                    self._use(table)
                until = deadline.until(self._has_better_table)
                for result in self._searched(node, until, is_urgent=is_urgent):
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
        self._thinking.tell(
            SearchInfo(
                result.value,
                result.variation,
                is_proven=result.exact,
                depth=self._depth_of(result),
                classifier=None if result.classifier == "none" else result.classifier,
                leaf_values=self._table.known,
                reasoner=self.context.reasoner.name,
                simulations=result.simulations,
            )
        )

    def _counting(self, search: Searcher) -> Callable[[int, Limit], SearchResult]:
        """Return what runs a search, and counts it as a part of the turn."""
        return lambda node, limit: self._thinking.count(search.run(node, limit))

    @property
    def _best(self) -> int:
        """The highest goal that the role can get."""
        return self._search.leaf_values.highest(self.context.index)

    def _has_engine(self) -> bool:
        """Return whether there is machine code, and an engine that runs on it."""
        if self._engine is None:
            self._engine = self._new_engine(self.algorithm, self._memory)
        return self._engine is not None

    def _new_engine(self, algorithm: Algorithm, memory: int) -> Searcher | None:
        resources = Resources(
            table_bytes=memory << 20,
            threads=self._threads,
            deadline=Deadline(0.0),  # a move must not wait for a compiler
        )
        options = self._options.shared_with(algorithm.options)
        options = replace(options, evaluation=self._evaluation)
        return engine_search(self._graph, algorithm, options, resources)

    def _new_reference(self, algorithm: Algorithm) -> Searcher:
        options = self._options.shared_with(algorithm.options)
        options = replace(options, evaluation=self._evaluation.without_playouts)
        return algorithm.search(self._graph, options, table_size=self._max_states)

    def _new_search(self, node: int) -> Searcher:
        """Return a search with an empty table that takes the children of a node."""
        engine, chosen = None, self.defence or self.algorithm
        if self._engine is not None:
            # another evaluation would need code that has not been compiled yet
            engine = self._new_engine(chosen, _DEFENCE_MEMORY)
        children = self._graph.expansion(node).children
        if engine is not None and all(map(engine.takes, children)):
            return engine
        return self._new_reference(chosen)
