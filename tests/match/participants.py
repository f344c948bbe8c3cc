"""Participants of a match that need no process."""

from __future__ import annotations

from threading import Event

from ggp.deadline import Deadline
from ggp.kif import Symbol, Term, parse_term
from ggp.match import MatchSettings, Participant, Percepts
from ggp.reasoner import JointMove

__all__ = ["Fixed", "Stubborn"]


class Fixed(Participant):
    """Takes part without a process, and always answers the same."""

    def __init__(self, move: str, *, name: str = "fixed") -> None:
        self.name = name
        self.told: list[str] = []
        self._move = parse_term(move)

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        self.told.append(f"start {role}")

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        self.told.append(f"play {_text(joint_move)}")
        return self._move

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        self.told.append(f"stop {_text(joint_move)}")

    def abort(self, deadline: Deadline) -> None:
        self.told.append("abort")

    def close(self) -> None:
        self.told.append("close")


def _text(joint_move: JointMove | Percepts | None) -> str:
    if isinstance(joint_move, Percepts):
        return f"{joint_move.own_move}: {' '.join(map(str, joint_move.percepts))}"
    return "None" if joint_move is None else " ".join(map(str, joint_move))


class Stubborn(Fixed):
    """Keeps to no clock at all."""

    def __init__(self, move: str) -> None:
        super().__init__(move)
        self.released = Event()

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        self.released.wait(60)
        return self._move
