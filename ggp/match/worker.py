"""The process in which a player lives: it plays one match, and streams its moves to its owner.

The main thread runs the player. A second one listens to the owner: a new message ends what the
player is doing, and a closed connection means that the owner is gone, and the process with it.

Whatever goes wrong beyond the player's own exceptions ends the process: the owner starts another
and gives it the match so far. There is no other way of recovery.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from math import inf, isfinite
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NoReturn

from ggp.deadline import Deadline, TimeUp
from ggp.errors import GgpError, PlayerError, ReasonerError
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Compound, Source, Symbol, Term, parse_term
from ggp.match.histories.process import HistoryProcess, prepare_histories
from ggp.match.messages import (
    PREPARATION,
    Begin,
    Done,
    Doubt,
    End,
    Failed,
    Log,
    Move,
    Note,
    Prepared,
    Ready,
    Reply,
    Request,
    Think,
    Thinks,
)
from ggp.match.player import PlayerContext, make_player
from ggp.match.possible_states import Percepts, PossibleStates
from ggp.match.search_info import SearchInfo
from ggp.match.spelling import game_spelling, joint_spelling
from ggp.reasoner import JointMove, Reasoner, State, open_reasoner
from ggp.reasoner.factory import start_ahead
from ggp.reasoner.prolog.prepared import prepare_prolog
from ggp.workers.child import Owner

__all__ = ["GRACE", "main", "prepare"]

#: Seconds that a player may go on after its clock is over, before its process is ended.
GRACE = 1.0

#: Seconds in which a state that is possible is looked for, even where there is no time left.
_LEAST_SEARCH = 0.5
#: The share of the time after which a guess must do.
_LAST_CALL = 0.8
_GUESSING = "found no state that agrees with its percepts: its moves are guesses"


def prepare() -> None:
    """Load what most players need sooner or later, in a fork server."""
    # What is not installed is left out.
    for name in ("ggp.reasoner.auto", "ggp.reasoner.compiled", "ggp.engine.search"):
        with suppress(ImportError):
            import_module(name)
    prepare_prolog()
    with suppress(ImportError):
        prepare_histories()
    parse_term("(a b)")  # builds the parser


def main(
    owner: Owner, spec: str, reasoner: str, memory_limit: int | None, grace: float | None
) -> NoReturn:
    """Be the process of one match.

    Args:
        owner: the process that keeps the clocks.
        spec: the player, as `make_player` takes it.
        reasoner: the kind of its reasoner, as `open_reasoner` takes it.
        memory_limit: bytes for each of the reasoner's processes; None for the default.
        grace: seconds by which the player may overrun a clock; None for what leaves time to
            replace it.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    start_ahead(reasoner, memory_limit=memory_limit)
    owner.send(Ready())
    make_reasoner = partial(open_reasoner, kind=reasoner, memory_limit=memory_limit)
    _Worker(owner, make_reasoner, memory_limit=memory_limit, grace=grace).run(spec)


#: How often the time to prepare is doubled at most.
_MOST_DOUBLINGS = 5
#: Seconds of the shortest timer; none at all would be without end.
_LEAST = 1e-3
#: Seconds between two thoughts that are passed on.
_PAUSE = 0.15
#: Characters of what a player notes.
_LONGEST_NOTE = 400


class _Leave(Exception):
    """The match is over."""


