"""A child process that answers questions, without keeping the editor waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.workers.worker import Worker

__all__ = ["Helper", "Stopped"]

# It stands back: the editor's requests come first.
_NICENESS = 5


class Stopped(Exception):
    """The child took too long, took too much memory, or died."""


class Helper(Closing):
    """A child process that takes one question at a time. It is started when it is needed.

    Its program receives a question and sends any number of answers, none of which is None, and
    then None. Of
    questions that wait, the newest comes first. All methods belong to one event loop.
    """

    def __init__(self, program: str, *, seconds: float, memory_limit: int, keep: bool) -> None:
        """Take what to run.

        Args:
            program: a module, as `Worker` takes it.
            seconds: how long the child may work on a question.
            memory_limit: bytes that the child may use.
            keep: whether a child takes one question after the other, and finishes one that is given
                up; otherwise each question has a child of its own, which is killed then.
        """
        self._program = program
        self._seconds = seconds
        self._memory_limit = memory_limit
        self._keep = keep
        self._worker: Worker | None = None
        #: When the child must have answered the question that it works on.
        self._due: Deadline | None = None
        self._turn = _Turn()

    async def answers(self, question: object) -> AsyncGenerator[Any, None]:
        """Yield the answers to a question as they come.

        Raises:
            Stopped: the child took too long, took too much memory, or died. The next question gets
                another one.
        """
        async with self._turn:
            try:
                while self._due is not None:  # a question that was given up
                    await self._next(self._due)
            except Stopped:
                pass  # that was due to the other question
            worker = self._started()
            self._due = Deadline.after(self._seconds)
            worker.post(question)
            try:
                while (answer := await self._next(self._due)) is not None:
                    yield answer
            finally:
                if not self._keep:
                    self.close()

    def close(self) -> None:
        """End the child. May be called again."""
        self._due = None
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _started(self) -> Worker:
        if self._worker is None:
            try:
                self._worker = Worker(
                    self._program, memory_limit=self._memory_limit, niceness=_NICENESS
                )
            except OSError as error:
                raise Stopped from error
        return self._worker

    async def _next(self, due: Deadline) -> Any:
        """Return the next answer; None says that the child is ready for the next question."""
        worker = self._started()
        try:
            if not worker.has_begun:
                await asyncio.wait_for(_readable(worker), due.remaining)
            answer = worker.receive(due)
        except (TimeoutError, TimeUp, EOFError):
            self.close()
            raise Stopped from None
        if answer is None:
            self._due = None
        return answer


class _Turn:
    """A lock that goes to the one who has waited for the shortest time."""

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: list[asyncio.Future[None]] = []

    async def __aenter__(self) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn had come
                self._pass_on()
            raise

    async def __aexit__(self, *_error: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            turn = self._waiting.pop()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False


async def _readable(worker: Worker) -> None:
    """Wait until a child has sent something or has ended."""
    loop = asyncio.get_running_loop()
    found = asyncio.Event()
    descriptor = worker.fileno()
    loop.add_reader(descriptor, found.set)
    try:
        await found.wait()
    finally:
        loop.remove_reader(descriptor)
