"""What a search is asked for, resolved for one game: the reference and the engine read the same."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.kif import Symbol
from ggp.search.evaluation import Estimator, Evaluation
from ggp.search.leaf_values import Classifier, LeafValueTable, RowFilter, Tally
from ggp.search.transposition_table import Bound

__all__ = ["SearchSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """The options of a search with every default filled in.

    `SearchOptions.resolve` makes them; what an algorithm does not use keeps its default.
    """

    #: The name of the algorithm.
    algorithm: str
    #: The roles of the game.
    roles: tuple[Symbol, ...]
    #: The number of the role to search for.
    role: int
    #: The number of the role `random`, whose moves are expected and not chosen; None without one.
    chance: int | None
    #: What decides that nothing better than what was found can follow.
    classifier: Classifier
    #: What the classifier knows.
    leaf_values: LeafValueTable
    #: What a state at the horizon of a depth-limited search is worth.
    evaluation: Estimator
    #: The lowest and the highest value that a search for one role distinguishes. A value outside is
    #: as good as the threshold.
    lose: float
    win: float
    #: How closely the rules of max-n that ask which rows are possible below a state do so; None
    #: where the table has no rows.
    row_filter: RowFilter | None = None
    #: Whether the linear test of max-n relies on ranks being whole numbers.
    discrete: bool = False
    #: What the goal of the role counts, for searches for this goal alone; None if nothing.
    tally: Tally | None = None

    @classmethod
    def of(
        cls,
        graph: GameGraph,
        *,
        algorithm: str,
        role: int | None,
        classifier: Classifier,
        leaf_values: LeafValueTable | None,
        evaluation: Estimator | None,
    ) -> SearchSettings:
        """Fill in the defaults of the options that every search has.

        Raises:
            ValueError: there is no such role, or it is `random`, which has no goal.
        """
        names = [str(name) for name in graph.roles]
        chance = names.index(RANDOM) if RANDOM in names else None
        choosing = [i for i in range(len(names)) if i != chance]
        if not choosing or (role is not None and role not in choosing):
            raise ValueError(f"no such role to search for: {role} of {', '.join(names)}")
        role = choosing[0] if role is None else role
        leaf_values = leaf_values or LeafValueTable.of(graph.reasoner.description)
        return cls(
            algorithm=algorithm,
            roles=graph.roles,
            role=role,
            chance=chance,
            classifier=classifier,
            leaf_values=leaf_values,
            evaluation=evaluation or Evaluation(leaf_values=leaf_values),
            lose=0,
            win=leaf_values.highest(role, classifier),
        )

    @property
    def low(self) -> float:
        """The role's lowest value: 0 in every game, because a missing goal counts as 0."""
        return 0

    @property
    def high(self) -> float:
        """The role's highest value, as the classifier knows it."""
        return self.leaf_values.highest(self.role, self.classifier)

    def asks_leaves(self, *, is_endless: bool) -> bool:
        """Return whether the rules of max-n ask which leaves are possible, and not which means.

        That is so in a search to the end of a game without chance; the hull decides for means.
        """
        return is_endless and self.chance is None and self.classifier != "hull"

    @property
    def choosers(self) -> tuple[int, ...]:
        """The roles in the order in which they choose, the searching role first, without chance."""
        others = (i for i in range(len(self.roles)) if i not in (self.role, self.chance))
        return (self.role, *others)

    def bound(self, value: float, alpha: float, beta: float) -> Bound:
        """Return what the value that a search with the window (alpha, beta) finds says."""
        if alpha < value < beta or value >= self.high or value <= self.low:
            return Bound.EXACT
        return Bound.LOWER if value >= beta else Bound.UPPER
