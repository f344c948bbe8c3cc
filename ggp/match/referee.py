"""The referee: asks the players for moves, applies the rules, keeps the clocks and the record.

It behaves like ggp-base's server: the answer to START may take the start clock, the answer to PLAY
the play clock and one second more. A player that is late, unreachable or answers with an illegal
move is given a random legal move, and the match goes on.
"""

from __future__ import annotations

import logging
import random
import re
import secrets
import string
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError, GgpError, IllegalMove, PlayerError, ReasonerError
from ggp.gdl import RANDOM, Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term
from ggp.match.events import (
    Event,
    MatchFinished,
    MatchStarted,
    MoveMade,
    PlayersReady,
    TurnBegan,
)
from ggp.match.participant import MatchSettings, Participant
from ggp.match.possible_states import Percepts
from ggp.match.records.record import MatchRecord, goals_of_loss
from ggp.match.search_info import SearchInfo
from ggp.match.spelling import game_spelling
from ggp.reasoner import JointMove, Reasoner, State, View, bounded, open_reasoner

__all__ = ["Referee", "match_stem", "new_match_id", "seats"]

#: Seconds that the answer to PLAY may take beyond the play clock, for the network.
_DELAY = 1.0
#: Seconds, at least, that the rules may take to say what follows a joint move.
_RULES = 10.0
#: Seconds for the answers to STOP and to ABORT.
_STOP, _ABORT = 5.0, 0.5
#: Seconds after an answer in which a player may say how its search ended, for the record.
_LAST_INFO = 0.5
#: Seconds after all that within which a participant reports that it was late.
_SLACK = 0.3
#: Seconds between two checks whether the deadline was cancelled.
_TICK = 0.05

_STOPPED = "stopped before its end"
_CHECK = "; `ggp check` may say why"

_log = logging.getLogger(__name__)

