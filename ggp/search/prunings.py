"""The rules of max-n pruning: with which of the bounds above it a child is searched.

All of them are `MaxN` with its one kernel, `MaxN.choose`, and *immediate* pruning. A bound is what
a role holds already at its choice above. If no leaf can give more to each role of the box, none of
them would let the game come to it.
"""

from __future__ import annotations

from typing import ClassVar

from ggp.search.classifiers import Number, Path
from ggp.search.leaf_values import Classifier
from ggp.search.maxn import MaxN

__all__ = ["BranchAndBound", "LastBranch", "Shallow", "Speculative"]


class Shallow(MaxN):
    """The bound of the parent: shallow pruning.

    (Korf, "Multi-player alpha-beta pruning", Artificial Intelligence 48, 1991.)
    """

    algorithm = "shallow"

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:  # noqa: ARG002
        """Return the own bound."""
        return (own,)


class BranchAndBound(Shallow):
    """The bound of the parent, and what is still possible below the state.

    What the players have already got, or lost, is a monotone heuristic: it bounds each role from
    below and above, whatever the search has found. (Sturtevant and Korf, "On pruning techniques for
    multi-player games", AAAI 2000: alpha-beta branch-and-bound pruning.)
    """

    algorithm = "branch-and-bound"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"linear", "lvt"})


class LastBranch(MaxN):
    """The bounds of the ancestors, as long as each of them is at its last child.

    There is nothing left to the right that could be preferred, so that no pruned child is ever
    searched again. (Sturtevant, "Last-branch and speculative pruning algorithms for max^n", IJCAI
    2003.)
    """

    algorithm = "last-branch"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"lvt"})

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:
        """Return the own bound; for the last child those above, too, if nothing better is held."""
        return (*path, own) if last and not inside else (own,)


class Speculative(MaxN):
    """The bounds of the last n - 1 choices, n roles playing: whoever chooses, and however often.

    It speculates that what it prunes is not preferred by those in between; where that is not sure
    in the end, the pruned child is searched again. (Sturtevant, IJCAI 2003; with leaf-value tables:
    Sturtevant, "Leaf-value tables for pruning non-zero-sum games", IJCAI 2005.)
    """

    algorithm = "speculative"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"lvt"})

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:  # noqa: ARG002
        """Return the last bounds; the own alone once what is held lies in the box."""
        return (own,) if inside else (*path, own)[-max(1, len(self.choosers) - 1) :]
