"""Strategies that take turns, because no single one suits all puzzles."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

__all__ = ["Strategy", "take_turns"]


class Strategy(Protocol):
    """A way to look for plans."""

    @property
    def is_finished(self) -> bool:
        """Whether no plan is better than the best one so far."""

    def steps(self) -> Iterator[None]:
        """Search, with a break after each step; end where nothing is left to be done."""


def take_turns(
    strategies: Mapping[Strategy, float], *, clock: Callable[[], float] = time.perf_counter
) -> Iterator[None]:
    """Let strategies search in turn until one of them is finished, or all have ended.

    The next step is always that of the strategy which has taken the least time.

    Args:
        strategies: each with the seconds that it is behind the others at the beginning.
        clock: the time in seconds.
    """
    seconds = dict(strategies)
    steps = {strategy: strategy.steps() for strategy in strategies}
    while steps:
        strategy = min(steps, key=seconds.__getitem__)
        began = clock()
        is_over = next(steps[strategy], strategy) is strategy
        seconds[strategy] += clock() - began
        if is_over:
            del steps[strategy]
            if strategy.is_finished:
                return
        yield