_Request: TypeAlias = Callable[[Participant, Symbol, Deadline], Term | None]
#: What each role is told of the last turn.
_Told: TypeAlias = Mapping[Symbol, JointMove | Percepts | None]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer of one participant: a move, or an error."""

    move: Term | None
    error: str
    seconds: float
    info: SearchInfo | None = None


def new_match_id(name: str) -> str:
    """Return a unique match id, such as ``ticTacToe.1700000000000.3f2a91c4``.

    It is a single KIF token and a valid file name.
    """
    return f"{match_stem(name)}.{_now()}.{secrets.token_hex(4)}"


def match_stem(name: str) -> str:
    """Return how the ids of the matches of a game begin.

    Examples:
        >>> match_stem("Tic Tac Toe (big)")
        'Tic-Tac-Toe-big'
    """
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "match"


def seats(description: Description) -> tuple[Symbol, ...]:
    """Return the roles that need a player: all but ``random``, which the referee plays."""
    return tuple(role for role in description.roles if role.text.lower() != RANDOM)


class Referee(Closing):
    """Holds one match. It owns the participants: `close` closes them, too."""

    def __init__(
        self,
        settings: MatchSettings,
        participants: Sequence[Participant],
        *,
        reasoner: str = "auto",
        seed: int | None = None,
        game_url: str = "",
        tournament: str | None = None,
        max_steps: int | None = None,
        played: Sequence[JointMove] = (),
        on_answer: Callable[[Symbol, float], None] = lambda _role, _seconds: None,
    ) -> None:
        """Prepare a match.

        Args:
            settings: the game and the clocks.
            participants: one for each of `seats`, in their order.
            reasoner: the kind of reasoner that the referee uses, as for `open_reasoner`.
            seed: makes the moves that the referee chooses repeatable.
            game_url: the address of the rules, for the record.
            tournament: the name of a tournament, for the record.
            max_steps: the match is aborted if it is not over after this many joint moves; None for
                no limit.
            played: the joint moves from the initial state to the one where this match begins. Each
                player is told what it saw of them, and nothing else. Events and record begin there.
            on_answer: called with the role and the seconds that it took, as soon as a move arrives.

        Raises:
            PlayerError: there are more or fewer participants than seats.
        """
        taken = seats(settings.description)
        if len(participants) != len(taken):
            names = ", ".join(map(str, taken)) or "none"
            raise PlayerError(f"{len(participants)} players for {len(taken)} roles: {names}")
        self.settings = settings
        #: In GDL-II, the game whose states contain the percepts of the players.
        self._perceived = (
            PerceivedGame.of(settings.description, taken)
            if settings.description.has_imperfect_information
            else None
        )
        self._roles = settings.description.roles
        self._participants = dict(zip(taken, participants, strict=True))
        self._reasoner = reasoner
        self._played = tuple(played)
        self._on_answer = on_answer
        self._max_steps = inf if max_steps is None else max_steps
        self._random = random.Random(seed)
        #: The role that gave up, which is not asked for moves any more.
        self._gave_up: Symbol | None = None
        #: That of the whole match, once it runs.
        self._deadline = Deadline()
        players = {role: participant.name for role, participant in self._participants.items()}
        self._record = MatchRecord(
            match_id=settings.match_id,
            random_token=_random_token(),
            start_time=_now(),
            game_meta_url=game_url,
            start_clock=settings.start_clock,
            play_clock=settings.play_clock,
            player_names=tuple(players.get(role, RANDOM) for role in self._roles),
            is_player_human=tuple(
                role in self._participants and self._participants[role].is_human
                for role in self._roles
            ),
            tournament_name=tournament,
            is_scrambled=any(participant.is_scrambled for participant in participants),
        )

    @property
    def record(self) -> MatchRecord:
        """The record of the match, as far as it went."""
        return self._record

    def run(self, deadline: Deadline | None = None) -> Iterator[Event]:
        """Play the match and yield its events; the last one is `MatchFinished`.

        If the match ends early (the deadline is over or cancelled, the game or the reasoner fails,
        the caller stops iterating), the players are told, and the record says so.

        Args:
            deadline: the deadline of the whole match; None for no limit.
        """
        deadline = self._deadline = deadline or Deadline()
        if self._gave_up is not None:
            deadline.cancel()
        try:
            with (
                open_reasoner(
                    self._description, kind=self._reasoner, deadline=deadline
                ) as reasoner,
                bounded(reasoner, deadline=deadline),
            ):
                yield from self._play(reasoner, deadline)
        except TimeUp:
            yield self._stop()
        except GgpError as error:
            # A cancelled deadline closes the reasoner, even while it answers a question.
            if isinstance(error, ReasonerError) and deadline.is_over:
                yield self._stop()
                return
            self._abort()
            yield MatchFinished(None, str(error))
        except BaseException:
            self._abort()
            raise

    def give_up(self, role: Symbol) -> None:
        """Let a role give up, which ends the match as its loss. Any thread may call this.

        No move is made any more, and the goals are those of `goals_of_loss`. Once the game is over
        it changes nothing.
        """
        self._gave_up = self._gave_up or role
        self._deadline.cancel()

    def close(self) -> None:
        """Release the participants. May be called again."""
        for participant in self._participants.values():
            participant.close()

    @property
    def _description(self) -> Description:
        return self._perceived.description if self._perceived else self.settings.description

    def _facts(self, reasoner: Reasoner, state: State) -> tuple[Term, ...]:
        facts = reasoner.facts(state)
        return self._perceived.own_facts(facts) if self._perceived else facts

    def _told(self, joint_move: JointMove, reasoner: Reasoner, state: State) -> _Told:
        """Return what each role is told of the last turn, which led to the state."""
        if self._perceived is None:
            return dict.fromkeys(self._roles, joint_move)
        facts = reasoner.facts(state)
        return {
            role: Percepts(move, self._perceived.percepts(facts, role))
            if role in self._participants and self._participants[role].takes_percepts
            else joint_move
            for role, move in zip(self._roles, joint_move, strict=True)
        }

    def _play(self, reasoner: Reasoner, deadline: Deadline) -> Iterator[Event]:
        settings = self.settings
        state, told = self._enter(reasoner)
        with self._limited(reasoner):
            facts, view = self._facts(reasoner, state), reasoner.view(state)
        self._record = replace(self._record, states=(facts,), state_times=(_now(),))
        yield MatchStarted(settings.match_id, self._roles, self._record.player_names, facts)

        yield self._start(deadline)

        while not view.terminal:
            if len(self._record.moves) >= self._max_steps:
                raise GameError(f"not over after {self._max_steps} joint moves")
            self._check_moves(view, reasoner, state)
            yield TurnBegan(len(self._record.moves), tuple(map(tuple, view.legal)))
            joint_move, answers = self._turn(view, told, deadline)
            errors = tuple(answer.error for answer in answers)
            seconds = tuple(answer.seconds for answer in answers)
            search = tuple(answer.info for answer in answers)
            with self._limited(reasoner):
                state = reasoner.next_state(state, joint_move)
                told = self._told(joint_move, reasoner, state)
                facts, view = self._facts(reasoner, state), reasoner.view(state)
            step = self._note_step(joint_move, errors, search, facts)
            yield MoveMade(step, joint_move, errors, seconds, facts, search)

        finished = self._finish(view)
        with suppress(TimeUp):
            self._ask(lambda player, role, limit: player.stop(told[role], limit), _STOP, deadline)
        yield finished

    def _enter(self, reasoner: Reasoner) -> tuple[State, _Told]:
        """Return the state where the match begins, and what is told of the turn before it."""
        with self._limited(reasoner):
            state = reasoner.initial_state()
        told: list[_Told] = [dict.fromkeys(self._roles)]
        for joint_move in self._played:
            with self._limited(reasoner):
                reasoner.check_legal(state, joint_move)
                state = reasoner.next_state(state, joint_move)
                told.append(self._told(joint_move, reasoner, state))
        for role, participant in self._participants.items():
            participant.history = [turn for each in told if (turn := each[role]) is not None]
        return state, told[-1]

    @contextmanager
    def _limited(self, reasoner: Reasoner) -> Iterator[None]:
        """Limit the time in which the rules say what follows. Raises `GameError` if it is up."""
        limit = max(_RULES, self.settings.start_clock, self.settings.play_clock)
        deadline = Deadline.after(limit)
        try:
            with bounded(reasoner, deadline=deadline):
                yield
        except ReasonerError:
            if not deadline.is_over:
                raise
            step = len(self._record.moves)
            raise GameError(
                f"the rules do not say within {limit:g} s what follows joint move {step}{_CHECK}"
            ) from None

    def _start(self, deadline: Deadline) -> PlayersReady:
        settings = self.settings
        # A player elsewhere is sent the turns before, one by one; others keep the start clock.
        before = len(self._played) * (settings.play_clock + _DELAY)
        answers = self._ask(
            lambda player, role, limit: player.start(settings, role, limit),
            settings.start_clock + before,
            deadline,
        )
        errors = tuple(answer.error for answer in answers)
        search = tuple(answer.info for answer in answers)
        thoughts = _thoughts(search) if any(search) else ()
        self._record = replace(self._record, errors=(errors,), start_search=thoughts)
        own = {role: participant.note for role, participant in self._participants.items()}
        notes = tuple(own.get(role, "") for role in self._roles)
        return PlayersReady(errors, tuple(answer.seconds for answer in answers), search, notes)

    def _check_moves(self, view: View, reasoner: Reasoner, state: State) -> None:
        """Raise `GameError` if a role has no legal move."""
        for role, legal in zip(self._roles, view.legal, strict=True):
            if not legal:
                facts = " ".join(map(str, self._facts(reasoner, state)))
                raise GameError(
                    f"{role} has no legal move, though the game is not over, after "
                    f"{len(self._record.moves)} joint moves in the state ( {facts:.300} ){_CHECK}"
                )

    def _turn(self, view: View, told: _Told, deadline: Deadline) -> tuple[JointMove, list[_Answer]]:
        """Return the next joint move, and each role's answer."""
        answers = self._ask(
            lambda player, role, limit: player.play(told[role], limit),
            self.settings.play_clock + _DELAY,
            deadline,
            self._on_answer,
        )
        moves: list[Term] = []
        for index, (answer, legal) in enumerate(zip(answers, view.legal, strict=True)):
            # Many players answer in capitals, which ggp-base's server takes for the same words.
            move = None if answer.move is None else game_spelling(answer.move, legal)
            if answer.move is not None and move is None:
                answers[index] = replace(answer, error=f"IL {answer.move}")
            moves.append(self._random.choice(legal) if move is None else move)
        return tuple(moves), answers

    def _note_step(
        self,
        joint_move: JointMove,
        errors: tuple[str, ...],
        search: tuple[SearchInfo | None, ...],
        facts: tuple[Term, ...],
    ) -> int:
        record = self._record
        self._record = replace(
            record,
            moves=(*record.moves, joint_move),
            errors=(*record.errors, errors),
            search=(*record.search, _thoughts(search)),
            states=(*record.states, facts),
            state_times=(*record.state_times, _now()),
        )
        return len(self._record.moves)

    def _finish(self, view: View) -> MatchFinished:
        goals = tuple(goal or 0 for goal in view.goals)
        self._record = replace(self._record, is_completed=True, goal_values=goals)
        missing = [
            str(role) for role, goal in zip(self._roles, view.goals, strict=True) if goal is None
        ]
        if not missing:
            return MatchFinished(goals)
        return MatchFinished(goals, f"not exactly one goal, so scored 0: {', '.join(missing)}")

    def _stop(self) -> MatchFinished:
        """End the match before the game is over: as a loss of the role that gave up, if one did."""
        if self._gave_up is None or not self._record.states:
            self._abort()
            return MatchFinished(None, _STOPPED)
        goals = goals_of_loss(self._roles, self._gave_up)
        self._record = replace(
            self._record, is_completed=True, goal_values=goals, gave_up=str(self._gave_up)
        )
        self._ask(lambda player, _, limit: player.abort(limit), _ABORT, Deadline())
        return MatchFinished(goals, f"{self._gave_up} gave up")

    def _abort(self) -> None:
        if not self._record.is_completed:
            self._record = replace(self._record, is_aborted=True)
            self._ask(lambda player, _, limit: player.abort(limit), _ABORT, Deadline())

    def _ask(
        self,
        request: _Request,
        seconds: float,
        match_deadline: Deadline,
        on_answer: Callable[[Symbol, float], None] = lambda _role, _seconds: None,
    ) -> list[_Answer]:
        """Ask all participants at once and return their answers in role order.

        The threads of participants that ignore their deadline are abandoned.
        """
        deadline, patience = Deadline.after(seconds), Deadline.after(seconds + _LAST_INFO + _SLACK)
        unhurried = {role for role, each in self._participants.items() if not each.has_clock}
        queue: SimpleQueue[tuple[Symbol, _Answer]] = SimpleQueue()
        for role, participant in self._participants.items():
            limit = match_deadline if role in unhurried else deadline
            arguments = (request, participant, role, limit, queue)
            Thread(target=_ask_one, args=arguments, daemon=True).start()
        answers: dict[Symbol, _Answer] = {}
        try:
            while len(answers) < len(self._participants):
                if patience.is_over and unhurried <= answers.keys():
                    break
                match_deadline.check()
                with suppress(Empty):
                    role, answer = queue.get(timeout=_TICK)
                    answers[role] = answer
                    on_answer(role, answer.seconds)
            # A person who is still asked when the match is ended gives no move: none is made up.
            match_deadline.check()
        finally:
            deadline.cancel()
        late = {role: _Answer(None, "TO", seconds) for role in self._participants}
        nature = {role: _Answer(None, "", 0.0) for role in self._roles}
        return [(nature | late | answers)[role] for role in self._roles]


