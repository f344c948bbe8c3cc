"""The events of a match, in the order in which they happen. Tuples are in role order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ggp.kif import Symbol, Term
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove

__all__ = ["Event", "MatchFinished", "MatchStarted", "MoveMade", "PlayersReady", "TurnBegan"]


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The match begins; START is being sent to the players."""

    match_id: str
    roles: tuple[Symbol, ...]
    #: The name of the player of each role.
    players: tuple[str, ...]
    #: What is true in the initial state.
    facts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class PlayersReady:
    """Every player has answered the start message or used up its time."""

    #: As in `MatchRecord.errors`.
    errors: tuple[str, ...]
    #: How many seconds each player took.
    seconds: tuple[float, ...]
    #: What each player thought; None for players that do not report it.
    search: tuple[SearchInfo | None, ...] = ()
    #: What each player says that it has done to prepare; "" for players that do not say.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The players are about to be asked for their moves."""

    #: How many joint moves have been played.
    step: int
    #: The legal moves of each role.
    legal: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A joint move was played."""

    #: How many joint moves have been played.
    step: int
    joint_move: JointMove
    #: As in `MatchRecord.errors`.
    errors: tuple[str, ...]
    #: How many seconds each player took.
    seconds: tuple[float, ...]
    #: What is true in the state that was reached.
    facts: tuple[Term, ...]
    #: What each player thought; None for players that do not report it.
    search: tuple[SearchInfo | None, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """The match is over."""

    #: None if the match was aborted.
    goals: tuple[int, ...] | None
    #: Why the match was aborted, or what is wrong with the goals; empty if all is well.
    remark: str = ""


#: What the referee tells of a match, as it happens.
Event: TypeAlias = MatchStarted | PlayersReady | TurnBegan | MoveMade | MatchFinished
