"""A human player, who moves in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import Condition

from ggp.deadline import Deadline, TimeUp
from ggp.kif import Symbol, Term
from ggp.match import MatchSettings, Participant, Percepts, game_spelling
from ggp.reasoner import JointMove

__all__ = ["HumanPlayer"]


class HumanPlayer(Participant):
    """Waits for the move that a person makes on a page."""

    is_human = True

    def __init__(self, name: str, *, takes_time: bool) -> None:
        """Prepare a player.

        Args:
            name: the name for the record.
            takes_time: whether the player may exceed the clock.
        """
        self.name = name
        self.has_clock = not takes_time
        self._changed = Condition()
        self._turn = -1
        self._legal: Sequence[Term] = ()
        #: The moves that were made in this turn; the first one counts.
        self._moves: list[Term] = []

    def offer(self, turn: int, legal: Sequence[Term]) -> None:
        """Begin a turn, before `play`: the player is to choose one of the legal moves.

        The only legal move is made at once.
        """
        with self._changed:
            self._turn, self._legal = turn, legal
            self._moves = list(legal) if len(legal) == 1 else []

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match; a human player is always ready."""

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:  # noqa: ARG002
        """Return the move that was made on the page, which shows the last joint move, too."""
        with self._changed:
            with suppress(TimeUp):
                deadline.wait_on(self._changed, lambda: bool(self._moves))
            if not self._moves:
                raise TimeoutError
            return self._moves[0]

    def make(self, turn: int, move: Term) -> None:
        """Make a move in a turn; an illegal move, or one for any other turn, is ignored."""
        with self._changed:
            known = game_spelling(move, self._legal)
            if turn == self._turn and known is not None:
                self._moves.append(known)
                self._changed.notify_all()

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Do nothing: the page shows that the match is over."""

    def abort(self, deadline: Deadline) -> None:
        """Do nothing: the page shows that the match was aborted."""
