"""The steps of a search that an observer is told: enough to draw the searched tree."""

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
        """The search visits a node: the next child of the node expanded last, or the root.

        Args:
            node: its number.
            again: whether it, or a node above it, was pruned before and is searched again.
        """

    def expand(self, expansion: NodeExpansion) -> None:
        """The search is about to visit the children of the node."""

    def prune(self, rule: str, skipped: int) -> None:
        """The search skips the next `skipped` joint moves of the node."""

    def found(self, found: Found[Any], source: Source, bound: Bound) -> None:
        """The search has finished the node with this value, or this bound of it."""
