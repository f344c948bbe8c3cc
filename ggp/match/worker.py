"""The process in which a player lives: it plays one match, and streams its moves to its owner.

The main thread runs the player. A second one listens to the owner: a new message ends what the
player is doing, and a closed connection means that the owner is gone, and the process with it.

Whatever goes wrong beyond the player's own exceptions ends the process: the owner starts another
and gives it the match so far. There is no other way of recovery.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

from ggp.clock import Clock, TimeUp
from ggp.errors import GgpError, PlayerError, ReasonerError
from ggp.gdl import Description
from ggp.kif import Source, Symbol
from ggp.match.messages import Begin, Done, End, Failed, Log, Move, Prepared, Reply, Request, Think
from ggp.match.player import Seat, make_player
from ggp.match.spelling import game_spelling
from ggp.reasoner import JointMove, State, open_reasoner

__all__ = ["GRACE", "main"]

#: Seconds that a player may go on after its clock is over, before its process is ended.
GRACE = 1.0

# Whoever keeps the clocks comes first: players think with what is left of the processors.
_NICENESS = 10


def main() -> None:
    """Play one match. Arguments: connection, player, reasoner, memory limit in bytes."""
    descriptor, spec, reasoner, memory_limit = sys.argv[1:]
    os.nice(_NICENESS)
    os.dup2(2, 1)  # what a player prints must not mix with what its owner prints
    # Only the soft limit: the reasoner's process has its own, which may be higher.
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_limit), hard))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _Worker(Connection(int(descriptor)), reasoner).run(spec)


class _Leave(Exception):
    """The match is over."""


class _Worker:
    """One player at one match."""

    def __init__(self, connection: Connection, reasoner: str) -> None:
        self._connection = connection
        self._reasoner_kind = reasoner
        self._requests: SimpleQueue[Request] = SimpleQueue()
        self._latest: Request | None = None
        self._lock = Lock()
        #: The clock of the player's code, while that runs.
        self._players_clock: Clock | None = None
        self._is_prepared = False

    def run(self, spec: str) -> None:
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
            self._send(Log(_describe(error)))
        finally:
            os._exit(0)

    def _serve(self, request: Request) -> None:
        match request:
            case Begin():
                self._begin(request)
            case Think():
                self._think(request)
            case End():
                self._end(request)

    def _begin(self, begin: Begin) -> None:
        try:
            description = Description.from_text(Source(begin.rules, "rules"))
            self._reasoner = open_reasoner(description, kind=self._reasoner_kind)
        except GgpError as error:
            raise PlayerError(str(error)) from None
        role = game_spelling(Symbol(begin.role), description.roles)
        if not isinstance(role, Symbol):
            raise PlayerError(f"the game has no role {begin.role!r}")
        self._role = description.roles.index(role)
        self._enter(self._reasoner.initial_state())
        for joint_move in begin.history:
            self._advance(joint_move)
        # A player that takes long to start must not keep the first move back.
        self._send_first_move(len(begin.history))
        clock = Clock(begin.deadline)
        with self._in_players_hands(clock):
            self._player.start(Seat(role, self._reasoner, begin.play_clock), clock)
        self._is_prepared = True
        self._send(Prepared())
        if begin.think:
            self._think(begin.think)

    def _think(self, think: Think) -> None:
        if think.joint_move is not None:
            self._advance(think.joint_move)
        legal = frozenset(self._view.legal[self._role])
        if not legal:
            raise PlayerError("the role has no legal move")
        self._send_first_move(think.turn)
        clock = Clock(think.deadline)
        with self._in_players_hands(clock):
            for move in self._player.moves(self._state, clock):
                if move in legal:
                    self._send(Move(think.turn, move))
                else:
                    self._send(Log(f"wants to play {move}, which is not legal"))
                clock.check()
        self._send(Done(think.turn))

    def _end(self, end: End) -> None:
        if end.joint_move is not None:
            self._advance(end.joint_move)
        with self._in_players_hands(Clock.of(GRACE)):
            self._player.stop(None if end.aborted else self._view.goals)
        self._reasoner.close()
        raise _Leave

    def _enter(self, state: State) -> None:
        self._state = state
        self._view = self._reasoner.view(state)

    def _advance(self, joint_move: JointMove) -> None:
        if len(joint_move) != len(self._view.legal):
            roles = len(self._view.legal)
            raise PlayerError(f"a joint move of {len(joint_move)} moves for {roles} roles")
        # What was played counts, even where the rules at hand do not allow it.
        known = [
            game_spelling(move, legal) or move
            for move, legal in zip(joint_move, self._view.legal, strict=True)
        ]
        self._enter(self._reasoner.next_state(self._state, known))

    def _send_first_move(self, turn: int) -> None:
        for move in self._view.legal[self._role][:1]:
            self._send(Move(turn, move))

    @contextmanager
    def _in_players_hands(self, clock: Clock) -> Iterator[None]:
        """Run the player's code: it may raise what it likes, and overrun its clock by `GRACE`.

        Preparing may overrun its clock until the next request.
        """
        with self._lock:
            self._players_clock = clock
            if not self._requests.empty():
                self._hurry(clock)
            elif self._is_prepared:
                _end_process_after(clock.remaining + GRACE)
        try:
            yield
        except TimeUp:
            pass
        except (MemoryError, ReasonerError):
            raise
        except (Exception, SystemExit) as error:
            self._send(Log(_describe(error)))
        finally:
            with self._lock:
                self._players_clock = None
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _listen(self) -> None:
        try:
            while True:
                request = self._connection.recv()
                with self._lock:
                    self._requests.put(request)
                    self._latest = request
                    if self._players_clock is not None:
                        self._hurry(self._players_clock)
        finally:
            # The owner is gone. Nothing is worth a last word, whatever the main thread is doing.
            os._exit(0)

    def _hurry(self, clock: Clock) -> None:
        """End what the player does, as there is another request; the lock is held.

        Preparing is not done again lightly, so it gets half of the turn; the other half is enough
        for another process to find a move.
        """
        clock.cut()
        patience = GRACE
        if isinstance(self._latest, Think) and not self._is_prepared:
            patience = max(GRACE, Clock(self._latest.deadline).remaining / 2)
        _end_process_after(patience)

    def _send(self, reply: Reply) -> None:
        try:
            self._connection.send(reply)
        except OSError:
            os._exit(0)


def _end_process_after(seconds: float) -> None:
    """Let the kernel end the process: that works even where Python code gets no chance to run."""
    if isfinite(seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _describe(error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{said} ({Path(place.filename).name}, line {place.lineno})"


if __name__ == "__main__":
    main()
