"""The game graph: states as small integers, transitions computed once, in bounded memory.

A game's tree repeats itself: the 8x8 walk has 64 states where its tree has 4^16 leaves. The graph
asks the reasoner for a state's expansion once and keeps it, as long as there is room. To
bound the memory, the graph drops the expansions that were least recently used, and makes them again
when they are asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ggp.kif import Symbol, Term
from ggp.reasoner import MAX_JOINT_MOVES, Reasoner, State, View

__all__ = ["DEFAULT_MAX_STATES", "GameGraph", "NodeExpansion"]

#: A graph of this many states takes a few hundred megabytes for a game of a hundred facts a state.
DEFAULT_MAX_STATES = 200_000


@dataclass(frozen=True, slots=True)
class NodeExpansion(View):
    """What the rules say of a node; `children[i]` is the node after joint move number i."""

    children: tuple[int, ...]


class GameGraph:
    """The states of one game that are known, each a number, with their cached expansions.

    A node is known while it is the root, is held, or is a child in a cached expansion. Its number
    stays the same for that long. Asking for the expansion of a node that is no longer known
    raises `KeyError`: hold the nodes that you come back to.

    Examples:
        >>> from ggp.gdl import Description
        >>> from ggp.reasoner import open_reasoner
        >>> with open_reasoner(Description.load("nim")) as reasoner:
        ...     graph = GameGraph(reasoner)
        ...     children = graph.expansion(graph.root).children
        ...     again = graph.expansion(graph.root)
        >>> len(children), graph.hits, graph.misses
        (3, 1, 1)
    """

    def __init__(
        self,
        reasoner: Reasoner,
        *,
        max_states: int = DEFAULT_MAX_STATES,
        max_interpreted: int = MAX_JOINT_MOVES,
    ) -> None:
        """Begin with the initial state.

        Args:
            reasoner: computes the expansions.
            max_states: the number of states to know at once. Held nodes and the children of the
                last expansion are kept even beyond it.
            max_interpreted: the number of joint moves of a state that Prolog may be asked to make:
                it makes some ten thousand a second, and cannot be interrupted.
        """
        if max_states < 1:
            raise ValueError("a graph must be able to know one state")
        self._reasoner = reasoner
        self._max_states = max_states
        self._max_interpreted = max_interpreted
        self._numbers: dict[State, int] = {}
        self._states: dict[int, State] = {}
        # How often a node is held or is a child in a cached expansion: at 0 it is forgotten.
        self._references: dict[int, int] = {}
        # The cached expansions, the least recently used first.
        self._expansions: OrderedDict[int, NodeExpansion] = OrderedDict()
        self._next_number = 0
        #: Expansions answered from the cache.
        self.hits = 0
        #: Expansions that the reasoner made.
        self.misses = 0
        #: Expansions dropped to make room.
        self.evictions = 0
        self.root = self._add(reasoner.initial_state())
        self._references[self.root] += 1

    @property
    def roles(self) -> tuple[Symbol, ...]:
        """The roles, in the order of joint moves and goal vectors."""
        return self._reasoner.roles

    @property
    def reasoner(self) -> Reasoner:
        """The reasoner that computes the expansions."""
        return self._reasoner

    def __len__(self) -> int:
        """How many states are known."""
        return len(self._states)

    def node(self, state: State) -> int:
        """Return the number of a state, which becomes known; hold it to keep it so."""
        return self._numbers[state] if state in self._numbers else self._add(state)

    def state(self, node: int) -> State:
        """Return the state of a node. Raises `KeyError` if it is not known."""
        return self._states[node]

    def facts(self, node: int) -> tuple[Term, ...]:
        """Return what is true in the node's state. Raises `KeyError` if it is not known."""
        return self._reasoner.facts(self._states[node])

    def expansion(self, node: int) -> NodeExpansion:
        """Return the node's expansion, from the cache where possible.

        Raises:
            KeyError: the node is not known.
            TooManyJointMoves, ReasonerError: as the reasoner's `expand`.
        """
        cached = self._expansions.get(node)
        if cached is not None:
            self.hits += 1
            self._expansions.move_to_end(node)
            return cached
        is_interpreted = self._reasoner.name == "prolog"
        made = self._reasoner.expand(
            self._states[node],
            max_joint_moves=self._max_interpreted if is_interpreted else MAX_JOINT_MOVES,
        )
        self.misses += 1
        children = tuple(map(self.node, made.successors))
        for child in children:
            self._references[child] += 1
        expansion = NodeExpansion(made.terminal, made.goals, made.legal, children)
        self._expansions[node] = expansion
        self._make_room()
        return expansion

    @contextmanager
    def held(self, node: int) -> Iterator[NodeExpansion]:
        """Give the node's expansion, and know the node and its children while inside.

        Raises as `expansion`.
        """
        expansion = self.expansion(node)
        kept = (node, *expansion.children)
        for each in kept:
            self._references[each] += 1
        try:
            yield expansion
        finally:
            for each in kept:
                self._release(each)

    def set_root(self, node: int) -> None:
        """Continue the game from another node; nodes that it does not lead to may be forgotten.

        Raises `KeyError` if the node is not known.
        """
        self._references[node] += 1
        self._release(self.root)
        self.root = node

    def _add(self, state: State) -> int:
        node = self._next_number
        self._next_number += 1
        self._numbers[state] = node
        self._states[node] = state
        self._references[node] = 0
        return node

    def _make_room(self) -> None:
        while len(self._states) > self._max_states and len(self._expansions) > 1:
            oldest, evicted = self._expansions.popitem(last=False)
            self.evictions += 1
            for child in evicted.children:
                self._release(child)
            self._forget_if_unused(oldest)

    def _release(self, node: int) -> None:
        self._references[node] -= 1
        self._forget_if_unused(node)

    def _forget_if_unused(self, node: int) -> None:
        if self._references.get(node) == 0 and node not in self._expansions:
            del self._numbers[self._states.pop(node)]
            del self._references[node]
