"""The options of a tree search: the reference and the engine read the same."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TreeSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettings:
    """How a tree search chooses its visits.

    Raises:
        ValueError: an option is out of its range.
    """

    #: The constant of UCB1, for values from 0 to 1. It is smaller than sqrt(2), which suits single
    #: playouts, because a visit brings the mean of several.
    exploration: float = 0.2
    #: The weight of the best line of play that is known in a node's value, from 0 to 1; the rest is
    #: the weight of the mean of all playouts below (Lanctot, Winands, Pepels and Sturtevant 2014,
    #: "Monte Carlo tree search with heuristic evaluations using implicit minimax backups").
    blend: float = 0.4
    #: How many visits with the value of its node a move has that was not tried: the fewer, the
    #: sooner all moves of a node are tried.
    untried: float = 1.0
    #: How many playouts a visit makes; None for what suits the game.
    playouts: int | None = None
    #: How many visits a leaf has before it is expanded.
    threshold: int = 1
    #: Makes the search repeatable, where the number of playouts is given, one thread searches, and
    #: no clock ends it.
    seed: int = 0
    #: How many threads of the engine share the tree; the reference has one.
    threads: int = 1

    def __post_init__(self) -> None:
        if self.exploration < 0 or not 0 <= self.blend <= 1:
            raise ValueError("exploration must be at least 0, and blend from 0 to 1")
        if min(self.threshold, self.threads) < 1 or (
            self.playouts is not None and self.playouts < 1
        ):
            raise ValueError("playouts, threshold and threads must be at least 1")
