"""One match of the player server: its turn, the answers so far, and the player's knowledge."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Literal, Protocol, TypeAlias

from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.kif import Term
from ggp.match import Percepts
from ggp.reasoner import JointMove
from ggp.server.log import log_fields
from ggp.server.messages import Moves, Start
from ggp.server.percepts import joint_move, role_named, same
from ggp.server.questions import OnLeaving, OutOfStep, Questions
from ggp.server.timing import Margin

__all__ = ["Match", "Phase", "Session", "Snapshot"]

#: What a match is doing.
Phase: TypeAlias = Literal["preparing", "thinking", "waiting"]

#: STOP may never come: ggp-base sends none where a game ends without a goal. So a match is overdue
#: after a silence of this many play clocks and seconds (and, before the first PLAY, of the start
#: clock). It is abandoned only later, because a person who plays against it may take long.
_OVERDUE = (2, 10.0)
_ABANDONED = (5, 60.0)

_log = logging.getLogger(__name__)


class Session(Protocol):
    """A player at one match, such as a `ggp.match.PlayerProcess`, which documents the methods."""

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes in which the player runs."""

    @property
    def note(self) -> str:
        """What the player says that it has done to prepare; "" as long as it says nothing."""

    @property
    def doubt(self) -> str:
        """What is not legal in what it was told in this turn; "" for nothing."""

    def start(self, rules: str, role: str, *, play_clock: float, deadline: Deadline) -> None:
        """Prepare until the deadline at the latest. Raises `PlayerError`."""

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Advance by the joint move or the percepts, if any, and return a legal move.

        Raises `PlayerError`.
        """

    def stop(self, joint_move: JointMove | Percepts | None) -> None:
        """Tell the player that the match is over."""

    def abort(self) -> None:
        """Tell the player that the match was aborted."""

    def close(self) -> None:
        """End at once. Any thread may call this at any time."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a match at one moment, as the status page shows it."""

    id: str
    role: str
    #: How the manager addresses the player.
    address: str
    #: The peer whose manager started the match, as `ggp.server.access.peers` names it.
    peer: str
    phase: Phase
    #: The turn of the last PLAY, counted from 0; -1 before the first.
    turn: int
    #: The last answer: that of this turn, or of the turn before while the player thinks.
    answer: str
    start_clock: float
    play_clock: float
    #: Seconds since START.
    age: float
    #: Seconds since the last message or answer.
    silence: float
    #: The ids of the processes in which it is played.
    processes: tuple[int, ...]
    #: What the player says that it has done to prepare, such as what it has learned.
    note: str


