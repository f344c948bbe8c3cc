"""The steps of a search that an observer is told: enough to draw the searched tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ggp.graph import NodeExpansion
from ggp.search.classifiers import ANY, LowerBounds, Number, Rows
from ggp.search.transposition_table import Bound, Found

if TYPE_CHECKING:
    from ggp.search.mcts.node import Node

__all__ = ["Cut", "Observer", "Source", "VisitObserver"]

#: Where what was found of a node comes from: a terminal state; an estimate, or the 0 of a state
#: that is met again; the transposition table; a cut before any child; a search of its children.
Source: TypeAlias = Literal["leaf", "estimate", "table", "cut", "searched"]


@dataclass(frozen=True, slots=True)
class Cut:
    """Why joint moves are skipped. A rule of max-n has `held`, a search for one role `window`."""

    #: The rule, as the results of searches name it.
    rule: str
    #: For each role what it holds here or on the way, -inf for none: no value above all matters.
    held: LowerBounds = ()
    #: The rows of the leaf-value table that leaves below can have.
    possible: Rows = ANY
    #: What the role has elsewhere, and to what the others can limit it.
    window: tuple[Number, Number] | None = None
    #: The value of the move that ends the search of the node, or the most that is possible below.
    value: Number | None = None


class Observer(Protocol):
    """Told each step of a search; of a node, `visit` comes first and `found` last."""

    def visit(self, node: int, *, again: bool) -> None:
        """The search visits a node: the next child of the node expanded last, or the root.

        Args:
            node: its number.
            again: whether it, or a node above it, was pruned before and is searched again.
        """

    def expand(self, expansion: NodeExpansion) -> None:
        """The search is about to visit the children of the node."""

    def hold(self, role: int, value: Number, *, at_most: bool) -> None:
        """A move of the node that was expanded last is the best so far for those who choose.

        Args:
            role: the number of a role.
            value: what it is now sure to get there, or, `at_most`, to what the others limit it.
            at_most: which of the two.
        """

    def prune(self, cut: Cut, skipped: int) -> None:
        """The search skips the next `skipped` joint moves of the node."""

    def found(self, found: Found[Any], source: Source, bound: Bound) -> None:
        """The search has finished the node with this value, or this bound of it."""


class VisitObserver(Protocol):
    """Told each visit of a tree search."""

    def visited(
        self,
        path: Sequence[tuple[Node, int]],
        leaf: Node,
        values: Sequence[float] | None,
        playouts: int,
    ) -> None:
        """A visit is over, and has been counted.

        Args:
            path: the nodes from the root to the one above the leaf, each with the number of the
                joint move that was made there.
            leaf: where it ended.
            values: what the leaf seems to be worth to each role; None if that is proven.
            playouts: of how many playouts the values are the mean; 0 for an estimate.
        """

    def finished(self, root: Node, number: int | None) -> None:
        """The search is over, and prefers a joint move of the root; None if it knows of none."""
