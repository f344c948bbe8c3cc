"""A player with a fallback player, so that there is a legal move whatever the player does.

The fallback player is a process of its own that only follows the match. It has the first legal move
of every turn within milliseconds, because it never thinks, and its priority is higher than that of
the thinking players. So a player that hangs, dies, is frozen, runs out of memory or gets no
processor time still plays, if not well; when it has been silent for some time its process is
replaced.

The processes of fallback players are forked ahead. A fork takes locks of the kernel that all
processes share which use the same libraries. Where many players compete for the processors, one
that holds such a lock may get no processor time for seconds, and no match should wait for that.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakSet

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term
from ggp.match import IDLE, ForkServer, Percepts, PlayerProcess
from ggp.match.process import start_worker
from ggp.reasoner import JointMove
from ggp.reasoner.prolog import is_installed
from ggp.workers.spares import Spares

__all__ = ["FALLBACK", "WithFallback", "spare_fallbacks"]

#: The player that thinks least.
FALLBACK = "legal"

#: The niceness of the thinking players and of the fallback players. Where there are more matches
#: than processors, fifty thinking players outweigh the process that keeps their clocks, at any
#: niceness: then they run with the idle policy.
_NICENESS, _FALLBACK_NICENESS = 10, 3

#: Seconds by which a player may overrun its clock, or be silent. Compiling may take long, and a new
#: process would have to begin again; meanwhile the fallback player plays.
_GRACE = 10.0
#: Seconds by which the fallback player may be late.
_SLACK = 0.05

#: What is noted of a player whose process has not come to the rules.
_LATE = "its process has not read the rules yet: the machine is busy, or slow"

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


class WithFallback:
    """A `ggp.server.match.Session` of a player and its fallback player.

    Any thread may call the methods, one at a time; `abort` and `close` also while another waits.
    """

    #: The sessions that are open.
    _sessions: ClassVar[WeakSet[WithFallback]] = WeakSet()

    def __init__(self, player: PlayerProcess, fallback: PlayerProcess) -> None:
        self._player = player
        self._fallback = fallback
        # One thread, so that the fallback player gets all messages in order.
        self._behind = ThreadPoolExecutor(1, thread_name_prefix="fallback")
        #: Why the player had no move when it had none last.
        self._trouble = ""

    @classmethod
    def open(
        cls,
        spec: str,
        *,
        fork_server: ForkServer | None,
        fallbacks: ForkServer | None,
        spares: Spares | None = None,
        reasoner: str = "auto",
        **options: Any,
    ) -> Self:
        """Start the processes of both.

        Args:
            spec: the player's name and options.
            fork_server: forks the player; None to start its process anew.
            fallbacks: forks the fallback player; None to start its process anew. Processes with
                the same parent share locks of the kernel, which a player of low priority may hold
                for long; so a server with many matches gives the two kinds a fork server each.
            spares: processes for fallback players, as `spare_fallbacks` gives them.
            reasoner: the kind of the player's reasoner, as `open_reasoner` takes it.
            **options: for both, as `PlayerProcess` takes them.
        """
        is_crowded = len(cls._sessions) >= (os.cpu_count() or 1)
        # The fallback player comes first: it is the one that must not be late.
        with ExitStack() as stack:
            fallback = stack.enter_context(
                PlayerProcess(
                    FALLBACK,
                    is_fallback=True,
                    reasoner=_own_reasoner(reasoner),
                    niceness=_FALLBACK_NICENESS,
                    fork_server=fallbacks,
                    spares=spares,
                    **options,
                )
            )
            player = PlayerProcess(
                spec,
                reasoner=reasoner,
                niceness=IDLE if is_crowded else _NICENESS,
                grace=_GRACE,
                patience=_GRACE,
                fork_server=fork_server,
                **options,
            )
            stack.pop_all()
        session = cls(player, fallback)
        cls._sessions.add(session)
        return session

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that run: the player's, then the fallback player's."""
        return self._player.processes + self._fallback.processes

    @property
    def note(self) -> str:
        """What the player says that it has done to prepare; "" as long as it says nothing."""
        player = self._player
        return player.note if player.note or player.has_begun else _LATE

    @property
    def doubt(self) -> str:
        """What is not legal in what was told in this turn; "" for nothing."""
        return self._player.doubt or self._fallback.doubt

    def start(self, rules: str, role: str, *, play_clock: float, deadline: Deadline) -> None:
        """Let both prepare, and wait for the player until the deadline at the latest.

        Raises:
            PlayerError: neither can play.
        """
        following_deadline = Deadline(deadline.due)

        def start(process: PlayerProcess, deadline: Deadline) -> None:
            process.start(rules, role, play_clock=play_clock, deadline=deadline)

        def follow() -> None:
            try:
                start(self._fallback, following_deadline)
            except PlayerError as error:
                _log.warning("the fallback player cannot start: %s", error)
                raise

        following = self._follow(follow)
        try:
            start(self._player, deadline)
        except PlayerError as error:
            _result(following, deadline)
            self._trouble = str(error)
            _log.warning("%s cannot start, its fallback plays: %s", self._player.spec, error)
        finally:
            following_deadline.cancel()  # the fallback player must not delay the first turn

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return the player's move, or else the fallback player's.

        Raises:
            PlayerError: neither has a move.
        """
        following_deadline = Deadline(deadline.due)
        following = self._follow(self._fallback.play, joint_move, following_deadline)
        try:
            move = self._player.play(joint_move, deadline)
        except PlayerError as error:
            move = _result(following, deadline)
            is_new, self._trouble = self._trouble != str(error), str(error)
            level = logging.WARNING if is_new else logging.DEBUG
            _log.log(level, "%s has no move, its fallback plays: %s", self._player.spec, error)
        else:
            self._trouble = ""
            if not self._player.is_sure:
                with suppress(PlayerError):
                    known = _result(following, deadline)
                    move = known if self._fallback.is_sure else move
        finally:
            following_deadline.cancel()  # the fallback player must not delay the next turn
        return move

    def stop(self, joint_move: JointMove | Percepts | None) -> None:
        """Tell the player how the match ended."""
        self._end_fallback()
        self._player.stop(joint_move)

    def abort(self) -> None:
        """Tell the player that the match was aborted."""
        self._end_fallback()
        self._player.abort()

    def close(self) -> None:
        """End both at once. May be called again."""
        self._end_fallback()
        self._player.close()

    def _follow(self, task: Callable[..., Result], *arguments: object) -> Future[Result]:
        """Queue a task for the fallback player."""
        try:
            return self._behind.submit(task, *arguments)
        except RuntimeError:  # it has been shut down
            raise PlayerError("the match is over") from None

    def _end_fallback(self) -> None:
        self._sessions.discard(self)
        self._fallback.close()
        self._behind.shutdown(wait=False, cancel_futures=True)


def spare_fallbacks(
    fork_server: ForkServer | None, *, count: int, reasoner: str, memory_limit: int | None
) -> Spares:
    """Keep processes for the fallback players of matches to come.

    Args:
        fork_server: forks them; None to start each anew.
        count: how many to keep.
        reasoner: the kind of the players' reasoner, as `open_reasoner` takes it.
        memory_limit: bytes for each process, as `PlayerProcess` takes it.
    """
    start = partial(
        start_worker,
        FALLBACK,
        reasoner=_own_reasoner(reasoner),
        memory_limit=memory_limit,
        niceness=_FALLBACK_NICENESS,
        fork_server=fork_server,
    )
    return Spares(start, count=count)


def _own_reasoner(reasoner: str) -> str:
    """Return the kind of reasoner that a fallback player gets.

    In place of "auto" that is Prolog, where it is installed: loading machine code takes more
    processor time than all the first moves of a match.
    """
    return "prolog" if reasoner == "auto" and is_installed() else reasoner


def _result(future: Future[Result], deadline: Deadline) -> Result:
    """Wait for the result until the deadline at the latest. Raises `PlayerError`."""
    try:
        return future.result(timeout=deadline.remaining + _SLACK)
    except TimeoutError:
        raise PlayerError("no legal move was found in time") from None