class Match:
    """A match in which this server plays one role.

    The match holds its lock while the player prepares or thinks, so that its messages are answered
    one after the other. Other matches never wait for it.
    """

    def __init__(
        self,
        start: Start,
        *,
        address: str,
        peer: str,
        open_session: Callable[[], Session],
        margin: Margin,
        now: Callable[[], float],
    ) -> None:
        """Take what a START tells. Raises `OutOfStep` if the game does not have the role."""
        self.id = start.match
        self.address = address
        self.peer = peer
        role = role_named(start.role, start.rules)
        if role is None:
            raise OutOfStep(f"the game has no role {start.role}")
        self.role = role
        self._start = start
        self._rules = start.rules
        self._open_session = open_session
        self._margin = margin
        self._now = now
        self._started = self._last_heard = now()
        self._lock = Lock()
        self._phase: Phase = "preparing"
        self._session: Session | None = None
        self._deadline = Deadline()
        self._is_over = False
        self._turn = -1
        self._questions = Questions(self._play)
        self._moves: Moves | None = None
        #: The answer in this turn.
        self._answer: Term | None = None
        #: The last answer, of any turn.
        self._last_answer: Term | None = None
        #: What the log tells of the player's note.
        self._told_note = ""
        self._doubt = ""

    @property
    def turn(self) -> int:
        """The turn of the last PLAY, counted from 0; -1 before the first."""
        return self._turn

    @property
    def doubt(self) -> str:
        """What is odd about the moves that the manager has told in this turn; "" for nothing."""
        return self._doubt

    @property
    def age(self) -> float:
        """Seconds since START."""
        return self._now() - self._started

    def snapshot(self) -> Snapshot:
        """Return the state of the match at this moment, without waiting."""
        answer, session = self._last_answer, self._session
        return Snapshot(
            id=self.id,
            role=self.role,
            address=self.address.strip(),
            peer=self.peer,
            phase=self._phase,
            turn=self._turn,
            answer="" if answer is None else str(answer),
            start_clock=self._start.start_clock,
            play_clock=self._start.play_clock,
            age=self.age,
            silence=self.silence,
            processes=() if session is None else session.processes,
            note="" if session is None else session.note,
        )

    def replaces(self, other: Match) -> bool:
        """Return whether this match takes the place of another.

        The same manager has sent a START with the same id.
        """
        is_same = (other.id, other.peer) == (self.id, self.peer)
        return is_same and (other.address == self.address or other.role == self.role)

    @property
    def is_overdue(self) -> bool:
        """Whether a manager without human players would have asked for a move by now.

        Another match may take the place of this one.
        """
        play_clocks, seconds = _OVERDUE
        start_clock = self._start.start_clock if self._turn < 0 else 0.0
        return self.silence > start_clock + play_clocks * self._start.play_clock + seconds

    @property
    def is_abandoned(self) -> bool:
        """Whether the manager has been silent for too long, so that the match is aborted."""
        play_clocks, seconds = _ABANDONED
        clocks = self._start.start_clock + play_clocks * self._start.play_clock
        return self.silence > clocks + seconds

    @property
    def silence(self) -> float:
        """Seconds since the last message or answer."""
        return self._now() - self._last_heard

    def prepare(self, received: float) -> None:
        """Let the player prepare, and return within the start clock. Raises `PlayerError`."""
        with self._lock:
            deadline = self._set_clock(received, self._start.start_clock)
            self._session = self._open_session()
            if self._is_over:
                self._session.close()
            self._session.start(
                self._rules.text,
                self.role,
                play_clock=self._margin.thinking_time(self._start.play_clock),
                deadline=deadline,
            )
            self._margin.observe(self._now() - deadline.due)
            self._phase = "waiting"
            self._tell_note(self._session)

    def play(self, moves: Moves, received: float, *, on_leaving: OnLeaving) -> Term:
        """Return the player's move within the play clock.

        A repeated message gets the same answer. If it comes while the first is being answered, only
        the newer one waits for the move.

        Args:
            moves: what the message tells.
            received: when it was received.
            on_leaving: tells when the client leaves.

        Raises:
            OutOfStep: the message is not about this turn or the next, another one waits in its
                place, or the client has left.
            PlayerError: no legal move is known.
        """
        self._check(moves)
        self._last_heard = self._now()
        last_moment = received + self._margin.last_moment(self._start.play_clock)
        return self._questions.ask(
            moves, received, patience=last_moment - self._now(), on_leaving=on_leaving
        )

    def _play(self, moves: Moves, received: float) -> Term:
        # A manager that asks for a move no longer waits for the preparation.
        if self._turn < 0:
            self._deadline.cancel()
        last_moment = received + self._margin.last_moment(self._start.play_clock)
        if not self._lock.acquire(timeout=max(0.0, last_moment - self._now())):
            raise PlayerError("the player was still busy with another message")
        self._phase = "thinking"
        try:
            turn = self._turn_of(moves)
            if turn == self._turn:
                return self._think(None, received) if self._answer is None else self._answer
            known = None if turn == 0 else self._joint_move(moves)
            doubts = [self._doubt_of(known)]
            self._turn, self._moves, self._answer, self._doubt = turn, moves, None, ""
            try:
                return self._think(known, received)
            finally:
                doubts += [] if self._session is None else [self._session.doubt]
                self._doubt = "; ".join(filter(None, doubts))
        finally:
            self._phase = "waiting"
            self._lock.release()

    def stop(self, moves: Moves) -> None:
        """End the match, and tell the player how it ended."""
        self._end(lambda session: session.stop(self._last_joint_move(moves)))

    def abort(self) -> None:
        """Abort the match."""
        self._end(lambda session: session.abort())

    def close(self) -> None:
        """End the match and its processes at once."""
        self._is_over = True
        if self._session is not None:
            self._session.close()

    def _think(self, known: JointMove | Percepts | None, received: float) -> Term:
        deadline = self._set_clock(received, self._start.play_clock)
        if self._session is None:
            raise PlayerError("the match has not started")
        try:
            self._answer = self._session.play(known, deadline)
        except PlayerError as error:
            last_call = Deadline(received + self._margin.last_moment(self._start.play_clock))
            if self._is_over or last_call.due <= self._now():
                raise
            _log.warning("match %s: %s; trying again", self.id, error)
            self._answer = self._session.play(None, last_call)
        self._last_answer = self._answer
        self._last_heard = self._now()
        self._margin.observe(self._last_heard - deadline.due)
        self._tell_note(self._session)
        return self._answer

    def _tell_note(self, session: Session) -> None:
        """Log what the player says that it has done to prepare, once."""
        if session.note and session.note != self._told_note:
            self._told_note = session.note
            fields = {"event": "note", "match": self.id, "role": self.role, "note": session.note}
            log_fields(_log, logging.INFO, fields)

    def _set_clock(self, received: float, seconds: float) -> Deadline:
        self._margin.observe(self._now() - received)
        self._deadline = Deadline(received + self._margin.thinking_time(seconds))
        if self._is_over:
            raise PlayerError("the match is over")
        return self._deadline

    def _end(self, farewell: Callable[[Session], None]) -> None:
        self._is_over = True
        self._deadline.cancel()
        with self._lock:
            if self._session is None:
                return
            try:
                farewell(self._session)
            except GgpError as error:
                _log.warning("match %s: %s", self.id, error)
            finally:
                self._session.close()

    def _check(self, moves: Moves) -> None:
        """Raise `OutOfStep` for what is wrong already, before it stands for one that waits."""
        turn, latest = self._stated_turn(moves), max(self._turn, 0) + len(self._questions) + 1
        if turn is not None and not self._turn <= turn <= latest:
            raise OutOfStep(f"turn {turn} follows turn {self._turn}")
        is_joint_move = turn is None and not self._rules.sees
        if is_joint_move and len(moves.seen or ()) != len(self._rules.roles):
            raise self._no_joint_move()

    def _stated_turn(self, moves: Moves) -> int | None:
        """Return the turn that a message names; None if it is the one after the last."""
        if moves.turn is not None:
            return moves.turn
        is_first = moves.seen is None or (not moves.seen and not self._rules.sees)
        return 0 if is_first else None

    def _turn_of(self, moves: Moves) -> int:
        """Return the turn of a message: the current one if it is a repetition, or the next.

        Raises `OutOfStep`.
        """
        following = max(self._turn, 0) + 1
        turn = self._stated_turn(moves)
        if turn is None:
            turn = self._turn if moves == self._moves and self._is_stale(moves) else following
        if turn not in (self._turn, following) and (turn, self._turn) != (0, -1):
            raise OutOfStep(f"turn {turn} follows turn {self._turn}")
        return turn

    def _is_stale(self, moves: Moves) -> bool:
        """Return whether a joint move equal to the last one can only be a repeated message.

        In most games the same joint move can be played twice in a row, and in GDL-I no turn number
        tells a repeated message from the next one. But the next one holds this role's last answer.
        """
        if self._rules.sees or moves.seen is None:
            return False
        index = self._rules.roles.index(self.role)
        return not same(moves.seen[index], self._answer)

    def _joint_move(self, moves: Moves) -> JointMove | Percepts:
        known = self._last_joint_move(moves)
        if known is not None:
            return known
        own = moves.last_move or self._answer
        if self._rules.sees and own is not None:
            return Percepts(own, moves.seen or ())
        if self._rules.sees or moves.turn is not None:
            raise PlayerError("what was played cannot be known")
        raise self._no_joint_move()

    def _doubt_of(self, told: JointMove | Percepts | None) -> str:
        """Return that the manager has played another move for this role than the answer."""
        if told is None or isinstance(told, Percepts) or self._answer is None:
            return ""
        own = told[self._rules.roles.index(self.role)]
        if same(own, self._answer):
            return ""
        return f"the manager played {own} for {self.role}, not the answer {self._answer}"

    def _no_joint_move(self) -> OutOfStep:
        return OutOfStep(f"not one move for each of {len(self._rules.roles)} roles")

    def _last_joint_move(self, moves: Moves) -> JointMove | None:
        return joint_move(moves, rules=self._rules, role=self.role, answer=self._answer)
