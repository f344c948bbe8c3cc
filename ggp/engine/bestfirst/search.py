"""The engine's best-first minimax: the interface of `ggp.search.Searcher` around the loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.deadline import Deadline
from ggp.engine.bestfirst.collect import collect
from ggp.engine.bestfirst.layout import new_tree
from ggp.engine.bestfirst.loop import NO_ROOM, add_root, explore
from ggp.engine.game import GameCode
from ggp.engine.layout import (
    FINISHED,
    FULL,
    SPENT,
    STUCK,
    TOO_MANY,
    Counters,
    Frame,
    Records,
    new_record,
)
from ggp.engine.lines import Line, Lines
from ggp.engine.search import packed_state
from ggp.engine.stack import common_stack, large_arena
from ggp.engine.transposition_table import new_table
from ggp.errors import GameError, TooManyJointMoves
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.reasoner import JointMove, State
from ggp.reasoner.compiled import Cache, CompiledReasoner, Words, words_of
from ggp.search.mcts.values import preferred
from ggp.search.result import SearchResult, ValueVector, tidy
from ggp.search.settings import SearchSettings

__all__ = ["BestFirstEngine"]

# Seconds that the loop runs between two looks at the clock, and between two reports of progress.
_TURN, _REPORT = 0.003, 0.1

# The share of the memory that remains in use when room is made.
_KEPT = 0.4


class _Stack(NamedTuple):
    """What `ggp.engine.node.expand` needs for one expansion at a time."""

    frames: Records[Frame]
    counts: NDArray[np.int64]
    strides: NDArray[np.int64]
    arena: Words
    on_path: NDArray[np.uint16]
    counters: Counters


class BestFirstEngine:
    """Best-first minimax over the machine code of a game.

    The tree is kept from one search to the next, in fixed memory.
    """

    algorithm = "bestfirst"

    def __init__(
        self,
        graph: GameGraph,
        settings: SearchSettings,
        compiled: CompiledReasoner,
        *,
        table_bytes: int,
        words: int | None = None,
        progress: Callable[[SearchResult], None] | None = None,
    ) -> None:
        """Prepare to search.

        Args:
            graph: the game.
            settings: what to search for.
            compiled: the machine code of the graph's game.
            table_bytes: the memory of the tree.
            words: a pass makes 64 * words children; 1, 4 or 8, None for what suits the game.
            progress: called now and then while a search runs, with the best so far.
        """
        self.graph, self.settings, self.leaf_values = graph, settings, settings.leaf_values
        self.role = settings.role
        self._compiled, self._progress = compiled, progress
        self._lines = Lines(compiled.kernel, chance=settings.chance)
        #: Kept, because its addresses are in use.
        self._code = GameCode(compiled.circuit, words=words or compiled.search_words, cache=Cache())
        self._game = self._code.seen_by(settings, has_table=False)
        self._table = new_table(1, 1)
        self._stack = _Stack(
            **common_stack(Frame, roles=len(compiled.circuit.roles), room=self._code.room),
            counters=new_record(Counters),
        )
        self._stack.counters.limit = np.iinfo(np.int64).max
        self._tree = new_tree(size=table_bytes, state_words=compiled.kernel.state_words)
        self._turn = 16
        self.load_all()

    def load_all(self) -> None:
        """Load all code now: during a search, loading would delay an interruption."""
        self._compiled.prepare_to_answer()
        self._set_root(self._compiled.kernel.initial()[0])
        self._explored(0)
        self._make_room()

    def takes(self, node: int | None = None) -> bool:
        """Return whether the machine code knows all facts of a node; None for the root."""
        return packed_state(self._compiled, self.graph, node) is not None

    def run(
        self,
        node: int | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        deadline: Deadline | None = None,
    ) -> SearchResult:
        """Search until the value is proven or a limit is reached; a depth is not a limit."""
        *_, last = self.deepen(node, depth=depth, nodes=nodes, deadline=deadline)
        return last

    def deepen(
        self,
        node: int | None = None,
        *,
        first: int = 1,  # noqa: ARG002 - there is no horizon
        depth: int | None = None,  # noqa: ARG002
        nodes: int | None = None,
        deadline: Deadline | None = None,
    ) -> Iterator[SearchResult]:
        """Search, and yield a result whenever the best move changes, and the last one.

        Raises:
            ValueError: the node has facts that the machine code does not know, see `takes`.
            GameError: a role has no legal move in a state that is not terminal.
            TooManyJointMoves: a state has more joint moves than may be searched.
        """
        state = packed_state(self._compiled, self.graph, node)
        if state is None:
            raise ValueError("the state has facts that the machine code does not know")
        began = reported = time.monotonic()
        deadline = deadline or Deadline()
        if self._lines.view(state).terminal:
            yield self._terminal(state, began)
            return
        self._root_state = state
        self._set_root(words_of(state))
        self._tree.numbers.limit = np.iinfo(np.int64).max if nodes is None else nodes
        shown: JointMove | None = None
        is_over = False
        while not is_over:
            is_over = deadline.is_over or self._turned()
            now = time.monotonic()
            if is_over or now - reported >= _REPORT:
                reported = now
                result = self._result(state, began)
                if self._progress is not None:
                    self._progress(result)
                if is_over or result.joint_move != shown:
                    shown = result.joint_move
                    yield result

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""
        tree, root = self._tree, int(self._tree.numbers.root)
        own = self._lines.view(self._root_state).legal[self.role]
        if tree.first[root] < 0:
            return dict.fromkeys(own, float(tree.worth[root]))
        return dict(zip(own, self._of_moves(tree.edge_worth).min(axis=1).tolist(), strict=True))

    def move_visits(self) -> dict[Term, int]:
        """Return how often the search went by each move of the role at the root."""
        tree, root = self._tree, int(self._tree.numbers.root)
        own = self._lines.view(self._root_state).legal[self.role]
        if tree.first[root] < 0:
            return dict.fromkeys(own, 0)
        return dict(zip(own, self._of_moves(tree.counts).sum(axis=1).tolist(), strict=True))

    def _turned(self) -> bool:
        """Run the loop for a turn; return whether the search is over."""
        began = time.perf_counter()
        what = self._explored(self._turn)
        seconds = time.perf_counter() - began
        if what in (FINISHED, SPENT):
            return True
        if what == STUCK:
            raise GameError("a role has no legal move in a state that is not terminal")
        if what == TOO_MANY:
            raise TooManyJointMoves("a state has too many joint moves to be searched")
        if what == FULL:
            self._stack = self._stack._replace(arena=large_arena(self._stack))
        elif what == NO_ROOM:
            if not self._make_room():
                return True
        else:
            self._turn = max(1, int(self._turn * min(max(_TURN / max(seconds, 1e-9), 0.25), 4)))
        return False

    def _explored(self, steps: int) -> int:
        return explore(self._game, self._stack, self._tree, self._table, steps)

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
        node = int(tree.numbers.root) if node is None else node
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

    def _line(self, state: State) -> Line:
        numbers, tree, node = [], self._tree, int(self._tree.numbers.root)
        seen = {node}
        while (number := self._best_edge(node)) >= 0:
            numbers.append(number)
            node = int(tree.child[tree.first[node] + number])
            if node in seen or node < 0:
                break
            seen.add(node)
        return self._lines.after(Line((), (state,)), numbers, deadline=Deadline())

    def _result(self, state: State, began: float) -> SearchResult:
        tree, root = self._tree, int(self._tree.numbers.root)
        variation = self._line(state).joint_moves
        chosen = (
            variation[0] if variation else next(iter(self._lines.view(state).joint_moves), None)
        )
        is_exact = bool(tree.lower[root] == tree.upper[root])
        value = tidy(float(tree.worth[root])) if tree.first[root] >= 0 else None
        return self._made(value, chosen, variation, began, exact=is_exact)

    def _terminal(self, state: State, began: float) -> SearchResult:
        value = self._lines.view(state).goals[self.role] or 0
        return self._made(value, None, (), began, exact=True)

    def _made(
        self,
        value: float | None,
        chosen: JointMove | None,
        variation: tuple[JointMove, ...],
        began: float,
        *,
        exact: bool,
    ) -> SearchResult:
        numbers = self._tree.numbers
        goals: ValueVector = tuple(
            value if role == self.role else None for role in range(len(self.graph.roles))
        )
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self.settings.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=value,
            goals=goals,
            joint_move=chosen,
            variation=variation,
            exact=exact,
            depth=int(numbers.deepest),
            expanded=int(numbers.expanded),
            generated=int(numbers.generated),
            researched=int(numbers.researched),
            prunes={},
            table_size=int(numbers.nodes),
            table_hits=int(numbers.transpositions),
            seconds=time.monotonic() - began,
            engine="compiled",
        )
