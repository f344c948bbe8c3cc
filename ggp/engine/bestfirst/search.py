"""The engine's best-first minimax: the interface of `ggp.search.Searcher` around the loop."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ggp.engine.bestfirst.collect import collect
from ggp.engine.bestfirst.layout import new_tree
from ggp.engine.bestfirst.loop import NO_ROOM, add_root, explore
from ggp.engine.game import GameCode
from ggp.engine.growing import GrowingEngine, TreeCosts
from ggp.engine.layout import FINISHED, FULL, SPENT
from ggp.engine.resources import DEFAULT_TABLE_BYTES, Resources
from ggp.engine.stack import expansion_stack, large_arena
from ggp.engine.turns import Turns
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.native.cache import Cache
from ggp.native.numba_support import Words
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.mcts.values import preferred
from ggp.search.result import ValueVector, tidy
from ggp.search.settings import SearchSettings

__all__ = ["BestFirstEngine"]

# The share of the memory that remains in use when room is made.
_KEPT = 0.4


class BestFirstEngine(GrowingEngine):
    """Best-first minimax over the machine code of a game; `nodes` limits its expansions."""

    algorithm = "bestfirst"

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        resources: Resources,
    ) -> None:
        """Prepare to search, see `GrowingEngine`."""
        super().__init__(graph, settings, compiled, resources)
        words = resources.words or compiled.search_words
        #: Kept, because its addresses are in use.
        self._code = GameCode(compiled.circuit, words=words, cache=Cache())
        self._game = self._code.new_game(settings, has_table=False)
        self._stack = expansion_stack(roles=len(compiled.circuit.roles), room=self._code.room)
        size = resources.table_bytes or DEFAULT_TABLE_BYTES
        self._tree = new_tree(size=size, state_words=compiled.kernel.state_words)
        self._turns = Turns(16)
        self.load_all()

    def load_all(self) -> None:
        """Load all code now: during a search, loading would delay an interruption."""
        self._compiled.prepare_to_answer()
        self._set_root(self._compiled.kernel.initial()[0])
        self._explored(0)
        self._make_room()

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""
        tree, root, own = self._tree, self._root, self._legal()[self.role]
        if tree.first[root] < 0:
            return dict.fromkeys(own, float(tree.worth[root]))
        return dict(zip(own, self._of_moves(tree.edge_worth).min(axis=1).tolist(), strict=True))

    def move_visits(self) -> dict[Term, int]:
        """Return how often the search went by each move of the role at the root."""
        tree, root, own = self._tree, self._root, self._legal()[self.role]
        if tree.first[root] < 0:
            return dict.fromkeys(own, 0)
        return dict(zip(own, self._of_moves(tree.counts).sum(axis=1).tolist(), strict=True))

    def _begin(self, state: Words, nodes: int | None) -> None:
        self._set_root(state)
        self._tree.numbers.limit = np.iinfo(np.int64).max if nodes is None else nodes

    def _turned(self) -> bool:
        began = time.perf_counter()
        what = self._explored(self._turns.size)
        if what in (FINISHED, SPENT):
            return True
        self._check([what])
        if what == FULL:
            self._stack = self._stack._replace(arena=large_arena(self._stack))
        elif what == NO_ROOM:
            return not self._make_room()
        else:
            self._turns.adapt(time.perf_counter() - began)
        return False

    def _explored(self, steps: int) -> int:
        return explore(self._game, self._stack, self._tree, steps)

    def _make_room(self) -> bool:
        """Drop what was searched least; return whether there is room then."""
        tree = self._tree
        collect(tree, share=_KEPT)
        left = len(tree.child) - int(tree.numbers.edges)
        return bool(left > len(tree.child) // 4 and tree.numbers.nodes < len(tree.first) // 2)

    def _set_root(self, state: Words) -> None:
        numbers, game = self._tree.numbers, self._game.numbers
        numbers.expanded = numbers.researched = numbers.generated = 0
        numbers.transpositions = numbers.deepest = 0
        if numbers.nodes + 1 >= len(self._tree.first):
            self._make_room()
        add_root(self._tree, state, float(game.low), float(game.high))

    def _of_moves(
        self, values: NDArray[np.generic], node: int | None = None
    ) -> NDArray[np.generic]:
        """Return what there is of the edges of a node, [moves of the role, replies]."""
        tree = self._tree
        node = self._root if node is None else node
        first, degree = int(tree.first[node]), int(tree.degree[node])
        own, stride = int(tree.own[node]), int(tree.stride[node])
        edges = values[first : first + degree].reshape(-1, own, stride)
        return edges.transpose(1, 0, 2).reshape(own, -1)

    def _best_edge(self, node: int) -> int:
        """Return the number of the joint move to make in a node, -1 if none is known."""
        tree = self._tree
        first, degree = int(tree.first[node]), int(tree.degree[node])
        if first < 0:
            return -1
        lower = self._of_moves(tree.edge_lower, node).min(axis=1)
        upper = self._of_moves(tree.edge_upper, node).min(axis=1)
        worth = np.clip(self._of_moves(tree.edge_worth, node).min(axis=1), lower, upper)
        own = preferred(
            self._of_moves(tree.counts, node).sum(axis=1).tolist(),
            worth.tolist(),
            lower.tolist(),
            upper.tolist(),
            proven=(float(tree.lower[node]), float(tree.upper[node])),
            lowest=float(self.settings.low),
            doubt=0.0,
        )
        stride = int(tree.stride[node])
        numbers = np.arange(degree).reshape(-1, int(tree.own[node]), stride)[:, own].ravel()
        return int(numbers[tree.edge_worth[first + numbers].argmin()])

    @property
    def _root(self) -> int:
        return int(self._tree.numbers.root)

    def _child(self, node: int, number: int) -> int:
        return int(self._tree.child[self._tree.first[node] + number])

    def _found(self) -> tuple[ValueVector, bool]:
        tree, root = self._tree, self._root
        value = tidy(float(tree.worth[root])) if tree.first[root] >= 0 else None
        goals = [value if role == self.role else None for role in range(len(self.graph.roles))]
        return tuple(goals), bool(tree.lower[root] == tree.upper[root])

    def _costs(self) -> TreeCosts:
        numbers = self._tree.numbers
        return TreeCosts(
            depth=int(numbers.deepest),
            expanded=int(numbers.expanded),
            generated=int(numbers.generated),
            researched=int(numbers.researched),
            table_size=int(numbers.nodes),
            table_hits=int(numbers.transpositions),
            simulations=None,
        )
