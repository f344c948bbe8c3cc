"""Finds out in the background what is to be known of a rulesheet, after each pause in typing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ggp.authoring.lsp.background.helper import Helper, Preempted, Stopped
from ggp.authoring.lsp.knowledge import Knowledge, Problem
from ggp.authoring.lsp.text.document import MAX_TEXT, Document
from ggp.closing import Closing

__all__ = ["Helpers", "Pauses", "Study"]

#: Seconds and bytes that a check may take.
_SECONDS, _MEMORY = 20.0, 1 << 30


@dataclass(frozen=True, slots=True)
class Pauses:
    """Seconds without an edit after which the text is checked, and then reasoned about."""

    check: float = 0.15
    reason: float = 1.0


class Helpers(Closing):
    """The child processes that all rulesheets share."""

    def __init__(self) -> None:
        """Prepare them; each is started when it is needed first."""
        package = "ggp.authoring.lsp.background"
        self.checker = Helper(f"{package}.check", seconds=_SECONDS, memory_limit=_MEMORY, keep=True)
        self.player = Helper(f"{package}.play", seconds=30.0, memory_limit=4 << 30, keep=False)
        self.prover = Helper(f"{package}.proofs", seconds=180.0, memory_limit=8 << 30, keep=False)

    def close(self) -> None:
        """End them."""
        for helper in (self.checker, self.player, self.prover):
            helper.close()


class Study(Closing):
    """The knowledge about one rulesheet, and the task that adds to it."""

    def __init__(
        self,
        document: Document,
        helpers: Helpers,
        *,
        publish: Callable[[Study], None],
        pauses: Pauses,
    ) -> None:
        """Begin to study a rulesheet; an event loop must be running.

        Args:
            document: the rulesheet.
            helpers: the child processes that do the work.
            publish: is called when there are other problems than before.
            pauses: how long to wait after an edit.
        """
        self.document = document
        self.knowledge = Knowledge()
        #: The semantic tokens that the editor has, with the number of that answer.
        self.tokens: tuple[int, list[int]] | None = None
        self._helpers = helpers
        self._publish = publish
        self._pauses = pauses
        #: When the text was edited last: the later, the more important.
        self._edited = time.monotonic()
        self._task = asyncio.create_task(self._run(0.0))

    def edited(self) -> None:
        """Begin anew, because the text has changed."""
        self._task.cancel()
        self.knowledge.forget_play()
        self._edited = time.monotonic()
        self._task = asyncio.create_task(self._run(self._pauses.check))

    def close(self) -> None:
        """Stop."""
        self._task.cancel()

    async def _run(self, pause: float) -> None:
        await asyncio.sleep(pause)
        await self._check()
        if not self._has_errors():
            await asyncio.sleep(self._pauses.reason)
            async for legal in self._answers(self._helpers.player):
                self.knowledge.legal = legal or {}
            async for proof in self._answers(self._helpers.prover):
                if proof is None:
                    self.knowledge.proofs = ()
                    continue
                self.knowledge.take(proof)
                if proof.problem is not None:
                    self._publish(self)

    async def _check(self) -> None:
        """Find the problems of the text, and what can stand where."""
        version = self.document.version
        if self.document.is_too_long:
            self._found((_unchecked(f"the text is longer than {MAX_TEXT:,} characters"),))
            return
        question = self._helpers.checker.answers(self.document.text, priority=self._edited)
        try:
            async with aclosing(question) as answers:
                async for answer in answers:
                    if isinstance(answer, tuple):
                        self._found(answer)
                    else:
                        self.knowledge.places = answer
        except Stopped:
            if self.knowledge.checked != version:
                limit = f"{_SECONDS:g} s or {_MEMORY >> 30} GB"
                self._found((_unchecked(f"the checker was stopped: it needs more than {limit}"),))

    def _found(self, problems: tuple[Problem, ...]) -> None:
        """Take the problems of the present text."""
        self.knowledge.problems, self.knowledge.checked = problems, self.document.version
        self._publish(self)

    async def _answers(self, helper: Helper) -> AsyncIterator[Any]:
        """Yield what a child finds; None where it begins.

        It begins anew if another text, which was edited later, has come between. What it finds
        before it is stopped counts.
        """
        while True:
            yield None
            question = helper.answers(self.document.text, priority=self._edited)
            try:
                async with aclosing(question) as answers:
                    async for answer in answers:
                        yield answer
            except Preempted:
                continue
            except Stopped:
                return
            else:
                return

    def _has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.knowledge.problems)


def _unchecked(message: str) -> Problem:
    return Problem(0, 0, "information", "unchecked", message)
