"""Random playouts by the clock: how a game ends on average, and how fast it is played."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.reasoner import Reasoner, State

__all__ = ["PlayoutStatistics", "playouts"]

# A question to the reasoner is sized to take about this many seconds.
_SECONDS_PER_BATCH = 0.2


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """What many playouts came to."""

    playouts: int
    #: Joint moves made in them.
    steps: int
    seconds: float
    #: Per role, in role order; a missing goal counts as 0. None where no playout ended.
    mean_goals: tuple[float, ...] | None


def playouts(
    reasoner: Reasoner,
    *,
    deadline: Deadline,
    generator: random.Random,
    state: State | None = None,
    max_steps: int | None = None,
) -> PlayoutStatistics:
    """Play at random from a state (the initial one by default) until the clock runs out.

    Playouts that the clock cuts off do not count, nor do those asked for together with them:
    counting only what had ended by then would favour short games.
    """
    count = steps = 0
    sums = [0] * len(reasoner.roles)
    began = time.monotonic()
    seconds, batch = 0.0, 1
    while not deadline.is_over:
        try:
            start = reasoner.initial_state() if state is None else state
            seed = generator.getrandbits(32)
            made = reasoner.playout_totals(start, count=batch, seed=seed, max_steps=max_steps)
        except ReasonerError:
            # A clock that runs out, or a user's Ctrl-C, may close the reasoner in mid-question.
            if not deadline.is_over:
                raise
        else:
            count += made.playouts
            steps += made.steps
            sums = [mine + more for mine, more in zip(sums, made.goals, strict=True)]
            taken, seconds = time.monotonic() - began - seconds, time.monotonic() - began
            batch = batch * 2 if taken < _SECONDS_PER_BATCH / 2 else batch
    return PlayoutStatistics(
        playouts=count,
        steps=steps,
        seconds=seconds or time.monotonic() - began,
        mean_goals=tuple(total / count for total in sums) if count else None,
    )
