"""Plays by bounded minimax: content with enough."""

from __future__ import annotations

from ggp import search
from ggp.errors import PlayerError
from ggp.graph import DEFAULT_MAX_STATES
from players.deepening import DEFAULT_MEMORY, Deepening

__all__ = ["Bounded"]


class Bounded(Deepening):
    """Plays the first move that gets `win` or more if everybody else is against it.

    Where there is none it plays the one that gets the most.
    """

    search_class = search.Bounded

    def __init__(
        self,
        *,
        win: float = 100,
        lose: float = 0,
        depth: int | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        """Configure the player.

        Args:
            win: a goal that is good enough.
            lose: a goal that is bad enough.
            depth: how many joint moves to look ahead at most; None for no limit.
            max_states: how many states to keep in memory, as for `Deepening`.
            memory: megabytes of the engine's transposition table.

        Raises:
            PlayerError: `lose` is not less than `win`, or a limit is less than 1.
        """
        super().__init__(depth=depth, max_states=max_states, memory=memory)
        if not lose < win:
            raise PlayerError(f"lose must be less than win, not {lose:g} and {win:g}")
        self._search_options = {"win": win, "lose": lose}
