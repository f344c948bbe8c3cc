"""The options of a tree search: the reference and the engine read the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt

from ggp.graph import GameGraph
from ggp.search.options import SearchOptions
from ggp.search.settings import SearchSettings

__all__ = ["TreeOptions", "TreeSettings"]

# The number of playouts at which `blend` has half of its weight.
_NOISY = 8


@dataclass(frozen=True, kw_only=True)
class TreeOptions(SearchOptions):
    """The options of a tree search: above all, how it chooses its visits.

    Raises:
        ValueError: an option is out of its range.
    """

    #: How far behind the best move, for values from 0 to 1, a move is that gets its even share of
    #: the visits, where a visit makes many playouts. With fewer it is larger, see `weights`.
    exploration: float = 0.02
    #: The weight in a node's value, from 0 to 1, of the leaf to which the line of best children
    #: leads, where a visit makes many playouts; the rest is the weight of the mean of all visits
    #: (Lanctot, Winands, Pepels and Sturtevant 2014, "Monte Carlo tree search with heuristic
    #: evaluations using implicit minimax backups"). With fewer it is smaller, see `weights`.
    blend: float = 0.5
    #: How many visits with the value of its node a move has that was not tried: the fewer, the
    #: sooner all moves of a node are tried.
    untried: float = 1.0
    #: What a move gets, on values from 0 to 1, that is the easiest to prove (Kowalski, Soemers,
    #: Kosakowski and Winands 2025, "Generalized proof-number Monte-Carlo tree search").
    ease: float = 0.1
    #: Whether roles that choose at once choose by regret matching, not by UCT (Lanctot, Lisy and
    #: Winands 2014, see `ggp.search.mcts.regret`). The move to make is then drawn, too, as often
    #: as it was made in the search: a role that always plays the same is easy to exploit.
    regret: bool = False
    #: How many playouts a visit makes; None for what suits the game.
    playouts: int | None = None
    #: How many visits a leaf has before it is expanded.
    threshold: int = 1
    #: Makes the search repeatable, where the number of playouts is given, one thread searches, and
    #: no clock ends it.
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.exploration, self.ease) < 0 or not 0 <= self.blend <= 1:
            raise ValueError("exploration and ease must be at least 0, and blend from 0 to 1")
        if self.untried <= 0:
            raise ValueError("untried must be more than 0")
        if self.threshold < 1 or (self.playouts is not None and self.playouts < 1):
            raise ValueError("playouts and threshold must be at least 1")

    def resolve(self, graph: GameGraph, algorithm: str) -> TreeSettings:
        """Return the settings of a search of a graph, see `SearchOptions.resolve`."""
        shared = super().resolve(graph, algorithm)
        known = {each.name: getattr(shared, each.name) for each in fields(shared)}
        return TreeSettings(**known, visits=self)

    def weights(self, playouts: int) -> tuple[float, float]:
        """Return `exploration` and the weight of the best child, for visits of n playouts.

        The fewer playouts, the more a value is due to chance: then the best child is more likely
        one that was lucky, and more must be tried to know better.
        """
        return (
            self.exploration * sqrt(1 + _NOISY / playouts),
            self.blend * playouts / (playouts + _NOISY),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettings(SearchSettings):
    """The options of a tree search with every default filled in."""

    #: How it chooses its visits.
    visits: TreeOptions
