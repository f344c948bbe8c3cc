"""Monte-Carlo tree search, as its papers state it, with one visit at a time.

A *visit* goes from the root to a leaf, plays at random from there, and counts the goals on the way
back (UCT: Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning"). Of K moves that one
takes next whose mean w after n of N visits is the highest with e sqrt(N / (K n)) added to it: in
the long run a move that is d worse than the best one has (e / d)^2 of an even share of the visits,
which is nearly the optimal computing budget allocation (Chen, Lin, Yucesan and Chick 2000,
"Simulation budget allocation for further enhancing the efficiency of ordinal optimization"). UCB1,
with a logarithm of N for N / K, minimises regret; a search wants to know the best move, and
explores more (Tolpin and Shimony 2012, "MCTS based on simple regret"). A move that is easy to prove
gets more visits, see `proofs`. Each state is one node, and a move is as good as the node it leads
to (Childs, Brodeur and Kocsis 2008, "Transpositions and move groups in Monte Carlo tree search":
UCT2). Where several roles choose at once each chooses among its own moves, as if the others were
chance (Finnsson and Bjornsson 2008, "Simulation-based approach to general game playing"), or by
regret matching, see `regret`. What is proven ends visits early, see `bounds`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from math import inf, isfinite, sqrt
from typing import ClassVar

from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.reasoner import JointMove, State
from ggp.reasoner.stuck import no_legal_move
from ggp.recursion import MAX_PLIES
from ggp.search.evaluation import Evaluation
from ggp.search.growing import MOST_NODES, GrowingSearch
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.mcts.bounds import Limits, chosen_equal, open_moves
from ggp.search.mcts.node import Choice, Node, Values, visits_of
from ggp.search.mcts.options import TreeOptions
from ggp.search.mcts.proofs import count_proofs, ease_of
from ggp.search.mcts.regret import count_regrets, drawn, drawn_by_regret
from ggp.search.mcts.values import best_of, counted, preferred, recount, recount_choices
from ggp.search.options import SearchOptions
from ggp.search.result import SearchResult, tidy
from ggp.search.tree.observer import VisitObserver

__all__ = ["TreeSearch"]

#: A playout that reaches this many joint moves ends with the goals of its last state.
_MAX_STEPS = MAX_PLIES

#: Where a visit went: the nodes, and for each but the last the number of its joint move.
_Path = list[tuple[Node, int]]


class TreeSearch(GrowingSearch):
    """A tree search of a game graph. The tree is kept from one search to the next.

    Its value is that of max-n once it is proven, and until then what the role gets on average. A
    search has no horizon. Where several roles choose at once, it proves only what a role can
    guarantee.
    """

    algorithm: ClassVar[str] = "mcts"
    options = TreeOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = MOST_NODES,
        observer: VisitObserver | None = None,
    ) -> None:
        """Prepare to search, see `GrowingSearch`; the observer is told each visit.

        The evaluation says what a leaf is worth, instead of random playouts; for playouts it is
        None, or an `Evaluation` without a network.
        """
        options = self.options_in_use = TreeOptions.of(options)
        super().__init__(graph, options, table_size=table_size)
        self.observer = observer
        self._limits = Limits.of(self.leaf_values, chance=self.settings.chance)
        roles = range(len(graph.roles))
        self._lowest = [float(self.leaf_values.lowest(role)) for role in roles]
        self._highest = [float(self.leaf_values.highest(role)) for role in roles]
        self._playouts = options.playouts or graph.reasoner.lanes
        self._exploration, self._blend = options.weights(self._playouts)
        evaluation = options.evaluation
        plays_out = isinstance(evaluation, Evaluation) and evaluation.net is None
        self._estimator = None if plays_out else evaluation
        self._random = random.Random(self.options_in_use.seed)
        self._nodes: dict[State, Node] = {}
        self._aims = [*self._highest]
        self._simulations = self._visits = 0

    def _begin(self, state: State) -> None:
        self._simulations = self._visits = 0
        self._root = root = self._rooted(state)
        self._aims = [*root.upper]
        self._draws = [self._random.random() for _ in root.upper]
        self._expand(root, [])

    def _is_over(self, most: float) -> bool:
        return self._root.lower[self.role] >= self._root.upper[self.role] or self._visits >= most

    def _preferred_at_root(self) -> int | None:
        return self._preferred(self._root)

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""
        root, role = self._root, self.role
        own: dict[Term, float] = {}
        for number, joint_move in enumerate(root.joint_moves):
            move = joint_move[role]
            if root.mover == role:
                child = root.children[number]
                known = child if child.visits or child.is_proven else root
                own[move] = child.within(role, known.value(role, blend=self._blend))
            elif root.mover is None:
                choices = root.choices[role]
                mean = choices[len(own) % len(choices)].mean
                own.setdefault(move, min(mean, root.upper[role]))
            else:
                own[move] = root.value(role, blend=0)
        return own

    def move_visits(self) -> dict[Term, int]:
        """Return how often each move of the role was made at the root of the last search."""
        return visits_of(self._root, self.role)

    # A visit

    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        """Search, and yield a result whenever the preferred move changes, and the last one."""
        yield from super().deepen(node, limit, first=first)
        if self.observer is not None:
            self.observer.finished(self._root, self._preferred(self._root))

    def _visit(self) -> None:
        path, leaf = self._descend(self._root)
        estimated = None if leaf.is_proven else self._estimated(leaf)
        values = leaf.lower if estimated is None else estimated
        self._visits += 1
        self._deepest = max(self._deepest, len(path))
        values = counted(leaf, values)
        leaf.best = [*leaf.means]
        leaf.proofs = count_proofs(leaf, self._aims)
        for node, number in reversed(path):
            # where several roles choose, some joint moves are never made: look at one more
            in_turn = number if node.mover is not None else node.visits % len(node.children)
            if node.is_behind(number) or node.is_behind(in_turn):
                self._renew(node)
            found, values = values, counted(node, values, child=node.children[number])
            node.proofs = count_proofs(node, self._aims)
            if node.mover is None:
                node.best = [*node.means]
                self._count_choices(node, number, found)
            else:
                node.best = best_of(node, node.mover, blend=self._blend)
        if self.observer is not None:
            playouts = 0 if self._estimator else self._playouts
            self.observer.visited(path, leaf, estimated, playouts)

    def _descend(self, root: Node) -> tuple[_Path, Node]:
        """Go to a leaf, which is proven, or new, or on the path already."""
        path: _Path = []
        node, seen = root, {id(root)}
        while True:
            if node.is_proven:
                return path, node
            if not node.children:
                if path and node.visits < self.options_in_use.threshold:
                    return path, node
                if not self._expand(node, path) or node.is_proven:
                    return path, node
            if not open_moves(node) and (behind := node.first_behind()) is not None:
                self._settle([*path, (node, behind)])
                continue
            number = self._chosen(node)
            node.counts[number] += 1
            path.append((node, number))
            node = node.children[number]
            if id(node) in seen or len(path) >= MAX_PLIES:
                return path, node
            seen.add(id(node))

    def _chosen(self, node: Node) -> int:
        """Return the number of the joint move that a visit makes."""
        if node.mover is None:
            return self._chosen_together(node)
        mover = node.mover
        if not (likely := open_moves(node)):
            return chosen_equal(node, mover)
        self._random.shuffle(likely)
        untried = self.options_in_use.untried
        exploration = self._exploration * sqrt((node.visits + 1) / len(node.children))
        numbers = [node.children[n].proofs[mover] for n in likely]
        hardest, ease = max(filter(isfinite, numbers), default=0.0), self.options_in_use.ease

        def score(number: int) -> float:
            child, visits = node.children[number], node.counts[number]
            known = child if child.visits else node
            value = child.within(mover, known.value(mover, blend=self._blend))
            bonus = ease * ease_of(child.proofs[mover], hardest)
            return self._scaled(value, mover) + exploration / sqrt(max(untried, visits)) + bonus

        return max(likely, key=score)

    def _chosen_together(self, node: Node) -> int:
        """Return the number of a joint move for which each role chooses on its own."""
        exploration = self._exploration * sqrt(node.visits + 1)
        number = 0
        for role, choices in enumerate(node.choices):
            order = list(range(len(choices)))
            self._random.shuffle(order)
            move = order[0]
            if role != self.settings.chance and self.options_in_use.regret:
                move = drawn_by_regret(choices, self._random)
            elif role != self.settings.chance:

                def score(move: int, role: int = role, count: int = len(choices)) -> float:
                    choice = node.choices[role][move]
                    if not choice.visits:
                        return inf
                    bonus = exploration / sqrt(count * choice.visits)
                    return self._scaled(choice.mean, role) + bonus

                move = max(order, key=score)
            number = number * len(choices) + move
        return number

    def _scaled(self, value: float, role: int) -> float:
        span = self._highest[role] - self._lowest[role]
        return (value - self._lowest[role]) / span if span else 0.0

    def _estimated(self, leaf: Node) -> Values:
        """Return what a leaf is worth to each role: by default, the mean of random playouts."""
        reasoner = self.graph.reasoner
        if (worth := self._estimator) is not None:
            node = self.graph.node(leaf.state)
            return [worth(self.graph, node, role) for role in range(len(leaf.lower))]
        count = self._playouts
        self._simulations += count
        totals = reasoner.playout_totals(
            leaf.state, count=count, seed=self._random.getrandbits(32), max_steps=_MAX_STEPS
        )
        return [*totals.mean_goals]

    def _count_choices(self, node: Node, number: int, values: Values) -> None:
        if self.options_in_use.regret:
            count_regrets(node, number, values)
        for role in reversed(range(len(node.choices))):
            number, move = divmod(number, node.sizes[role])
            choice = node.choices[role][move]
            choice.visits += 1
            choice.mean += (values[role] - choice.mean) / choice.visits

    # The tree

    def _rooted(self, state: State) -> Node:
        """Return the node of a state, and forget those that it does not lead to."""
        root = self._node(state, terminal=None)
        kept, left = {}, [root]
        while left:
            node = left.pop()
            if node.state not in kept:
                kept[node.state] = node
                left += node.children
        self._nodes = kept
        return root

    def _node(self, state: State, *, terminal: Values | None) -> Node:
        """Return the node of a state, which is made if it is new."""
        known = self._nodes.get(state)
        if known is not None:
            self._hits += 1
            return known
        if terminal is not None:
            node = Node(state, [*terminal], [*terminal], 1, [*terminal], [*terminal])
        else:
            lower, upper = [*self._lowest], [*self._highest]
            node = Node(state, lower, upper, 0, [0.0] * len(lower), [0.0] * len(lower))
        node.proofs = count_proofs(node, self._aims)
        self._nodes[state] = node
        return node

    def _expand(self, node: Node, path: _Path) -> bool:
        """Make the children of a node, if there is room for more, and settle what they prove.

        Returns whether it has children now.
        """
        if node.children or node.is_proven or len(self._nodes) > self._most_nodes:
            return bool(node.children)
        graph = self.graph
        with graph.held(graph.node(node.state)) as expansion:
            states = [graph.state(child) for child in expansion.children]
        if expansion.terminal:  # only the root's end is not known
            node.lower = [float(goal or 0) for goal in expansion.goals]
            node.upper = [*node.lower]
            return False
        if not states:
            raise no_legal_move(graph.roles, expansion.legal, graph.reasoner.facts(node.state))
        self._expanded += 1
        node.joint_moves = list(expansion.joint_moves)
        node.children = [
            self._node(
                state,
                terminal=[float(goal or 0) for goal in view.goals] if view.terminal else None,
            )
            for state, view in zip(states, graph.reasoner.view_all(states), strict=True)
        ]
        node.counts = [0] * len(node.children)
        node.seen = [-1] * len(node.children)
        node.sizes = list(map(len, expansion.legal))
        choosers = [role for role, size in enumerate(node.sizes) if size > 1]
        if len(choosers) > 1 or choosers == [self.settings.chance]:
            node.choices = [[Choice() for _ in range(size)] for size in node.sizes]
        else:
            node.mover = choosers[0] if choosers else 0
        self._settle([*path, (node, 0)])
        return True

    def _settle(self, path: _Path) -> None:
        """Renew the last node on a path, and those before it as far as that matters."""
        for node, number in reversed(path):
            if not node.is_behind(number):
                return
            self._renew(node)

    def _renew(self, node: Node) -> None:
        """Make the bounds of a node, and its means, by those of its children."""
        self._limits.settle(node)
        if node.mover is None:
            recount_choices(node)
        recount(node)

    # The result

    def _preferred(self, node: Node) -> int | None:
        """Return the number of the joint move to make; None if none is known."""
        if not node.children:
            return None
        if node.mover is None:
            number = 0
            for role, size in enumerate(node.sizes):
                visits = [choice.visits for choice in node.choices[role]]
                if self.options_in_use.regret and node is self._root:
                    move = drawn(visits, self._draws[role])
                else:
                    move = visits.index(max(visits))
                number = number * size + move
            return number
        mover, children = node.mover, node.children
        return preferred(
            node.counts,
            [child.value(mover, blend=0) for child in children],
            [child.lower[mover] for child in children],
            [child.upper[mover] for child in children],
            proven=(node.lower[mover], node.upper[mover]),
            lowest=self._lowest[mover],
            doubt=self._exploration * (self._highest[mover] - self._lowest[mover]),
        )

    def _result(self, began: float) -> SearchResult:
        root = self._root
        variation = tuple(self._variation(root))
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self.settings.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=self._value(root, self.role),
            goals=tuple(self._value(root, role) for role in range(len(root.lower))),
            joint_move=variation[0] if variation else None,
            variation=variation,
            exact=root.lower[self.role] == root.upper[self.role] and self._has_valid_goals,
            depth=self._deepest,
            expanded=self._expanded,
            generated=self._visits,
            researched=0,
            prunes={},
            table_size=len(self._nodes),
            table_hits=self._hits,
            seconds=time.monotonic() - began,
            simulations=self._simulations,
        )

    def _value(self, root: Node, role: int) -> float | None:
        if root.lower[role] == root.upper[role]:
            return tidy(root.lower[role])
        return tidy(root.value(role, blend=0)) if root.visits else None

    def _variation(self, node: Node) -> Iterator[JointMove]:
        seen = {id(node)}
        while (number := self._preferred(node)) is not None:
            yield node.joint_moves[number]
            node = node.children[number]
            if id(node) in seen:
                return
            seen.add(id(node))
