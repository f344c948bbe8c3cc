"""Opponents of several levels: each level is a player that searches a fixed number of states.

A level limits the states that a tree search expands for a move, and not the time: it is as strong
on a slow or busy machine as on a fast one. `python -m benchmarks.levels` plays each level against
the next one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.match import Player, SearchInfo, flat_monte_carlo
from ggp.reasoner import State
from ggp.search import Limit
from ggp.search.mcts import TreeOptions, TreeSearch

__all__ = ["LEVELS", "Level", "LevelPlayer"]

#: The share of the clock that a move may take at most, and the states that are remembered.
_SHARE, _MAX_STATES = 0.8, 100_000
#: How many playouts a visit makes.
_PLAYOUTS = 4


@dataclass(frozen=True, slots=True)
class Level:
    """One level, as the pages offer it."""

    #: The name of the player, which is also that of the level.
    name: str
    #: The player, as `make_player` takes it.
    spec: str
    #: What a page calls it.
    title: str
    #: Seconds.
    start_clock: float
    play_clock: float


_PLAYER = "ggp.server.manager.playing.level.LevelPlayer"
#: From the weakest to the strongest.
LEVELS = (
    Level("easy", f"{_PLAYER}:states=14", "Easy", 20, 30),
    Level("medium", f"{_PLAYER}:states=55", "Medium", 20, 30),
    Level("strong", f"{_PLAYER}:states=220", "Strong", 20, 30),
    # of 8 seconds there is enough left to learn the game
    Level("best", "auto", "As strong as it gets", 8, 5),
)


class LevelPlayer(Player):
    """Plays what a tree search finds that expands a given number of states for each move."""

    uses_start_clock = False

    def __init__(self, *, states: int = 100, seed: int | None = None) -> None:
        """Configure the player.

        Args:
            states: how many states the search expands for a move.
            seed: makes its playouts repeatable; None for others in each match.

        Raises:
            PlayerError: there is no state to be expanded.
        """
        if states < 1:
            raise PlayerError("states must be at least 1")
        self._states, self._seed = states, seed

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the move that the search prefers."""
        context = self.context
        legal = context.reasoner.legal_moves(state, context.role)
        if len(legal) == 1:
            yield legal[0]
            return
        limit = deadline.part(_SHARE)
        try:
            graph = GameGraph(context.reasoner, max_states=_MAX_STATES)
            graph.set_root(graph.node(state))
            # Roles that choose at once are not to be read from one match to the next.
            options = TreeOptions(
                role=context.index, playouts=_PLAYOUTS, seed=self._random(), regret=True
            )
            search = TreeSearch(graph, options)
            for result in search.deepen(limit=Limit(nodes=self._states, deadline=limit)):
                if result.move is not None:
                    context.report(SearchInfo(result.value, nodes=result.expanded))
                    yield result.move
        except GgpError:  # too many joint moves for a tree
            yield from flat_monte_carlo(
                context.reasoner, context.index, legal, lambda: state, deadline.part(_SHARE / 4)
            )

    def _random(self) -> int:
        return random.randrange(1 << 30) if self._seed is None else self._seed
