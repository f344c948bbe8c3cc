"""A player in a process of its own, seen from outside: it can neither hang nor crash its owner."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Condition, Thread

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.errors import PlayerError
from ggp.kif import Symbol, Term
from ggp.match.messages import (
    Begin,
    Done,
    End,
    Failed,
    Log,
    Move,
    Prepared,
    Reply,
    Think,
    Thinks,
)
from ggp.match.possible_states import Percepts
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove
from ggp.workers.fork_server import ForkServer
from ggp.workers.worker import Worker, spawn

__all__ = ["PlayerProcess"]

#: The process that keeps the clocks has a small advantage over the players. A larger one would
#: leave the players no time to answer on a machine that is busy with other work.
DEFAULT_NICENESS = 2
#: Bytes that a player may take, without its reasoner.
DEFAULT_MEMORY_LIMIT = 2 << 30

#: Processes that may end in one turn before a player counts as broken.
_MAX_DEATHS = 3
#: Seconds that a player may take to notice the end of the match.
_FAREWELL = 1.0

_WORKER = "ggp.match.worker"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Turn:
    """What the player has answered in a turn."""

    think: Think
    move: Term | None = None
    is_done: bool = False

    def expects(self, number: int) -> bool:
        """Whether a reply for the turn of this number still counts."""
        return number == self.think.turn and not self.is_done


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
        fork_server: ForkServer | None = None,
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
            fork_server: forks the process, in less time than it takes to start one anew.
            on_info: called, in a thread of its own, with what the player thinks in a turn.
        """
        self.spec = spec
        self._on_info = on_info
        self._spawn = partial(
            Worker,
            _WORKER,
            *(spec, reasoner, memory_limit, grace),
            memory_limit=memory_limit or DEFAULT_MEMORY_LIMIT,
            niceness=niceness,
            start=fork_server.fork if fork_server else spawn,
        )
        self._changed = Condition()  # guards everything below
        self._worker: Worker | None = None
        self._begin: Begin | None = None
        self._is_prepared = False
        self._turn: _Turn | None = None
        #: A legal move for the turn of its number, which may not have been asked for yet.
        self._early = Move(-1, Symbol(""))
        self._deaths = 0
        self._last_words = "its process ended"
        self._fault = ""
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
            self._turn = turn
            self._deaths = 0
            if self._worker is not None:
                self._worker.post(turn.think)
            self._changed.notify_all()
            self._wait(deadline, lambda: turn.is_done)
            # A process that takes over from now on need not think about this turn again.
            turn.is_done = True
            if turn.move is None:
                self._check_alive()
                raise PlayerError("no legal move was found in time")
            return turn.move

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

    def replace(self) -> None:
        """Let another process take over from this one, which does not answer."""
        with self._changed:
            self._kill()

    def close(self) -> None:
        """End the process at once, whatever it does. May be called again."""
        with self._changed:
            self._is_over = True
            self._kill()
            self._changed.notify_all()
        self._supervisor.join()

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

        with suppress(TimeUp):
            deadline.wait(lambda seconds: self._changed.wait_for(is_over, seconds))

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
            except OSError as error:
                self._take(Failed(f"no process could be started: {error}"))

    def _accompany(self, worker: Worker) -> None:
        """Talk with a process until it ends."""
        with self._changed:
            self._worker = worker
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
            self._bury(exit_code)
            self._changed.notify_all()

    def _resume(self, begin: Begin) -> Begin:
        """Return what a process needs to know to take over where the match is now."""
        turn = self._turn
        if turn is None and not self._is_prepared:
            return begin
        # There is no time left to prepare; what was played last is part of the history.
        is_asked = turn is not None and not turn.is_done
        think = replace(turn.think, joint_move=None) if turn and is_asked else None
        return replace(begin, due=0.0, think=think)

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, Thinks):
            self._on_info(reply.turn, reply.info)
            return
        with self._changed:
            turn = self._turn
            match reply:
                case Prepared():
                    self._is_prepared = True
                case Move(turn=number, move=move) if turn and turn.expects(number):
                    turn.move = move
                case Move() if turn is None:
                    self._early = reply
                case Done(turn=number) if turn and turn.expects(number):
                    turn.is_done = turn.move is not None
                case Failed(reason=reason):
                    self._last_words, self._deaths = reason, _MAX_DEATHS
                case Log(text=text):
                    self._last_words = text
                    self._fault = self._fault or text
                    _log.warning("%s: %s", self.spec, text)
                    if reply.traceback:
                        _log.debug("%s", reply.traceback)
            self._changed.notify_all()

    def _bury(self, exit_code: int) -> None:
        if self._is_over or self._deaths >= _MAX_DEATHS:
            return
        if exit_code:
            overran = exit_code == -signal.SIGALRM
            self._last_words = "did not come back in time" if overran else "its process died"
            _log.warning("%s: %s", self.spec, self._last_words)
        self._deaths += 1
        if self._turn and self._turn.move is not None:
            # Thinking again would hardly end better, and begin with a worse move.
            self._turn.is_done = True

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
