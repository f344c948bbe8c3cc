"""A person who takes part in a match, and moves in a browser."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition

from ggp.deadline import Deadline
from ggp.kif import Symbol, Term
from ggp.match import MatchSettings, Participant, Percepts
from ggp.reasoner import JointMove

__all__ = ["HumanPlayer"]

#: Seconds between two looks at whether somebody has cut the clock.
_TICK = 0.1


class HumanPlayer(Participant):
    """Waits for the move that somebody makes on a page."""

    is_human = True

    def __init__(self, name: str, *, on_turn: Callable[[int], None], takes_time: bool) -> None:
        """Name a person.

        Args:
            name: whom the record names.
            on_turn: called with the number of a turn, from 0, when a move is wanted.
            takes_time: whether no clock holds for this person.
        """
        self.name = name
        self.has_clock = not takes_time
        self._on_turn = on_turn
        self._changed = Condition()
        self._turn = -1
        #: What was made in this turn; the first one counts.
        self._moves: list[Term] = []

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match: a person is always ready."""

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:  # noqa: ARG002
        """Return the move that was made on the page, which also shows what was played last."""
        with self._changed:
            self._turn += 1
            self._moves.clear()
            self._on_turn(self._turn)
            while not self._moves and not deadline.is_over:
                self._changed.wait(min(_TICK, deadline.remaining))
            if not self._moves:
                raise TimeoutError
            return self._moves[0]

    def make(self, turn: int, move: Term) -> None:
        """Make a move in a turn; one for another turn comes too late, or too early."""
        with self._changed:
            if turn == self._turn:
                self._moves.append(move)
                self._changed.notify_all()

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Tell that the match is over: the page does so."""

    def abort(self, deadline: Deadline) -> None:
        """Tell that the match was given up: the page does so."""
