"""The rules of max-n pruning: they select the bounds with which a child is searched.

All of them are `MaxN` with its one kernel, `MaxN.choose`, and *immediate* pruning. A bound is what
a role already holds at its choice above. If no leaf can give each bounded role more than its bound,
one of them prevents the game from coming here.
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
        """Return the bound of the role that chooses here."""
        return (own,)


class BranchAndBound(Shallow):
    """The bound of the parent, and what is still possible below the state.

    What the players have already won or lost is a monotone heuristic: it bounds each role from
    below and above, independently of what the search has found. (Sturtevant and Korf, "On pruning
    techniques for multi-player games", AAAI 2000: alpha-beta branch-and-bound pruning.)
    """

    algorithm = "branch-and-bound"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"linear", "hull", "lvt"})


class LastBranch(MaxN):
    """The bounds of the ancestors, as long as each of them is at its last child.

    No child is left to the right that could be preferred, so that a pruned child never has to be
    searched again. (Sturtevant, "Last-branch and speculative pruning algorithms for max^n", IJCAI
    2003.)
    """

    algorithm = "last-branch"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"hull", "lvt"})

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:
        """Return this role's bound; for the last child all bounds, unless the best is inside."""
        return (*path, own) if last and not inside else (own,)


class Speculative(MaxN):
    """The bounds of the last n - 1 choices for n roles, in any order of turns.

    The rule speculates that the roles in between do not prefer what it prunes; where that turns out
    to be open, the pruned child is searched again. (Sturtevant, IJCAI 2003; with leaf-value tables:
    Sturtevant, "Leaf-value tables for pruning non-zero-sum games", IJCAI 2005.)
    """

    algorithm = "speculative"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"hull", "lvt"})

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:  # noqa: ARG002
        """Return the last bounds; only this role's once the best value is inside."""
        return (own,) if inside else (*path, own)[-max(1, len(self.choosers) - 1) :]