def _ask_one(
    request: _Request,
    participant: Participant,
    role: Symbol,
    deadline: Deadline,
    queue: SimpleQueue[tuple[Symbol, _Answer]],
) -> None:
    began = time.monotonic()
    move, error = None, ""
    try:
        move = request(participant, role, deadline)
    except TimeoutError:
        error = "TO"
    except IllegalMove as illegal:
        error = f"IL {illegal}".rstrip()
    except (OSError, PlayerError) as failure:
        error = "CE"
        if not deadline.is_over and participant.failure != str(failure):
            _log.warning("%s: %s", participant.name, failure)
            participant.failure = str(failure)
    else:
        participant.failure = ""
    seconds = time.monotonic() - began
    participant.await_info(Deadline.after(_LAST_INFO))
    if not error and participant.fault:
        error = f"EX {participant.fault}"
    queue.put((role, _Answer(move, error, seconds, participant.info)))


def _thoughts(search: Sequence[SearchInfo | None]) -> tuple[Mapping[str, Any] | None, ...]:
    """Return what each player thought as the record holds it."""
    return tuple(info.to_json() if info else None for info in search)


def _random_token() -> str:
    letters = string.ascii_letters + string.digits
    return "".join(secrets.choice(letters) for _ in range(32))


def _now() -> int:
    return int(time.time() * 1000)
