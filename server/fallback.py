"""A player with an understudy: whatever becomes of the player, there is a legal move.

The understudy is a process of its own that only follows the match. It has the first legal move of
every turn within milliseconds, since it never thinks and comes before the thinkers wherever the
processors are scarce. So a player that hangs, dies, is frozen, runs out of memory or is starved by
fifty others still plays, if not well; and where it keeps silent for long it is replaced.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakSet

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term
from ggp.match import IDLE, ForkServer, Percepts, PlayerProcess
from ggp.reasoner import JointMove

__all__ = ["FALLBACK", "WithFallback"]

#: The player that thinks least.
FALLBACK = "legal"

#: How far the thinkers stand back where processors are scarce, and the understudies. Where there
#: are more matches than processors, fifty thinkers outweigh whoever keeps their clocks, however far
#: they stand back: then they take what nobody else wants.
_NICENESS, _FALLBACK_NICENESS = 10, 3

#: Seconds by which a player may overrun its clock: to compile may take long, and to do it again
#: longer still, while the understudy plays.
_GRACE = 10.0
#: Turns without a move after which a player's process is replaced.
_MAX_SILENCE = 3
#: Seconds by which the understudy may be late: it waits for nobody.
_SLACK = 0.05

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


class WithFallback:
    """A `ggp.server.match.Session` that a player and its fallback share.

    Any thread may call the methods, one at a time; `abort` and `close` also while another waits.
    """

    #: Those that go on.
    _sessions: ClassVar[WeakSet[WithFallback]] = WeakSet()

    def __init__(self, player: PlayerProcess, fallback: PlayerProcess) -> None:
        self._player = player
        self._fallback = fallback
        # One thread, so that the understudy is told everything in its order.
        self._behind = ThreadPoolExecutor(1, thread_name_prefix="understudy")
        #: For how many turns the player has found no move.
        self._silence = 0

    @classmethod
    def open(
        cls,
        spec: str,
        *,
        fork_server: ForkServer | None,
        fallbacks: ForkServer | None,
        **options: Any,
    ) -> Self:
        """Start the processes of both.

        Args:
            spec: the player's name and options.
            fork_server: forks the player; None to start its process anew.
            fallbacks: forks the fallback player; None to start its process anew. Processes with
                the same parent share locks of the kernel, which a player of low priority may hold
                for long; so a server with many matches gives the two kinds a fork server each.
            **options: for both, as `PlayerProcess` takes them.
        """
        is_crowded = len(cls._sessions) >= (os.cpu_count() or 1)
        session = cls(
            PlayerProcess(
                spec,
                niceness=IDLE if is_crowded else _NICENESS,
                grace=_GRACE,
                fork_server=fork_server,
                **options,
            ),
            PlayerProcess(
                FALLBACK,
                niceness=_FALLBACK_NICENESS,
                fork_server=fallbacks,
                **options,
            ),
        )
        cls._sessions.add(session)
        return session

    @property
    def processes(self) -> tuple[int, ...]:
        """The numbers of the processes that run: the player's, the understudy's."""
        return self._player.processes + self._fallback.processes

    def start(self, rules: str, role: str, *, play_clock: float, deadline: Deadline) -> None:
        """Let both prepare, and wait for the player no longer than the clock allows.

        Raises:
            PlayerError: neither can play.
        """
        own_clock = Deadline(deadline.due)

        def start(process: PlayerProcess, deadline: Deadline) -> None:
            process.start(rules, role, play_clock=play_clock, deadline=deadline)

        following = self._follow(start, self._fallback, own_clock)
        try:
            start(self._player, deadline)
        except PlayerError as error:
            _result(following, deadline)
            _log.warning("%s cannot start, its understudy plays: %s", self._player.spec, error)
        finally:
            own_clock.cancel()  # lest the understudy keeps the first turn waiting

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return the player's move, or else the understudy's. Raises `PlayerError` without any."""
        own_clock = Deadline(deadline.due)
        following = self._follow(self._fallback.play, joint_move, own_clock)
        try:
            move = self._player.play(joint_move, deadline)
        except PlayerError as error:
            move = _result(following, deadline)
            _log.warning("%s has no move, its understudy plays: %s", self._player.spec, error)
            self._silence += 1
            if self._silence >= _MAX_SILENCE:
                self._silence = 0
                self._player.replace()
        else:
            self._silence = 0
        finally:
            own_clock.cancel()  # lest the understudy keeps the next turn waiting
        return move

    def stop(self, joint_move: JointMove | Percepts | None) -> None:
        """Tell the player how the match ended."""
        self._end_fallback()
        self._player.stop(joint_move)

    def abort(self) -> None:
        """Tell the player that the match was given up."""
        self._end_fallback()
        self._player.abort()

    def close(self) -> None:
        """End both at once. May be called again."""
        self._end_fallback()
        self._player.close()

    def _follow(self, task: Callable[..., Result], *arguments: object) -> Future[Result]:
        """Let the understudy do something after what it does."""
        try:
            return self._behind.submit(task, *arguments)
        except RuntimeError:  # it has been shut down
            raise PlayerError("the match is over") from None

    def _end_fallback(self) -> None:
        self._sessions.discard(self)
        self._fallback.close()
        self._behind.shutdown(wait=False, cancel_futures=True)


def _result(future: Future[Result], deadline: Deadline) -> Result:
    """Return the result when the clock is over at the latest. Raises `PlayerError`."""
    try:
        return future.result(timeout=deadline.remaining + _SLACK)
    except TimeoutError:
        raise PlayerError("no legal move was found in time") from None
