"""What a player's process and its owner say to each other.

The process (`ggp.match.worker`) sends `Ready` when it has started. The owner (`ggp.match.process`)
sends `Begin` once, then a `Think` a turn, then `End`. The process answers with `Prepared` or
`Failed`, with as many `Move` a turn as it likes, the last one counting, and `Done`. Deadlines are
on the scale of `time.monotonic`, which all processes of a machine share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ggp.kif import Term
from ggp.match.possible_states import Percepts
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove

__all__ = [
    "PREPARATION",
    "Begin",
    "Done",
    "Doubt",
    "End",
    "Failed",
    "Log",
    "Move",
    "Note",
    "Prepared",
    "Ready",
    "Reply",
    "Request",
    "Think",
    "Thinks",
]

#: What stands for the time before the first turn, where the number of a turn is expected.
PREPARATION = -1


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
    #: How many processes of the player have ended in this match before.
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """The match is over; the process ends."""

    #: What was played in the last turn, if that is known.
    joint_move: JointMove | Percepts | None = None
    aborted: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """The process waits for a match: from now on it needs no other process to find a move."""


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
    #: Whether the player chose it; else it is the first legal move.
    is_chosen: bool = True
    #: Whether it is known to be legal; else the state from which it comes is a guess (GDL-II).
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """No better move will come for this turn."""

    turn: int
    #: Whether the player was asked; it is not if it failed to start.
    was_asked: bool = True


@dataclass(frozen=True, slots=True)
class Thinks:
    """What the player thinks in a turn, for spectators and the record.

    The last one of a turn comes before its `Done`, that of the preparation before `Prepared`.
    """

    #: `PREPARATION` while the player prepares.
    turn: int
    info: SearchInfo


@dataclass(frozen=True, slots=True)
class Doubt:
    """What was told of the turn before is not legal; it counts nevertheless.

    It comes before the first `Move` of the turn.
    """

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """One line that says what the player has done, such as what it has learned."""

    text: str


@dataclass(frozen=True, slots=True)
class Log:
    """One line that says what the player did wrong."""

    text: str
    #: The traceback, if there is one.
    traceback: str = ""


Request: TypeAlias = Begin | Think | End
Reply: TypeAlias = Ready | Prepared | Failed | Move | Done | Thinks | Doubt | Note | Log
