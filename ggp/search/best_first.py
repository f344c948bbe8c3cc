"""Best-first minimax: the line of best moves is searched on, wherever it leads.

The tree grows at one leaf at a time, the one at the end of the line of best moves (Korf and
Chickering 1996, "Best-first minimax search"). The leaf gets all its children, an evaluation says
what they are worth, and each node above is worth what its best move gets, which may change the
line. So the search is as selective as its evaluation is good, and has no horizon.

What is proven never changes again: the line leads over moves that are not proven yet, the best one
first, and a search ends when its root is proven (*completion*: Cohen-Solal 2020, "Learning to play
two-player perfect-information games without knowledge"). The move to make is the one that the line
has gone through most often, unless what is proven says otherwise.

As for the other searches for one role, all others play against it, and a reply knows the move. Each
state is one node; a state that is on the line already is worth 0, as in the others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.kif import Symbol, Term
from ggp.reasoner import JointMove, State
from ggp.reasoner.stuck import no_legal_move
from ggp.search.growing import MOST_NODES, GrowingSearch
from ggp.search.mcts.values import preferred
from ggp.search.options import SearchOptions
from ggp.search.result import SearchResult, tidy
from ggp.search.turns import Turn, split

__all__ = ["BestFirst", "BestFirstOptions"]


@dataclass(slots=True, eq=False)
class _Value:
    """What a state is worth to the role, and the bounds of what is proven of that."""

    worth: float
    lower: float
    upper: float

    @property
    def is_open(self) -> bool:
        return self.lower < self.upper


@dataclass(slots=True, eq=False)
class _Edge:
    """A joint move."""

    node: int
    value: _Value
    #: Expansions below it.
    count: int = 0
    #: Whether it leads to a state on the line.
    is_round: bool = False


@dataclass(slots=True, eq=False)
class _Expanded:
    """A node with its joint moves."""

    value: _Value
    turn: Turn
    joint_moves: tuple[JointMove, ...]
    edges: list[_Edge]
    #: The number of the joint move where the line goes on.
    best: int | None = None
    options: list[list[_Edge]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class BestFirstOptions(SearchOptions):
    """The options of best-first minimax."""

    def check(self, roles: Sequence[Symbol]) -> None:
        """Raise `ValueError` if one of the roles is chance."""
        if RANDOM in map(str, roles):
            raise ValueError("best-first minimax is for games without chance; mcts searches them")


class BestFirst(GrowingSearch):
    """A best-first search of a game graph for the goal of one role."""

    algorithm: ClassVar[str] = "bestfirst"
    options = BestFirstOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = MOST_NODES,
    ) -> None:
        """Prepare to search, see `GrowingSearch`."""
        super().__init__(graph, options, table_size=table_size)
        self._nodes: dict[State, _Expanded] = {}
        self._generated = 0

    def _begin(self, state: State) -> None:
        self._generated = 0
        self._root, self._nodes = state, self._reachable(state)
        view = self.graph.reasoner.view(state)
        self._legal = view.legal[self.role]
        if view.terminal:
            goal = float(view.goals[self.role] or 0)
            turn = split(view.legal, self.role, self.settings.chance)
            self._nodes[state] = _Expanded(_Value(goal, goal, goal), turn, (), [])

    def _is_over(self, most: float) -> bool:
        root = self._nodes.get(self._root)
        is_done = root is not None and (not root.value.is_open or root.best is None)
        return is_done or len(self._nodes) >= self._most_nodes or self._expanded >= most

    def _preferred_at_root(self) -> int | None:
        root = self._nodes.get(self._root)
        return None if root is None else self._preferred(root)

    def move_values(self) -> dict[Term, float]:
        """Return what the role seems to get by each of its moves at the root of the last search."""
        root = self._nodes.get(self._root)
        if root is None:
            return dict.fromkeys(self._legal, self._unknown().worth)
        worths = [min(edge.value.worth for edge in option) for option in root.options]
        return dict(zip(self._legal, worths, strict=True))

    def move_visits(self) -> dict[Term, int]:
        """Return how often the line went through each move of the role at the root."""
        root = self._nodes.get(self._root)
        if root is None:
            return dict.fromkeys(self._legal, 0)
        counts = [sum(edge.count for edge in option) for option in root.options]
        return dict(zip(self._legal, counts, strict=True))

    def _unknown(self) -> _Value:
        low, high = self.settings.low, self.settings.high
        return _Value((low + high) / 2, low, high)

    # The tree

    def _visit(self) -> None:
        """Expand the leaf at the end of the line, and renew the values above it."""
        state, path, on_line = self._root, list[tuple[_Expanded, _Edge]](), {self._root}
        while (node := self._nodes.get(state)) is not None and node.best is not None:
            edge = node.edges[node.best]
            state = self.graph.state(edge.node)
            path.append((node, edge))
            if state in on_line:
                edge.is_round, edge.value.worth = True, 0.0
                break
            on_line.add(state)
        self._deepest = max(self._deepest, len(path))
        if path and path[-1][1].is_round:
            pass
        elif node is None:
            node = self._expand(state)
        elif path and node.value.is_open:
            path[-1][1].is_round = True  # it leads round in circles only
        for above, edge in reversed(path):
            known = self._nodes.get(self.graph.state(edge.node))
            if known is not None and not edge.is_round:
                edge.value = known.value
            edge.count += 1
            self._renew(above)

    def _expand(self, state: State) -> _Expanded:
        graph, settings = self.graph, self.settings
        with graph.held(graph.node(state)) as expansion:
            if not expansion.children:
                facts = graph.reasoner.facts(state)
                raise no_legal_move(graph.roles, expansion.legal, facts)
            turn = split(expansion.legal, self.role, settings.chance)
            states = [graph.state(child) for child in expansion.children]
            node = _Expanded(self._unknown(), turn, tuple(expansion.joint_moves), [])
            views = graph.reasoner.view_all(states)
            for child, after, view in zip(expansion.children, states, views, strict=True):
                self._generated += 1
                if (known := self._nodes.get(after)) is not None:
                    self._hits += 1
                    value = known.value
                elif view.terminal:
                    goal = float(view.goals[self.role] or 0)
                    value = _Value(goal, goal, goal)
                else:
                    value = self._unknown()
                    value.worth = float(settings.evaluation(graph, child, self.role))
                node.edges.append(_Edge(child, value))
        node.options = [[node.edges[own + reply] for reply in turn.replies] for own in turn.own]
        self._nodes[state] = node
        self._expanded += 1
        self._renew(node)
        return node

    @staticmethod
    def _renew(node: _Expanded) -> None:
        """Make the value of a node by those of its children, and say where the line goes on."""
        values = [
            _Value(
                min(edge.value.worth for edge in option),
                min(edge.value.lower for edge in option),
                min(edge.value.upper for edge in option),
            )
            for option in node.options
        ]
        for value in values:
            value.worth = min(max(value.worth, value.lower), value.upper)
        lower = max(value.lower for value in values)
        node.value = _Value(
            max(value.worth for value in values), lower, max(value.upper for value in values)
        )
        node.best = None
        order = sorted(range(len(values)), key=lambda at: -values[at].worth)
        for at in order:
            if not values[at].is_open or values[at].upper <= lower:
                continue
            replies = [
                place
                for place, edge in enumerate(node.options[at])
                if edge.value.is_open and edge.value.lower < values[at].upper and not edge.is_round
            ]
            if replies:
                worst = min(replies, key=lambda place: node.options[at][place].value.worth)
                node.best = node.turn.own[at] + node.turn.replies[worst]
                return

    def _reachable(self, state: State) -> dict[State, _Expanded]:
        """Return the nodes to which a state leads."""
        kept, left = dict[State, _Expanded](), [state]
        while left:
            at = left.pop()
            if at not in kept and (node := self._nodes.get(at)) is not None:
                kept[at] = node
                left += [self.graph.state(edge.node) for edge in node.edges]
        return kept

    # The result

    def _preferred(self, node: _Expanded) -> int | None:
        """Return the number of the joint move to make; None where the game is over."""
        if not node.edges:
            return None
        options = node.options
        lower = [min(edge.value.lower for edge in option) for option in options]
        upper = [min(edge.value.upper for edge in option) for option in options]
        worths = [min(edge.value.worth for edge in option) for option in options]
        own = preferred(
            [sum(edge.count for edge in option) for option in options],
            [float(worth) for worth in np.clip(worths, lower, upper)],
            lower,
            upper,
            proven=(node.value.lower, node.value.upper),
            lowest=float(self.settings.low),
            doubt=0.0,
        )
        worst = min(range(len(options[own])), key=lambda at: options[own][at].value.worth)
        return node.turn.own[own] + node.turn.replies[worst]

    def _line(self) -> Iterator[JointMove]:
        state, seen = self._root, {self._root}
        while (node := self._nodes.get(state)) is not None:
            number = self._preferred(node)
            if number is None:
                return
            yield node.joint_moves[number]
            state = self.graph.state(node.edges[number].node)
            if state in seen:
                return
            seen.add(state)

    def _result(self, began: float) -> SearchResult:
        root, variation = self._nodes.get(self._root), tuple(self._line())
        value = None if root is None else tidy(root.value.worth)
        goals = tuple(value if role == self.role else None for role in range(len(self.graph.roles)))
        return SearchResult(
            algorithm=self.algorithm,
            classifier=self.settings.classifier,
            roles=self.graph.roles,
            role=self.role,
            value=value,
            goals=goals,
            joint_move=variation[0] if variation else None,
            variation=variation,
            exact=root is not None and not root.value.is_open and self._has_valid_goals,
            depth=self._deepest,
            expanded=self._expanded,
            generated=self._generated,
            researched=0,
            prunes={},
            table_size=len(self._nodes),
            table_hits=self._hits,
            seconds=time.monotonic() - began,
        )
