"""What a player's process and its owner say to each other.

The owner (`ggp.match.process`) sends `Begin` once, then a `Think` a turn, then `End`. The process
(`ggp.match.worker`) answers with `Prepared` or `Failed`, with as many `Move` a turn as it likes,
the last one counting, and `Done`. Deadlines are on the scale of `time.monotonic`, which all
processes of a machine share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ggp.kif import Term
from ggp.match.possible_states import Percepts
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove

__all__ = [
    "Begin",
    "Done",
    "End",
    "Failed",
    "Log",
    "Move",
    "Prepared",
    "Reply",
    "Request",
    "Think",
    "Thinks",
]


@dataclass(frozen=True, slots=True)
class Think:
    """A request to find a move for a turn; turns are numbered from 0."""

    turn: int
    #: What was played in the turn before, or seen of it; None in the first turn, or where it is
    #: already known.
    joint_move: JointMove | Percepts | None
    due: float


@dataclass(frozen=True, slots=True)
class Begin:
    """Take a role in a match, which may already be under way."""

    rules: str
    role: str
    #: Seconds for each move.
    play_clock: float
    #: By when the player should be prepared.
    due: float
    #: What was played so far, or seen of it.
    history: tuple[JointMove | Percepts, ...] = ()
    #: The turn that waits for a move, if any.
    think: Think | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The match is over; the process ends."""

    #: What was played in the last turn, if that is known.
    joint_move: JointMove | Percepts | None = None
    aborted: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """The player is ready for the first turn."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The process cannot go on, and a new one could not either."""

    reason: str


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move for a turn, at least as good as those sent before."""

    turn: int
    move: Term


@dataclass(frozen=True, slots=True)
class Done:
    """No better move will come for this turn."""

    turn: int


@dataclass(frozen=True, slots=True)
class Thinks:
    """What the player thinks in a turn, for spectators."""

    turn: int
    info: SearchInfo


@dataclass(frozen=True, slots=True)
class Log:
    """One line that says what the player did wrong."""

    text: str
    #: The traceback, if there is one.
    traceback: str = ""


Request: TypeAlias = Begin | Think | End
Reply: TypeAlias = Prepared | Failed | Move | Done | Thinks | Log
