"""Plays by the search that suits the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player, PlayerContext, PossibleStates
from ggp.players.learning import Learning
from ggp.players.planner import Planner
from ggp.players.proving import Proving
from ggp.reasoner import State

__all__ = ["Auto"]


class Auto(Player):
    """Plays puzzles, games of a single role, by a plan, and all other games by search.

    Where the start clock allows it, it learns the game by playing against itself. If a search with
    the network then wins short matches against tree search with random playouts, that is how it
    plays. Otherwise it plays by tree search, and proves positions where it can.
    """

    def __init__(
        self,
        *,
        memory: int = 64,
        ponder: bool | None = None,
        learn: Literal["no", "start", "always"] = "start",
        keep: bool = True,
        seed: int = 0,
    ) -> None:
        """Configure the player.

        Args:
            memory: megabytes of the memory of the search.
            ponder: whether to go on searching while the other players think; None to do so on half
                of the cores that are free then.
            learn: "start" to learn the game in the start clock, or to use what has been learned of
                it; "no" for neither; "always" to go on while the other players think, on one core
                of several, and to keep that for the next match.
            keep: whether to look the game up in the store of what has been learned, and to keep
                there what is learned now.
            seed: makes the random numbers of learning and of the tree search repeatable.

        Raises:
            PlayerError: the memory is less than 1.
        """
        self._options: dict[str, Any] = {"memory": memory, "ponder": ponder, "seed": seed}
        self._learns, self._keeps = learn, keep
        self._learning: Learning | None = None
        #: Until the game is known.
        self._player: Player = Proving(**self._options)

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Choose the search, and begin to search from the initial state."""
        super().start(context, deadline)
        if len(context.reasoner.roles) == 1:
            self._player = Planner()
        elif self._learns != "no":
            goes_on = self._learns == "always"
            self._learning = Learning(
                context, keeps=self._keeps, goes_on=goes_on, options=self._options
            )
            self._player = self._learning.started(deadline)
            return
        self._player.start(context, deadline)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the moves of the player that was chosen."""
        return self._player.moves(state, deadline)

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield the moves of the player that was chosen."""
        return self._player.moves_among(possible, deadline)

    def policy(self) -> Mapping[Term, float]:
        """Return how much the player that was chosen favours each move."""
        return self._player.policy()

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        """Let the player that was chosen ponder, and go on learning if that was asked for."""
        if self._learning is not None:
            self._learning.go_on(deadline)
        self._player.ponder(state, move, deadline)

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        """Let the player that was chosen note the end, and keep what was learned in the match."""
        self._player.stop(goals)
        if self._learning is not None:
            self._learning.stop()
