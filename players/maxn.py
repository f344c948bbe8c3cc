"""Plays by max-n: for games of any number of roles, each of which plays for itself."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ggp import search
from ggp.players.deepening import Deepening
from ggp.search.leaf_values import Classifier, RowFilter

__all__ = ["MaxN", "Pruning"]

#: The pruning rules. All of them include "immediate".
Pruning: TypeAlias = Literal[
    "immediate", "shallow", "branch-and-bound", "last-branch", "speculative"
]
_RULES: dict[Pruning, type[search.MaxN]] = {
    "immediate": search.MaxN,
    "shallow": search.Shallow,
    "branch-and-bound": search.BranchAndBound,
    "last-branch": search.LastBranch,
    "speculative": search.Speculative,
}


class MaxN(Deepening):
    """Plays the move that gets the most if each role maximises its own goal.

    The pruning rule and the classifier change how deep the search gets, but not its results.
    """

    search_class = search.MaxN

    def __init__(
        self,
        *,
        pruning: Pruning = "speculative",
        classifier: Classifier = "lvt",
        row_filter: RowFilter = "exact",
        discrete: bool = False,
        **options: Any,
    ) -> None:
        """Configure the player.

        Args:
            pruning: the pruning rule.
            classifier: decides whether a better result can follow; "none" turns pruning off.
            row_filter: how closely to filter the rows of the leaf-value table below a state.
            discrete: whether the linear test assumes that ranks are whole numbers.
            **options: as for `Deepening`.

        Raises:
            PlayerError: as for `Deepening`.
        """
        super().__init__(**options)
        self.search_class = _RULES[pruning]
        self._search_options |= {
            "classifier": classifier,
            "row_filter": row_filter,
            "discrete": discrete,
        }
