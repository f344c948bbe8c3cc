"""What an observer of a search is told: enough to draw the tree that was searched."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

from ggp.graph import NodeExpansion
from ggp.search.transposition_table import Bound, Found

__all__ = ["Observer", "Source"]

#: Where what was found of a node comes from: a terminal state; an estimate, or the 0 of a state
#: that is met again; the transposition table; a cut before any child; a search of its children.
Source: TypeAlias = Literal["leaf", "estimate", "table", "cut", "searched"]


class Observer(Protocol):
    """Told each step of a search; of a node, `visit` comes first and `found` last."""

    def visit(self, node: int, *, again: bool) -> None:
        """A node is come to: the next child of the node that was expanded last, or the root.

        Args:
            node: its number.
            again: whether it, or a node above it, was pruned before and is searched again.
        """

    def expand(self, expansion: NodeExpansion) -> None:
        """The children of the node are going to be visited."""

    def prune(self, rule: str, skipped: int) -> None:
        """Of the node's joint moves the next ones, so many, are skipped."""

    def found(self, found: Found[Any], source: Source, bound: Bound) -> None:
        """This is what is known of the node, or a bound of it; nothing more comes of it."""
