"""The requests that ask for the moves of one match.

A client that sends a PLAY again and again, or many at once, holds one connection and one thread,
not one for each. So only the newest request waits; the older one is answered at once. The player
thinks in a thread of its own, which no request that comes or goes disturbs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from threading import Lock, Thread
from typing import TypeAlias

from ggp.errors import PlayerError
from ggp.kif import Term
from ggp.server.messages import Moves

__all__ = ["OnLeaving", "OutOfStep", "Questions"]

#: Takes a function, and calls it when the client closes the connection, from any thread; at once if
#: the client has left already.
OnLeaving: TypeAlias = Callable[[Callable[[], None]], None]


#: Questions that wait for the player. More than one can only come of a machine that stood still, or
#: of a manager that does not wait for answers.
_MAX_QUEUE = 8
_NEWER = "a newer message asks for the move"


class OutOfStep(Exception):
    """A message does not fit the state of the match; the text says why."""


@dataclass(frozen=True, slots=True)
class _Question:
    moves: Moves
    received: float


class Questions:
    """Passes the questions of one match to its player, one after the other.

    Any thread may call the methods.
    """

    def __init__(self, answer: Callable[[Moves, float], Term]) -> None:
        """Take questions.

        Args:
            answer: returns the player's move, from the moves in a message and the time when that
                was received.
        """
        self._answer = answer
        self._lock = Lock()  # guards everything below; never held for long
        #: The player thinks about the first of them. It gets them all, since each tells a turn.
        self._queue = deque[_Question]()
        #: The request that waits, for the answer to the last question, and when it was received.
        self._waiter: Future[Term] | None = None
        self._waits_since = -inf

    def __len__(self) -> int:
        """Return the number of questions that the player has not answered."""
        return len(self._queue)

    def ask(self, moves: Moves, received: float, *, patience: float, on_leaving: OnLeaving) -> Term:
        """Return the player's move.

        A question that equals the one before gets the same answer. Another one waits until the
        player is done.

        Args:
            moves: the moves in the message.
            received: when the message was received.
            patience: for how many seconds the questions before keep this one waiting.
            on_leaving: tells when the client leaves.

        Raises:
            OutOfStep: a newer request waits in the place of this one, or the client has left.
            PlayerError: no legal move is known.
        """
        waiter = Future[Term]()
        with self._lock:
            older = self._put(_Question(moves, received), waiter)
            must_wait = len(self._queue) > 1
        if older is not None:
            _fail(older, OutOfStep(_NEWER))
        on_leaving(partial(_fail, waiter, OutOfStep("the client has left")))
        with suppress(TimeoutError):
            return waiter.result(timeout=max(0.0, patience) if must_wait else None)
        with self._lock:
            if self._waiter is waiter and len(self._queue) > 1:
                self._waiter = None
                raise PlayerError("the player was still busy with another message")
        return waiter.result()

    def _put(self, question: _Question, waiter: Future[Term]) -> Future[Term] | None:
        """Queue a question that is new; return the request that no longer waits.

        Raises `OutOfStep`.
        """
        # Requests are received one after the other, but the threads that work on them may overtake
        # each other.
        if self._waiter is not None and question.received < self._waits_since:
            raise OutOfStep(_NEWER)
        if not self._queue or self._queue[-1].moves != question.moves:
            if len(self._queue) >= _MAX_QUEUE:
                raise OutOfStep("too many messages ask for moves")
            self._queue.append(question)
            if len(self._queue) == 1:
                Thread(target=self._think, args=(question,), daemon=True, name="thinking").start()
        older, self._waiter, self._waits_since = self._waiter, waiter, question.received
        return older

    def _think(self, question: _Question) -> None:
        following: _Question | None = question
        while following is not None:
            given = Future[Term]()
            try:
                given.set_result(self._answer(following.moves, following.received))
            except BaseException as error:  # for the thread that waits
                given.set_exception(error)
            waiter = None
            with self._lock:
                self._queue.popleft()
                following = self._queue[0] if self._queue else None
                if following is None:
                    waiter, self._waiter = self._waiter, None
            if waiter is not None:
                _pass_on(given, waiter)


def _pass_on(given: Future[Term], waiter: Future[Term]) -> None:
    error = given.exception()
    if error is not None:
        _fail(waiter, error)
        return
    with suppress(InvalidStateError):  # the client has left
        waiter.set_result(given.result())


def _fail(waiter: Future[Term], error: BaseException) -> None:
    with suppress(InvalidStateError):  # it has got its answer
        waiter.set_exception(error)