class _Worker:
    """One player at one match."""

    def __init__(
        self,
        owner: Owner,
        open_reasoner: Callable[[Description], Reasoner],
        *,
        memory_limit: int | None,
        grace: float | None,
    ) -> None:
        self._owner = owner
        self._open_reasoner = open_reasoner
        self._memory_limit = memory_limit
        self._grace = grace
        self._requests: SimpleQueue[Request] = SimpleQueue()
        self._latest: Request | None = None
        self._lock = Lock()
        #: The clock of the player's code, while that runs.
        self._players_clock: Deadline | None = None
        #: By when the process ends if that has not come back.
        self._limit = inf
        self._is_prepared = False
        #: Whether the player failed to start: it lacks what it would need to be asked for moves.
        self._is_unfit = False
        #: How many processes have ended before this one.
        self._restarts = 0
        #: The turn for which the player thinks, or `PREPARATION`; and when it last said what.
        self._turn: int | None = None
        self._told = 0.0
        #: What it thinks, where that has not been passed on.
        self._info: SearchInfo | None = None

    def run(self, spec: str) -> NoReturn:
        """Serve the owner until the match ends, and with it the process."""
        Thread(target=self._listen, daemon=True).start()
        try:
            self._player = make_player(spec)
            while True:
                self._serve(self._requests.get())
        except _Leave:
            pass
        except PlayerError as error:
            self._send(Failed(str(error)))
        except Exception as error:
            self._send(_log_of(error))
        finally:
            os._exit(0)

    def _serve(self, request: Request) -> None:
        match request:
            case Begin():
                self._begin(request)
            case Think():
                self._think(request)
                self._ponder()
            case End():
                self._end(request)

    def _begin(self, begin: Begin) -> None:
        try:
            description = Description.from_text(Source(begin.rules, "rules"))
            role = game_spelling(Symbol(begin.role), description.roles)
            if not isinstance(role, Symbol):
                raise PlayerError(f"the game has no role {begin.role!r}")
            self._role = description.roles.index(role)
            self._open(description, role)
        except GgpError as error:
            raise PlayerError(str(error)) from None
        self._play_clock, self._restarts = begin.play_clock, begin.restarts
        self._enter(self._reasoner.initial_state())
        due = begin.think.due if begin.think else begin.due
        for number, step in enumerate(begin.history):
            left = Deadline(due).remaining
            share = left if number + 1 == len(begin.history) else left / len(begin.history)
            self._advance(number + 1, step, share, least=_LEAST_SEARCH / len(begin.history))
        # A player that takes long to start must not keep the first move back.
        self._send_first_move(len(begin.history))
        deadline = Deadline(begin.due)
        self._is_unfit, self._turn = True, PREPARATION
        with self._in_players_hands(deadline):
            with suppress(TimeUp):
                self._player.start(
                    PlayerContext(
                        role, self._reasoner, begin.play_clock, self._tell, self._send_note
                    ),
                    deadline,
                )
            self._is_unfit = False
        self._is_prepared = True
        self._report_latest()
        self._send(Prepared())
        if begin.think:
            self._think(begin.think)
            self._ponder()

    def _open(self, description: Description, role: Symbol) -> None:
        """Open the reasoner, and for GDL-II the set of states that are possible."""
        if not description.has_imperfect_information:
            self._reasoner = self._open_reasoner(description)
            self._possible = None
            return
        game = PerceivedGame.of(description, [role])
        # Before the reasoner has threads: a process that is forked has none of them.
        prepare_histories()
        histories = None
        with suppress(OSError):
            histories = HistoryProcess(game, role, memory_limit=self._memory_limit)
        self._reasoner = self._open_reasoner(game.description)
        self._possible = PossibleStates(
            self._reasoner,
            game,
            role,
            max_states=self._player.max_states,
            histories=histories,
        )

    def _think(self, think: Think) -> None:
        if think.joint_move is not None:
            self._send_guess(think.turn, think.joint_move)
            self._advance(think.turn, think.joint_move, Deadline(think.due).remaining)
        legal = frozenset(self._legal)
        if not legal:
            raise PlayerError("the role has no legal move")
        self._send_first_move(think.turn)
        possible = self._possible
        if possible is not None and (len(legal) == 1 or possible.is_guess):
            # There is no choice, or no state to think about. There is nothing to ponder on, either.
            self._send(Move(think.turn, self._answer, is_sure=self._is_sure))
        elif not self._is_unfit:
            self._ask_player(think.turn, legal, Deadline(think.due))
        self._send(Done(think.turn, was_asked=not self._is_unfit))

    def _ask_player(self, turn: int, legal: Collection[Term], deadline: Deadline) -> None:
        """Pass on the moves of the player and what it thinks, until it is done or time is up."""
        self._turn = turn
        with self._in_players_hands(deadline):
            for move in self._moves(deadline):
                is_term = isinstance(move, Symbol | Compound)
                known = game_spelling(move, legal) if is_term else None
                if known is not None:
                    self._answer = known
                    self._send(Move(turn, known, is_sure=self._is_sure))
                else:
                    self._send(Log(_why_refused(move)))
                deadline.check()
        self._report_latest()

    def _tell(self, info: SearchInfo) -> None:
        """Pass on what the player thinks in its turn, though not too often."""
        if self._turn is None:
            return  # it ponders
        self._info = info
        if info.is_proven or time.monotonic() - self._told > _PAUSE:
            self._send_info(self._turn)

    def _report_latest(self) -> None:
        """Pass on what the player thinks at the end of its turn, unless that has been done."""
        if self._turn is not None:
            self._send_info(self._turn)
        self._turn = None

    def _send_info(self, turn: int) -> None:
        if self._info is not None:
            self._told = time.monotonic()
            self._send(Thinks(turn, self._info))
        self._info = None

    def _send_note(self, text: str) -> None:
        self._send(Note(" ".join(text.split())[:_LONGEST_NOTE]))

    def _moves(self, deadline: Deadline) -> Iterator[Term]:
        possible = self._possible
        if possible is None or possible.is_open:
            return self._player.moves(self._state, deadline)
        return self._player.moves_among(possible, deadline)

    def _end(self, end: End) -> None:
        is_known = self._possible is None and not end.aborted
        if is_known and end.joint_move is not None:
            self._advance(PREPARATION, end.joint_move, inf)
        if not self._is_unfit:
            with self._in_players_hands(Deadline.after(GRACE)):
                self._player.stop(self._view.goals if is_known else None)
        if self._possible is not None:
            self._possible.close()
        self._reasoner.close()
        raise _Leave

    def _enter(self, state: State) -> None:
        self._state = state
        if self._possible is not None:
            # A view would have the moves of the other roles, which may be very many.
            self._legal = self._possible.legal
        else:
            self._view = self._reasoner.view(state)
            self._legal = self._view.legal[self._role]

    def _advance(
        self,
        turn: int,
        step: JointMove | Percepts,
        seconds: float,
        *,
        least: float = _LEAST_SEARCH,
    ) -> None:
        """Go on to the next turn.

        Args:
            turn: its number; `PREPARATION` where the match is over.
            step: what was played, or what was seen of it.
            seconds: how long the answer may take that waits for it.
            least: seconds, at least, in which a possible state is looked for.
        """
        possible = self._possible
        if possible is not None:
            possible.advance(
                step,
                Deadline.after(max(least, seconds / 2)),
                last_call=Deadline.after(max(least, seconds * _LAST_CALL)),
            )
            if possible.is_guess:
                self._send(Log(_GUESSING))
            self._enter(next(iter(possible.probabilities)))
            return
        if isinstance(step, Percepts) or len(step) != len(self._view.legal):
            count = 0 if isinstance(step, Percepts) else len(step)
            roles = len(self._view.legal)
            raise PlayerError(f"a joint move of {count} moves for {roles} roles")
        # What was played counts, even where the rules at hand do not allow it.
        known = joint_spelling(step, self._view.legal)
        parts = zip(known, self._view.legal, self._reasoner.roles, strict=True)
        illegal = [f"{move} of {role}" for move, legal, role in parts if move not in legal]
        if illegal:
            self._send(Doubt(turn, f"illegal move {', '.join(illegal)}"))
        self._enter(self._reasoner.next_state(self._state, known))

    def _send_first_move(self, turn: int) -> None:
        for move in self._legal[:1]:
            self._answer = move
            self._send(Move(turn, move, is_chosen=False, is_sure=self._is_sure))

    def _send_guess(self, turn: int, step: JointMove | Percepts) -> None:
        """Send a move that may be legal, before it is known which states are possible."""
        if self._possible is not None and not self._possible.is_complete:
            for move in self._possible.guess(step):
                self._send(Move(turn, move, is_chosen=False, is_sure=False))

    @property
    def _is_sure(self) -> bool:
        return self._possible is None or not self._possible.is_guess

    def _ponder(self) -> None:
        """Let the player think on until there is another request: the others have a play clock.

        Where several states are possible there is nothing that it could be asked about.
        """
        if self._possible is None and not self._is_unfit and self._requests.empty():
            deadline = Deadline.after(self._play_clock)
            with self._in_players_hands(deadline):
                self._player.ponder(self._state, self._answer, deadline)

    @contextmanager
    def _in_players_hands(self, deadline: Deadline) -> Iterator[None]:
        """Run the player's code: it may raise what it likes, and overrun its clock a little.

        Preparing may overrun its clock until the next request.
        """
        with self._lock:
            self._players_clock, self._limit = deadline, inf
            if not self._requests.empty():
                self._hurry(deadline)
            elif self._is_prepared:
                self._end_process_after(deadline.remaining + (self._grace or GRACE))
        try:
            yield
        except TimeUp:
            pass
        except (MemoryError, ReasonerError):
            raise
        except (Exception, SystemExit) as error:
            self._send(_log_of(error))
        finally:
            with self._lock:
                self._players_clock = None
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _listen(self) -> None:
        try:
            while True:
                request = self._owner.receive()
                with self._lock:
                    self._requests.put(request)
                    self._latest = request
                    if self._players_clock is not None:
                        self._hurry(self._players_clock)
        finally:
            # The owner is gone. Nothing is worth a last word, whatever the main thread is doing.
            os._exit(0)

    def _hurry(self, deadline: Deadline) -> None:
        """End what the player does, as there is another request; the lock is held.

        Preparing is not done again lightly, so it gets half of the turn; the other half is enough
        for another process to find a move. So it is for a player that does not stop pondering. Each
        process gets twice as long to prepare as the one before it: where the turns are shorter than
        that takes, the player would never come to move again.
        """
        deadline.cancel()
        patience = self._grace or GRACE
        if self._grace is None and isinstance(self._latest, Think):
            half = Deadline(self._latest.due).remaining / 2
            patience = (
                min(GRACE, half)
                if self._is_prepared
                else max(GRACE * 2 ** min(self._restarts, _MOST_DOUBLINGS), half)
            )
        self._end_process_after(patience)

    def _end_process_after(self, seconds: float) -> None:
        """Let the kernel end the process, which works even where Python gets no chance to run.

        What has been said before counts: requests that follow each other give no more time.
        """
        now = time.monotonic()
        self._limit = min(self._limit, now + seconds)
        if isfinite(self._limit):
            signal.setitimer(signal.ITIMER_REAL, max(_LEAST, self._limit - now))

    def _send(self, reply: Reply) -> None:
        self._owner.send(reply)


def _why_refused(move: object) -> str:
    if isinstance(move, Symbol | Compound):
        return f"wants to play {move}, which is not legal"
    return f"yielded {move!r:.80}, a {type(move).__name__} instead of a Term"


def _log_of(error: BaseException) -> Log:
    """Return what an exception in the player's code says, with its place and its traceback."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    said = " ".join(said.split())[:200]
    text = f"{said} ({Path(place.filename).name}, line {place.lineno})"
    return Log(text, "".join(traceback.format_exception(error)))
