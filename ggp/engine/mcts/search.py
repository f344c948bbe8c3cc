"""The engine's tree search: the interface of `ggp.search.Searcher`, the work done by a loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ggp.engine.evaluation import nanoseconds
from ggp.engine.growing import GrowingEngine, TreeCosts
from ggp.engine.layout import FINISHED, FULL, SPENT
from ggp.engine.mcts.collect import collect
from ggp.engine.mcts.expand import add_root
from ggp.engine.mcts.layout import IS_TERMINAL, NODES, VISITS
from ggp.engine.mcts.memory import WORDS, new_tree, seen_by_another
from ggp.engine.mcts.proofs import set_aims
from ggp.engine.mcts.team import Team
from ggp.engine.mcts.worker import Worker
from ggp.engine.resources import DEFAULT_TABLE_BYTES, Resources
from ggp.engine.turns import Turns
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.native.numba_support import Words
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.evaluation import Evaluation
from ggp.search.mcts.options import TreeSettings
from ggp.search.mcts.regret import drawn
from ggp.search.mcts.values import preferred
from ggp.search.result import ValueVector, tidy
from ggp.workers.cores import available, borrowed

__all__ = ["TreeEngine"]

# The share of the memory that remains in use when room is made, and how many visits there are
# between two times: each of them takes back the visits that are under way. A tree that is full
# sooner goes on without new nodes.
_KEPT, _BETWEEN = 0.4, 4096

# The fewest playouts of a visit, for games whose playouts take long, and the most, which make the
# rest of a visit cheap beside them; the playouts that measure what one costs.
_FEWEST, _MOST, _SAMPLE = 1, 256, 8192
# A playout takes long if its share of this many passes takes more nanoseconds than this.
_PASSES, _LONG = 50, 2000
# What the playouts of a visit may cost, as a multiple of what the rest of the visit costs; and how
# much the last turn counts in the measure of that.
_WORTH, _LAST = 0.75, 0.1
# Playouts that are enough for a value, and the seconds that a visit may take for them.
_ENOUGH, _PATIENCE = 16, 1e-4


class TreeEngine(GrowingEngine):
    """Monte-Carlo tree search over the machine code of a game, with playouts in lanes.

    The limit of a search is the visits that end; as many as there are lanes may be under way.
    """

    algorithm = "mcts"

    def __init__(
        self,
        graph: GameGraph,
        settings: TreeSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search, see `GrowingEngine`."""
        super().__init__(graph, settings, compiled, resources)
        self._words = resources.words or compiled.search_words
        options = self._options = settings.visits
        self._threads, self._most = resources.threads, resources.threads or available()
        self._tree = new_tree(
            compiled, settings, resources.table_bytes or DEFAULT_TABLE_BYTES, options
        )
        self._team = Team(self._tree, self._new_worker, most=self._most)
        self._team.employ(self._threads or 1)
        pass_time = nanoseconds(compiled.circuit)
        is_slow = pass_time * _PASSES / (64 * WORDS) > _LONG
        evaluation = settings.evaluation
        has_net = isinstance(evaluation, Evaluation) and evaluation.net is not None
        self._set_share(options.playouts or (_FEWEST if is_slow and not has_net else _MOST))
        self._is_adaptive = not (options.playouts or is_slow or has_net)
        #: Seconds of a playout, and of a visit without its playouts; 0 until they are measured.
        self._playout_cost = self._visit_cost = 0.0
        #: Seconds and playouts of the turns that measure what a playout costs.
        self._sample = np.zeros(2)
        self._turns = Turns(64)
        self._generator = np.random.default_rng(options.seed)
        self._load()

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""
        tree, root = self._tree, self._root
        legal = self._legal()
        own, place, first = legal[self.role], int(tree.option[root]), int(tree.first[root])
        if place >= 0:
            before = len(legal) + sum(map(len, legal[: self.role]))
            values = tree.option_means[place + before : place + before + len(own)]
            values = np.minimum(values, tree.upper[root, self.role])
        elif first >= 0 and tree.mover[root] == self.role:
            children = tree.child[first : first + len(own)]
            is_known = (tree.visits[children] > 0) | (tree.flags[children] & IS_TERMINAL > 0)
            values = np.where(
                is_known, tree.values[children, self.role], tree.values[root, self.role]
            )
            bounds = tree.lower[children, self.role], tree.upper[children, self.role]
            values = np.clip(values, *bounds)
        else:
            values = tree.values[root : root + 1, self.role]
        return dict(zip(own, map(float, values), strict=False))

    def move_visits(self) -> dict[Term, int]:
        """Return how often each move of the role was made at the root of the last search."""
        tree, root = self._tree, self._root
        legal = self._legal()
        own, place, first = legal[self.role], int(tree.option[root]), int(tree.first[root])
        visits = np.zeros(len(own), np.int32)
        if place >= 0:
            before = len(legal) + sum(map(len, legal[: self.role]))
            visits[:] = tree.option_visits[place + before : place + before + len(own)]
        elif first >= 0 and tree.mover[root] == self.role:
            visits[:] = tree.counts[first : first + len(own)]
        return dict(zip(own, map(int, visits), strict=True))

    def _begin(self, state: Words, nodes: int | None) -> None:
        self._draws: list[float] = self._generator.random(len(self.graph.roles)).tolist()
        self._set_root(state)
        self._tree.numbers.limit = np.iinfo(np.int64).max if nodes is None else nodes

    def _turned(self) -> bool:
        numbers = self._tree.numbers
        first, began = self._team.first, time.perf_counter()
        before = first.effort
        reasons = self._team.explore(self._turns.size)
        seconds = time.perf_counter() - began
        if FINISHED in reasons or SPENT in reasons:
            return True
        self._check(reasons)
        if FULL not in reasons:
            if self._is_adaptive and not numbers.is_full:
                self._adapt(*(first.effort - before))
            self._turns.adapt(seconds)
        if numbers.is_full and self._tree.totals[VISITS] >= self._roomy_until:
            self._make_room()
        return False

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Search with as many threads as were asked for, or as there are free cores."""
        with borrowed(self._most) as cores:
            if self._threads is None:
                self._team.employ(cores)
            try:
                yield
            finally:
                self._team.rest()

    def _rest(self) -> None:
        self._team.rest()

    def _new_worker(self, number: int) -> Worker:
        """Make a worker; each thread needs one."""
        seed = self._options.seed + number
        tree = seen_by_another(self._tree, seed) if number else self._tree
        return Worker(self._compiled, self.settings, tree, words=self._words, seed=seed)

    def _adapt(self, seconds: float, visits: float, playouts: float) -> None:
        """Choose how many playouts a visit makes: they are to cost as much as the visit itself.

        One thread's measures stand for those of all, which do the same.
        The first visits make the most playouts, which take nearly all of their time; after that,
        the time that playouts do not explain is that of visits.
        """
        if not self._playout_cost:
            self._sample += np.array([seconds, playouts])
            if self._sample[1] >= _SAMPLE:
                self._playout_cost = self._sample[0] / self._sample[1]
                self._set_share(_MOST // 8)
        elif visits:
            cost = max(0.0, seconds - playouts * self._playout_cost) / visits
            weight = _LAST if self._visit_cost else 1.0
            self._visit_cost += weight * (cost - self._visit_cost)
            share = _WORTH * self._visit_cost / self._playout_cost
            enough = min(_ENOUGH, _PATIENCE / self._playout_cost)
            self._set_share(int(min(max(_FEWEST, enough, share), _MOST)))

    def _set_share(self, playouts: int) -> None:
        """Let a visit make this number of playouts."""
        numbers = self._tree.numbers
        numbers.share = playouts
        numbers.exploration, numbers.blend = self._options.weights(playouts)

    def _make_room(self) -> None:
        self._team.rest()
        self._team.abandon()
        collect(self._tree, share=_KEPT)
        self._roomy_until = int(self._tree.totals[VISITS]) + _BETWEEN

    def _set_root(self, state: Words) -> None:
        self._team.begin()
        self._played_before, self._roomy_until = self._team.playouts, 0
        root = add_root(self._tree, state)
        if root < 0:
            self._make_room()
            root = add_root(self._tree, state)
        self._tree.numbers.root = root
        set_aims(self._tree)

    def load_all(self) -> None:
        """Load the code that a search of any game may need."""
        self._load()

    def _load(self) -> None:
        """Load all code now: during a search, loading would delay an interruption."""
        self._compiled.prepare_to_answer()
        initial = self._compiled.kernel.initial()[0]
        self._set_root(initial)
        for worker in self._team.workers:
            worker.explore(0)
        self._make_room()

    def _best_edge(self, node: int) -> int:
        """Return the number of the joint move to make in a node, -1 if none is known."""
        tree = self._tree
        first, count = int(tree.first[node]), int(tree.degree[node])
        if first < 0:
            return -1
        if tree.option[node] >= 0:
            return self._best_options(node)
        mover, edges = int(tree.mover[node]), slice(first, first + count)
        children = tree.child[edges]
        lower, upper = tree.lower[children, mover], tree.upper[children, mover]
        lowest, highest = tree.ranges[mover].tolist()
        return preferred(
            tree.counts[edges].tolist(),
            np.clip(tree.means[children, mover], lower, upper).tolist(),
            lower.tolist(),
            upper.tolist(),
            proven=(float(tree.lower[node, mover]), float(tree.upper[node, mover])),
            lowest=lowest,
            doubt=float(tree.numbers.exploration) * (highest - lowest),
        )

    def _best_options(self, node: int) -> int:
        """Return the number of the joint move of which each role has tried its own move most.

        By regret matching, at the root, it is drawn by how often each move was tried.
        """
        tree, number = self._tree, 0
        is_drawn = self._options.regret and node == tree.numbers.root
        roles = tree.lower.shape[1]
        place = int(tree.option[node])
        at = place + roles
        for role in range(roles):
            moves = int(tree.option_counts[place + role])
            counts = tree.option_counts[at : at + moves]
            move = drawn(counts.tolist(), self._draws[role]) if is_drawn else int(counts.argmax())
            number = number * moves + move
            at += moves
        return number

    @property
    def _root(self) -> int:
        return int(self._tree.numbers.root)

    def _child(self, node: int, number: int) -> int:
        return int(self._tree.child[self._tree.first[node] + number])

    def _found(self) -> tuple[ValueVector, bool]:
        tree, root = self._tree, self._root
        known = np.clip(tree.means[root], tree.lower[root], tree.upper[root])
        is_known = (tree.visits[root] > 0) | (tree.lower[root] == tree.upper[root])
        goals = tuple(
            tidy(float(value)) if sure else None
            for value, sure in zip(known, is_known, strict=True)
        )
        return goals, bool(tree.lower[root, self.role] == tree.upper[root, self.role])

    def _costs(self) -> TreeCosts:
        owns = [worker.tree.own for worker in self._team.workers]
        return TreeCosts(
            depth=max(int(own.deepest) for own in owns),
            expanded=sum(int(own.expanded) for own in owns),
            generated=int(self._tree.totals[VISITS]),
            researched=0,
            table_size=int(self._tree.totals[NODES]) - sum(int(own.end - own.next) for own in owns),
            table_hits=sum(int(own.transpositions) for own in owns),
            simulations=self._team.playouts - self._played_before,
        )
