"""Players that report what they think at certain moments."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.match import Player, PlayerContext, SearchInfo
from ggp.reasoner import State


class LastWord(Player):
    """Reports a first thought at once, and the last one only after its clock is over."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        super().start(context, deadline)
        self._think(40, deadline)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]
        self._think(70, deadline)

    def _think(self, value: float, deadline: Deadline) -> None:
        self.context.report(SearchInfo(value / 2, depth=1, nodes=1))
        while not deadline.is_over:
            time.sleep(0.001)
        self.context.report(SearchInfo(value, depth=9, nodes=1000))


class Dreamer(Player):
    """Reports in its first turn, and while it ponders, but in no later turn."""

    def __init__(self) -> None:
        self._is_new = True

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        if self._is_new:
            self.context.report(SearchInfo(50, depth=1, nodes=1))
        self._is_new = False
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        self.context.report(SearchInfo(99, depth=9, nodes=999))
