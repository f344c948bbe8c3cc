"""A player in a process of its own, seen from outside: it can neither hang nor crash its owner."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from threading import Condition, Thread

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.errors import PlayerError
from ggp.kif import Symbol, Term
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
    Reply,
    Think,
    Thinks,
)
from ggp.match.possible_states import Percepts
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove
from ggp.workers.fork_server import Forks
from ggp.workers.spares import Spares
from ggp.workers.worker import Worker, spawn

__all__ = ["PlayerProcess", "start_worker"]

#: The process that keeps the clocks has a small advantage over the players. A larger one would
#: leave the players no time to answer on a machine that is busy with other work.
DEFAULT_NICENESS = 2
#: Bytes that a player may take, without its reasoner.
DEFAULT_MEMORY_LIMIT = 2 << 30

#: Processes that may end in one turn before a player counts as broken.
_MAX_DEATHS = 3
#: Seconds before another attempt to start a process.
_PAUSE = 0.2
#: Seconds that a player may take to notice the end of the match.
_FAREWELL = 1.0
#: Seconds past its clock after which a process that says nothing is replaced.
DEFAULT_PATIENCE = 30.0
#: Seconds that `close` waits until the process has gone; the rest is done in the background.
_PARTING = 5.0
#: Bytes of a message; a process that sends a longer one counts as ended.
_MAX_REPLY = 64 << 20

_WORKER = "ggp.match.worker"

_ENDED = "its process ended"
#: What the exit code of a process says; any other one, that it died.
_ENDS = {0: _ENDED, -signal.SIGALRM: "did not come back in time"}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Turn:
    """What the player has answered in a turn."""

    think: Think
    move: Term | None = None
    #: Whether the player chose the move; else it is the first legal move.
    is_chosen: bool = False
    #: Whether the move is known to be legal.
    is_sure: bool = True
    #: Whether the player was asked, or may still be.
    was_asked: bool = True
    is_done: bool = False

    def expects(self, number: int) -> bool:
        """Whether a reply for the turn of this number still counts."""
        return number == self.think.turn and not self.is_done


def start_worker(
    spec: str,
    *,
    reasoner: str = "auto",
    memory_limit: int | None = None,
    niceness: int = DEFAULT_NICENESS,
    grace: float | None = None,
    fork_server: Forks | None = None,
) -> Worker:
    """Start the process of a player, which waits for a match after it has sent `Ready`.

    The arguments are those of `PlayerProcess`. Raises `OSError` if no process can be started.
    """
    return Worker(
        _WORKER,
        *(spec, reasoner, memory_limit, grace),
        memory_limit=memory_limit or DEFAULT_MEMORY_LIMIT,
        niceness=niceness,
        max_bytes=_MAX_REPLY,
        start=fork_server.fork if fork_server else spawn,
    )


class PlayerProcess(Closing):
    """A player at one match, in a process that is started at once and replaced if it ends.

    Any thread may call the methods, one at a time; `abort` and `close` also while another waits.
    """

    def __init__(
        self,
        spec: str,
        *,
        reasoner: str = "auto",
        memory_limit: int | None = None,
        niceness: int = DEFAULT_NICENESS,
        grace: float | None = None,
        patience: float = DEFAULT_PATIENCE,
        fork_server: Forks | None = None,
        spares: Spares | None = None,
        is_fallback: bool = False,
        is_awaited: bool = True,
        on_info: Callable[[int, SearchInfo], None] = lambda _turn, _thought: None,
    ) -> None:
        """Start the process.

        Args:
            spec: the player's name and options, as `make_player` takes them.
            reasoner: the kind of reasoner that the player gets, as `open_reasoner` takes it.
            memory_limit: bytes that the player may take, and as many each of its reasoner's
                processes; None for what is usual for each.
            niceness: how far the process stands back where processors are scarce, from 0 to 19, or
                `ggp.workers.child.IDLE`.
            grace: seconds by which the player may overrun a clock before its process is replaced;
                None for what leaves the next process time to find a move.
            patience: seconds past the clock of a turn after which a process that has said nothing
                since is replaced, however many turns that are. The next process may be silent for
                twice as long: it has to do again what the first one may have been doing.
            fork_server: forks the process, in less time than it takes to start one anew.
            spares: processes of such a player that have been started ahead, by `start_worker` with
                the same arguments. One of them is taken instead.
            is_fallback: whether it stands by for another player. The log calls it by that name, and
                says nothing of a turn in which its first legal move has to do.
            is_awaited: whether `start` waits until the player is prepared. If not, the player may
                prepare until its first turn.
            on_info: called, in a thread of its own, with what the player thinks in a turn.
        """
        self.spec, self._name = spec, "the fallback player" if is_fallback else spec
        self._is_fallback, self._is_awaited = is_fallback, is_awaited
        self._on_info = on_info
        self._spawn: Callable[[], Worker] = (
            spares.take
            if spares is not None
            else partial(
                start_worker,
                spec,
                reasoner=reasoner,
                memory_limit=memory_limit,
                niceness=niceness,
                grace=grace,
                fork_server=fork_server,
            )
        )
        self._changed = Condition()  # guards everything below
        self._worker: Worker | None = None
        self._begin: Begin | None = None
        self._is_prepared = False
        self._turn: _Turn | None = None
        #: The last turn that the player has come back from.
        self._told = PREPARATION - 1
        #: A legal move for the turn of its number, which may not have been asked for yet.
        self._early = Move(-1, Symbol(""))
        #: Processes that have ended in this turn, and in this match.
        self._deaths, self._restarts = 0, 0
        self._patience = patience
        #: When the clock of a turn ended since which the process has said nothing.
        self._silent_since = inf
        #: Why this side has ended the process, if it has.
        self._verdict = ""
        self._last_words = _ENDED
        self._fault = ""
        self._note = ""
        self._doubt = Doubt(PREPARATION, "")
        self._is_over = False
        self._supervisor = Thread(target=self._supervise, daemon=True, name=f"player {spec}")
        self._supervisor.start()

    @property
    def processes(self) -> tuple[int, ...]:
        """The number of the process that plays at the moment; nothing between two of them."""
        worker = self._worker
        return () if worker is None else (worker.pid,)

    def start(
        self,
        rules: str,
        role: str,
        *,
        play_clock: float,
        deadline: Deadline,
        history: tuple[JointMove | Percepts, ...] = (),
    ) -> None:
        """Give the player its game and role, and wait until it is prepared or the deadline is over.

        A player that is not prepared by then goes on preparing.

        Args:
            rules: the text of the rulesheet.
            role: the name of the role, in any case.
            play_clock: seconds for each move.
            deadline: how long to wait.
            history: what was played in the turns so far, or what the role saw of it.

        Raises:
            PlayerError: there is no such player or option, the rules cannot be read, no reasoner
                takes them, or the process keeps ending.
        """
        with self._changed:
            self._check_open()
            self._begin = Begin(rules, role, play_clock, deadline.due, history)
            if self._worker is not None:
                self._worker.post(self._begin)
            if self._is_awaited:
                self._wait(deadline, lambda: self._is_prepared)
            self._check_alive()

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return the player's move: the last one that it had when it was done or time was up.

        Args:
            joint_move: what was played last, in any case, or what the role saw of it; None in the
                first turn, and to ask again about the same one.
            deadline: how long to wait.

        Raises:
            PlayerError: no legal move could be found in time.
        """
        with self._changed:
            self._check_open()
            if self._begin is None:
                raise PlayerError("the match has not started")
            if joint_move is not None:
                history = (*self._begin.history, joint_move)
                self._begin = replace(self._begin, history=history)
            turn = _Turn(Think(len(self._begin.history), joint_move, deadline.due))
            if self._early.turn == turn.think.turn:
                turn.move = self._early.move
            self._turn, self._told = turn, turn.think.turn - 1
            self._deaths = 0
            if self._worker is not None:
                self._worker.post(turn.think)
            self._changed.notify_all()
            self._wait(deadline, lambda: turn.is_done)
            was_done = turn.is_done
            # A process that takes over from now on need not think about this turn again.
            turn.is_done = True
            if turn.move is None:
                self._silent_since = min(self._silent_since, deadline.due, time.monotonic())
                self._check_alive()
                raise PlayerError("no legal move was found in time")
            # Where the match is aborted meanwhile, it is no fault of the player.
            if not turn.is_chosen and not deadline.is_cancelled:
                self._note_idle(turn, is_late=not was_done)
            return turn.move

    @property
    def is_sure(self) -> bool:
        """Whether the last answer is known to be legal; in GDL-II it may be a guess."""
        return self._turn is None or self._turn.is_sure

    @property
    def has_begun(self) -> bool:
        """Whether the process has read the rules, and has had a legal move."""
        turn = self._turn
        return self._early.turn >= 0 or (turn is not None and turn.move is not None)

    @property
    def note(self) -> str:
        """What the player says that it has done, such as what it has learned; "" for nothing."""
        return self._note

    @property
    def doubt(self) -> str:
        """What is not legal in what the player was told in this turn; "" for nothing."""
        turn, doubt = self._turn, self._doubt
        return doubt.text if turn is not None and doubt.turn == turn.think.turn else ""

    def await_last_info(self, deadline: Deadline) -> None:
        """Wait until the player has come back from what it was last asked, and has told all of it.

        A player comes back a moment after its clock, and tells then how its search ended. There is
        nothing to wait for if its process has ended in this turn.
        """
        with self._changed:
            turn = PREPARATION if self._turn is None else self._turn.think.turn
            if turn == PREPARATION and not self._is_awaited:
                return
            self._wait(deadline, lambda: self._told >= turn or self._deaths > 0)

    def stop(self, joint_move: JointMove | Percepts | None) -> None:
        """Tell the player that the match is over, and how the last turn was played.

        It waits up to a second until the player has taken notice.
        """
        self._finish(End(joint_move))

    def abort(self) -> None:
        """Tell the player that the match was aborted. It waits up to a second."""
        self._finish(End(aborted=True))

    def take_fault(self) -> str:
        """Return the first thing that the player did wrong since the last call; "" for nothing."""
        with self._changed:
            fault, self._fault = self._fault, ""
        return fault

    def close(self) -> None:
        """End the process at once, whatever it does. May be called again."""
        with self._changed:
            self._is_over = True
            self._kill()
            self._changed.notify_all()
        self._supervisor.join(_PARTING)

    def _finish(self, end: End) -> None:
        with self._changed:
            if self._is_over:
                return
            self._is_over = True
            self._changed.notify_all()
            if self._begin is not None and self._worker is not None:
                self._worker.post(end)
                self._changed.wait_for(lambda: self._worker is None, _FAREWELL)

    def _wait(self, deadline: Deadline, is_settled: Callable[[], bool]) -> None:
        """Wait until something is settled, or never will be, or until the deadline."""

        def is_over() -> bool:
            return is_settled() or self._is_over or self._deaths >= _MAX_DEATHS

        while not (is_over() or deadline.is_over):
            with suppress(TimeUp):
                deadline.within(self._patience_left()).wait_on(self._changed, is_over)

    def _patience_left(self) -> float:
        """Return for how long the process may still be silent; if it is over, replace it."""
        silence = time.monotonic() - self._silent_since
        if silence >= self._patience and self._worker is not None:
            self._verdict = f"was silent for {silence:.0f} s past its clock"
            self._silent_since = inf
            self._patience *= 2
            self._kill()
        if self._worker is None:
            return inf
        return self._silent_since + self._patience - time.monotonic()

    def _note_idle(self, turn: _Turn, *, is_late: bool) -> None:
        """Note that the player has not chosen the move of a turn, which is the first legal one."""
        if not turn.was_asked:
            # That it failed to start, and why, has been logged.
            self._fault = self._fault or "was not asked, because it failed to start"
        elif not self._fault:
            self._fault = "yielded no move" + " in time" * is_late
            level = logging.DEBUG if self._is_fallback else logging.WARNING
            _log.log(level, "%s: %s", self._name, self._fault)

    def _check_open(self) -> None:
        if self._is_over:
            raise PlayerError("the match is over")

    def _check_alive(self) -> None:
        self._check_open()
        if self._deaths >= _MAX_DEATHS:
            raise PlayerError(self._last_words)

    # What follows runs in the supervising thread.

    def _supervise(self) -> None:
        """Keep a process running until the match is over."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_over or self._deaths < _MAX_DEATHS)
                if self._is_over:
                    return
            try:
                with self._spawn() as worker:
                    self._accompany(worker)
            except (OSError, RuntimeError) as error:  # no process, or no thread that tells it
                with self._changed:
                    self._worker = None
                    self._bury(f"no process could be started: {error}")
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._is_over, _PAUSE)

    def _accompany(self, worker: Worker) -> None:
        """Talk with a process until it ends."""
        with self._changed:
            self._worker = worker
            self._silent_since = inf
            if self._is_over:
                worker.kill()
            elif self._begin is not None:
                worker.post(self._resume(self._begin))
        for reply in worker:
            self._take(reply)
        with self._changed:
            self._worker = None
        exit_code = worker.stop()
        with self._changed:
            verdict, self._verdict = self._verdict, ""
            self._bury(verdict or _ENDS.get(exit_code, "its process died"))
            self._changed.notify_all()

    def _resume(self, begin: Begin) -> Begin:
        """Return what a process needs to know to take over where the match is now."""
        turn = self._turn
        if turn is None and not self._is_prepared:
            return begin
        # There is no time left to prepare; what was played last is part of the history.
        is_asked = turn is not None and not turn.is_done
        think = replace(turn.think, joint_move=None) if turn and is_asked else None
        return replace(begin, due=0.0, think=think, restarts=self._restarts)

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, Thinks):
            self._on_info(reply.turn, reply.info)
            return
        with self._changed:
            turn = self._turn
            self._silent_since = inf
            if isinstance(reply, Done):
                self._told = max(self._told, reply.turn)
            match reply:
                case Prepared():
                    self._is_prepared = True
                    self._told = max(self._told, PREPARATION)
                case Move(turn=number) if turn and turn.expects(number):
                    # A process that takes over begins with the first legal move again.
                    if reply.is_chosen or not turn.is_chosen:
                        turn.move, turn.is_chosen = reply.move, reply.is_chosen
                        turn.is_sure = reply.is_sure
                case Move() if turn is None:
                    self._early = reply
                case Done(turn=number) if turn and turn.expects(number):
                    turn.was_asked = reply.was_asked
                    turn.is_done = turn.move is not None
                case Failed(reason=reason):
                    self._last_words, self._deaths = reason, _MAX_DEATHS
                case Doubt():
                    self._doubt = reply
                case Note(text=text):
                    self._note = text
                case Log(text=text):
                    self._last_words = text
                    self._fault = self._fault or text
                    _log.warning("%s: %s", self._name, text)
                    if reply.traceback:
                        _log.debug("%s", reply.traceback)
            self._changed.notify_all()

    def _bury(self, words: str) -> None:
        """Note that a process has ended, and with which words."""
        if self._is_over or self._deaths >= _MAX_DEATHS:
            return
        if words != _ENDED:  # else it has said itself what was wrong
            self._last_words = words
            _log.warning("%s: %s", self._name, words)
        self._fault = self._fault or words
        self._deaths += 1
        self._restarts += 1
        if self._turn and self._turn.is_chosen:
            # Thinking again would hardly end better, and begin with a worse move.
            self._turn.is_done = True

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
