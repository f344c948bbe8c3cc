"""A learner in a thread of its own, beside the player that it learns for."""

from __future__ import annotations

from threading import TIMEOUT_MAX, Thread

from ggp.compiler.runtime.kernel import Kernel
from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.learning.kernels import LEARNING_KERNELS
from ggp.learning.learner import Learner, LearningSettings, Progress
from ggp.native.cache import Cache
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import ValueNet
from ggp.workers.cores import available

__all__ = ["Study"]

#: Seconds in which a learner that is at work can end.
_PARTING = 0.3


class Study:
    """Learns a game in the background."""

    def __init__(
        self,
        compiled: CompiledReasoner,
        *,
        memory: int,
        net: ValueNet | None = None,
        grows: bool = True,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        """Take a game.

        Args:
            compiled: its machine code.
            memory: bytes that it may take, roughly.
            net: to go on with; None for a new one.
            grows: whether it gets weights for pairs of facts unless it plays worse with them.
            threads: how many play and learn together; None for one on each core.
            seed: of the learner.
        """
        self._compiled, self._memory, self._net, self._seed = compiled, memory, net, seed
        self._grows, self._threads = grows, threads or available()
        self._learner: Learner | None = None
        self._thread: Thread | None = None
        self._is_ended = False
        self._trouble = ""
        LEARNING_KERNELS.request()

    @property
    def progress(self) -> Progress | None:
        """What has been done so far; None before it begins."""
        return None if self._learner is None else self._learner.progress

    @property
    def trouble(self) -> str:
        """Why there is no network: what kept the learning from its first step; "" for nothing."""
        return self._trouble

    def begin(self, deadline: Deadline) -> None:
        """Learn until a deadline, or until `end`; nothing if it is at that still."""
        if self._thread is not None and self._thread.is_alive():
            return
        until = deadline.until(lambda: self._is_ended)
        self._thread = Thread(target=self._learn, args=(until,), name="study", daemon=True)
        self._thread.start()

    def result(self, deadline: Deadline) -> ValueNet | None:
        """Wait for the end, and return the network.

        Where the deadline comes first, the learning ends, and a moment later gives what it has.

        Returns:
            None if nothing has been learned, or it does not end in time: to load what has been
            compiled takes seconds on a busy machine, and cannot be interrupted.
        """
        thread = self._thread
        if thread is not None:
            thread.join(min(deadline.remaining, TIMEOUT_MAX))
        learner = self._learner
        if thread is not None and thread.is_alive() and learner and learner.progress.steps:
            self._is_ended = True
            thread.join(_PARTING)
        is_late = thread is not None and thread.is_alive()
        if is_late or learner is None or not learner.progress.steps:
            self._is_ended = True
            self._trouble = self._trouble or _why(learner, is_late=is_late)
            return None
        return learner.net

    def end(self) -> None:
        """Stop learning soon, in the background, and forget what was learned."""
        self._is_ended = True
        self._learner = None

    def _learn(self, deadline: Deadline) -> None:
        try:
            if LEARNING_KERNELS.wait(deadline):
                learner = self._learner = self._learner or self._new()
                learner.learn(deadline=deadline)
            else:
                self._trouble = "the functions of the learning are not compiled yet"
        except (GgpError, MemoryError, ValueError) as error:
            self._trouble = f"{error}" or type(error).__name__
            self._learner = None

    def _new(self) -> Learner:
        kernel = Kernel(self._compiled.circuit, cache=Cache())
        settings = LearningSettings(pairs=None if self._grows else False)
        return Learner.of_rules(
            self._compiled.description,
            kernel,
            settings=settings.within(self._memory, kernel),
            net=self._net,
            threads=self._threads,
            seed=self._seed,
        )


def _why(learner: Learner | None, *, is_late: bool) -> str:
    """Return why a learner has no network yet."""
    if learner is None:
        return "its functions were not loaded in time"
    if is_late:
        return "it did not come to its end in time"
    return f"{learner.progress.plies:,} joint moves were too few to learn from"
