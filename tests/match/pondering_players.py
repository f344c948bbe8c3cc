"""Players that show by their moves whether they could think on the others' time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.kif import Term, parse_term
from ggp.match import Player, SearchInfo
from ggp.reasoner import State

ONE, TWO, THREE = (parse_term(f"(pick {n})") for n in (1, 2, 3))


class Pondering(Player):
    """Picks 1 first, then 3 if it was told of its last answer and pondered on it, else 2."""

    def __init__(self) -> None:
        self.next_move = ONE

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield TWO
        yield self.next_move

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        is_told = move == self.next_move
        self.next_move = TWO
        while not deadline.is_over:
            time.sleep(0.001)
            self.next_move = THREE if is_told else TWO


class LostInThought(Pondering):
    """Does not come back."""

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        time.sleep(1000)


class Stumbling(Pondering):
    """Fails, but was first told of its answer."""

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:
        self.next_move = THREE if move == self.next_move else TWO
        raise ZeroDivisionError("by design")


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
