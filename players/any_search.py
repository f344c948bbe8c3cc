"""Plays by any search that is named: one of the framework's, of another package, or of your own."""

from __future__ import annotations

from typing import Any

from ggp.errors import GgpError, PlayerError
from ggp.players.deepening import Deepening
from ggp.search import find_algorithm

__all__ = ["AnySearch"]


class AnySearch(Deepening):
    """Plays the move that a search prefers, which gets the time for each move."""

    def __init__(self, *, algorithm: str = "alphabeta", **options: Any) -> None:
        """Configure the player.

        Args:
            algorithm: the search, as for `ggp.search.find_algorithm`: a name, or the place of a
                class, such as ``my_module:MySearch``.
            **options: as for `Deepening`.

        Raises:
            PlayerError: there is no such search, or as for `Deepening`.
        """
        try:
            self.algorithm = find_algorithm(algorithm)
        except GgpError as error:
            raise PlayerError(str(error)) from None
        super().__init__(**options)
