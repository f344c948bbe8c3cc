"""Finds out in the background what is to be known of a rulesheet, after each pause in typing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from ggp.authoring.lsp.background.helper import Helper, Stopped
from ggp.authoring.lsp.knowledge import Knowledge, Problem, Proof
from ggp.authoring.lsp.text.document import MAX_TEXT, Document
from ggp.closing import Closing

__all__ = ["Helpers", "Pauses", "Study"]

#: Bytes that the checker may use, and a reasoner.
_CHECKER_MEMORY, _REASONER_MEMORY = 1 << 30, 8 << 30
#: Seconds that a check may take, and all reasoning.
_CHECKER_SECONDS, _REASONER_SECONDS = 20.0, 300.0


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
        self.checker = Helper(
            f"{package}.check",
            seconds=_CHECKER_SECONDS,
            memory_limit=_CHECKER_MEMORY,
            keep=True,
        )
        self.reasoner = Helper(
            f"{package}.reason",
            seconds=_REASONER_SECONDS,
            memory_limit=_REASONER_MEMORY,
            keep=False,
        )

    def close(self) -> None:
        """End them."""
        self.checker.close()
        self.reasoner.close()


class Study(Closing):
    """What is known of one rulesheet, and the task that finds out more."""

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
        self._task = asyncio.create_task(self._run(0.0))

    def edited(self) -> None:
        """Begin anew, because the text has changed."""
        self._task.cancel()
        self.knowledge.forget_play()
        self._task = asyncio.create_task(self._run(self._pauses.check))

    def close(self) -> None:
        """Stop."""
        self._task.cancel()

    async def _run(self, pause: float) -> None:
        await asyncio.sleep(pause)
        await self._check()
        self._publish(self)
        if not self._has_errors():
            await asyncio.sleep(self._pauses.reason)
            await self._reason()

    async def _check(self) -> None:
        """Find the problems of the text, and what can stand where."""
        found: list[object] = []
        version = self.document.version
        if self.document.is_too_long:
            problem = _unchecked(f"the text is longer than {MAX_TEXT:,} characters")
            self.knowledge.problems, self.knowledge.checked = (problem,), version
            return
        try:
            async with aclosing(self._helpers.checker.answers(self.document.text)) as answers:
                async for answer in answers:
                    found.append(answer)
                    if isinstance(answer, tuple):
                        self.knowledge.problems, self.knowledge.checked = answer, version
                        self._publish(self)
                    elif isinstance(answer, dict):
                        self.knowledge.places = answer
        except Stopped:
            if self.knowledge.checked != version:
                limit = f"{_CHECKER_SECONDS:g} s or {_CHECKER_MEMORY >> 30} GB"
                problem = _unchecked(f"the checker was stopped: it needs more than {limit}")
                self.knowledge.problems, self.knowledge.checked = (problem,), version

    async def _reason(self) -> None:
        """Find the legal moves of the initial state, and what can be proved."""
        try:
            async with aclosing(self._helpers.reasoner.answers(self.document.text)) as answers:
                async for answer in answers:
                    if isinstance(answer, Proof):
                        self.knowledge.proofs += (answer,)
                        if answer.problem is not None:
                            self._publish(self)
                    else:
                        self.knowledge.legal = answer
        except Stopped:
            pass  # what it has found until then is kept

    def _has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.knowledge.problems)


def _unchecked(message: str) -> Problem:
    return Problem(0, 0, "information", "unchecked", message)
