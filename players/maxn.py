"""Plays by max-n: for games of any number of roles, each of which plays for itself."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ggp.players.deepening import Deepening
from ggp.search import ALGORITHMS, MaxNOptions
from ggp.search.leaf_values import Classifier, RowFilter

__all__ = ["MaxN", "Pruning"]

#: The pruning rules. All of them include "immediate", which is that of `ggp.search.MaxN`.
Pruning: TypeAlias = Literal[
    "immediate", "shallow", "branch-and-bound", "last-branch", "speculative"
]


class MaxN(Deepening):
    """Plays the move that gets the most if each role maximises its own goal.

    The pruning rule and the classifier change how deep the search gets, but not its results.
    """

    algorithm = ALGORITHMS["maxn"]

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
        self.algorithm = ALGORITHMS["maxn" if pruning == "immediate" else pruning]
        self._options = MaxNOptions(classifier=classifier, row_filter=row_filter, discrete=discrete)
